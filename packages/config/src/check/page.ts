// One settings file while its values are checked: what is found out about it, and how its mistakes are told.

import type { Holder } from "./keys.ts";

export type Warn = (key: string, problem: string, outcome?: string) => void;

export interface SettingsPage {
  readonly holder: Holder;
  /** Tools that a deny or ask rule which cannot be read is about. */
  readonly asks: string[];
  unread: boolean;
  unreadMode: boolean;
  readonly warn: Warn;
}

export const UNREAD = "it is ignored, and so is every allow rule until it is mended";

export function wrong(value: unknown, what: string, key: string, { warn }: SettingsPage, outcome?: string): undefined {
  warn(printable(key), `should be ${what}, not ${example(value)}`, outcome);
  return undefined;
}

const LONGEST = 60;

const example = (value: unknown) => printable((JSON.stringify(value) ?? String(value)).slice(0, LONGEST));

/** Text out of a file, made fit for one line of a terminal. */
// oxlint-disable-next-line no-control-regex
export const printable = (value: string) =>
  value.slice(0, LONGEST).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?");
