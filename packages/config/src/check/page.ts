// What the checks share while they go through one settings file: their findings, and how they word a warning.

import { printableLine } from "@keelson/protocol";
import type { Holder } from "@keelson/protocol/settings-table";

export type Warn = (key: string, problem: string, outcome?: string) => void;

export interface SettingsPage {
  readonly holder: Holder;
  /** Tools named by deny or ask rules that are invalid. */
  readonly asks: string[];
  /** A deny or ask rule may be lost. */
  unread: boolean;
  unreadMode: boolean;
  readonly warn: Warn;
}

export const UNREAD = "it is ignored; until this is fixed, allow rules are ignored too";

export function wrong(value: unknown, what: string, key: string, { warn }: SettingsPage, outcome?: string): undefined {
  const problem = value === undefined ? `is missing; it should be ${what}` : `should be ${what}, not ${example(value)}`;
  warn(printable(key), problem, outcome);
  return undefined;
}

const LONGEST = 60;

const example = (value: unknown) => printable((JSON.stringify(value) ?? String(value)).slice(0, LONGEST));

/** Text from a file, safe to print on one line of a terminal. */
export const printable = (value: string) => printableLine(value.slice(0, LONGEST));
