// Whether the user approved a server of a `.mcp.json` file. The choices are in the settings and, for one folder, in the
// user's global config file, which also keeps what was approved: an entry that changed afterwards is not approved. Pure.

import { isObject, type JsonObject, type Settings } from "@keelson/protocol";
import { strings } from "../../load/rules.ts";
import { ruleName } from "../entry/names.ts";

export type Approval = "approved" | "unapproved" | "changed" | "rejected";

/** The keys under `projects[<folder>]`. The first two are those of the reference. */
export const CHOICES = {
  enabled: "enabledMcpjsonServers",
  disabled: "disabledMcpjsonServers",
  /** A digest of the entry as it was approved, by server name. */
  approvedAs: "approvedMcpServers",
} as const;

export function approvalOf(
  { name, written }: { readonly name: string; readonly written: JsonObject },
  settings: Settings,
  project: Readonly<Record<string, unknown>>,
): Approval {
  const isNamed = (list: unknown) => strings(list).some((each) => ruleName(each) === ruleName(name));
  if (isNamed(settings.disabledMcpjsonServers) || isNamed(project[CHOICES.disabled])) return "rejected";
  if (settings.enableAllProjectMcpServers === true) return "approved";
  const approvedAs = project[CHOICES.approvedAs];
  const digest = isObject(approvedAs) && Object.hasOwn(approvedAs, name) ? approvedAs[name] : undefined;
  // First: a name in the settings must not approve what the user has never seen.
  if (digest !== undefined && digest !== digestOf(written)) return "changed";
  if (settings.enabledMcpjsonServers?.includes(name)) return "approved";
  return strings(project[CHOICES.enabled]).includes(name) ? "approved" : "unapproved";
}

/** Whether the user approved exactly this entry in this folder. */
export function isApprovedAs(
  { name, written }: { readonly name: string; readonly written: JsonObject },
  project: Readonly<Record<string, unknown>>,
): boolean {
  const approvedAs = project[CHOICES.approvedAs];
  return isObject(approvedAs) && Object.hasOwn(approvedAs, name) && approvedAs[name] === digestOf(written);
}

/** The same for entries that differ only in the order of their keys. */
export function digestOf(written: JsonObject): string {
  return `sha256:${new Bun.CryptoHasher("sha256").update(JSON.stringify(withSortedKeys(written))).digest("hex")}`;
}

export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, withSortedKeys(inner)]),
  );
}
