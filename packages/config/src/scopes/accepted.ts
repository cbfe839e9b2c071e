// Allow rules and directories that the user accepted for one folder without trusting it. They are stored with trust, in
// the user's global config file, so the folder's own files cannot add to them.

import { isObject, type Settings } from "@keelson/protocol";
import { isSameRule, strings } from "../load/rules.ts";

export interface Accepted {
  readonly rules: readonly string[];
  readonly directories: readonly string[];
}

/** The two lists under `projects[<folder>]`. The reference uses the first one, too. */
export const ACCEPTED = { rules: "allowedTools", directories: "additionalDirectories" } as const;

export function readAccepted(project: unknown): Accepted {
  if (!isObject(project)) return { rules: [], directories: [] };
  return { rules: strings(project[ACCEPTED.rules]), directories: strings(project[ACCEPTED.directories]) };
}

type Permissions = NonNullable<Settings["permissions"]>;

export interface Sifted {
  readonly permissions: Permissions;
  /** What was removed, for the warning. */
  readonly taken: readonly string[];
}

/** Removes the allow rules and directories that the user did not accept. */
export function sift(permissions: Permissions, accepted: Accepted): Sifted {
  const kept: { -readonly [Key in keyof Permissions]: Permissions[Key] } = { ...permissions };
  const taken: string[] = [];
  const sieve = (key: "allow" | "additionalDirectories", isAccepted: (item: string) => boolean) => {
    const items = strings(permissions[key]);
    const others = items.filter((item) => !isAccepted(item));
    if (others.length === 0) return;
    kept[key] = items.filter(isAccepted);
    taken.push(`permissions.${key} ${listed(others)}`);
  };
  sieve("allow", (rule) => isAccepted("permissions.allow", rule, accepted));
  sieve("additionalDirectories", (path) => isAccepted("permissions.additionalDirectories", path, accepted));
  return { permissions: kept, taken };
}

/** Whether the user accepted this entry of a list. */
export function isAccepted(key: string, item: string, { rules, directories }: Accepted): boolean {
  if (key === "permissions.allow") return rules.some((each) => isSameRule(item, each));
  return key === "permissions.additionalDirectories" && directories.includes(item);
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
