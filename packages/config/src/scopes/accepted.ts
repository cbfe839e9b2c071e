// What a person accepted for one folder without trusting it: the allow rules and directories they said yes to. Kept
// where trust is kept, in the user's global config file; the folder's own files can repeat it, never add to it.

import { isObject } from "@keelson/protocol";
import { isSameRule, strings } from "../rules.ts";

export interface Accepted {
  readonly rules: readonly string[];
  readonly directories: readonly string[];
}

/** The names of the two lists under `projects[<folder>]`. The reference has the first, from before settings files. */
export const ACCEPTED = { rules: "allowedTools", directories: "additionalDirectories" } as const;

export function readAccepted(project: unknown): Accepted {
  if (!isObject(project)) return { rules: [], directories: [] };
  return { rules: strings(project[ACCEPTED.rules]), directories: strings(project[ACCEPTED.directories]) };
}

export interface Sifted {
  readonly permissions: Readonly<Record<string, unknown>>;
  /** What was taken out, for people. */
  readonly taken: readonly string[];
}

/** Permissions without the allow rules and directories that nobody accepted. */
export function sift(permissions: Readonly<Record<string, unknown>>, accepted: Accepted): Sifted {
  const kept: Record<string, unknown> = { ...permissions };
  const taken: string[] = [];
  const sieve = (key: string, isAccepted: (item: string) => boolean) => {
    const items = strings(permissions[key]);
    const others = items.filter((item) => !isAccepted(item));
    if (others.length === 0) return;
    kept[key] = items.filter(isAccepted);
    taken.push(`permissions.${key} ${listed(others)}`);
  };
  sieve("allow", (rule) => accepted.rules.some((each) => isSameRule(rule, each)));
  sieve("additionalDirectories", (path) => accepted.directories.includes(path));
  return { permissions: kept, taken };
}

const NAMED = 5;
const LONGEST = 80;

function listed(items: readonly string[]): string {
  const named = items
    .slice(0, NAMED)
    .map((item) => JSON.stringify(item.length > LONGEST ? `${item.slice(0, LONGEST)}…` : item));
  const more = items.length > NAMED ? [`${items.length - NAMED} more`] : [];
  return [...named, ...more].join(", ");
}
