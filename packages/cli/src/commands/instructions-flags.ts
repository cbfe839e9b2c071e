// The flags of `keelson instructions`: its own, and those of the program that choose what is loaded.

import { FLAGS, type Flag } from "../flags.ts";

/** Flags that only `keelson instructions` has. */
export const OWN_FLAGS: readonly Flag[] = [
  {
    name: "for",
    value: { kind: "text", label: "file" },
    group: "Other",
    help: "list: also what touching this file would bring in",
  },
  {
    name: "revoke",
    value: { kind: "none" },
    group: "Other",
    help: "approve: take the approval back",
  },
  {
    name: "cwd",
    value: { kind: "text", label: "directory" },
    group: "Settings",
    help: "As if started in this directory",
  },
  { name: "json", value: { kind: "none" }, group: "Output", help: "list: print JSON" },
];

const SHARED = new Set(["help", "add-dir", "bare", "settings", "setting-sources", "require-trust"]);

export const INSTRUCTIONS_FLAGS: readonly Flag[] = [...OWN_FLAGS, ...FLAGS.filter(({ name }) => SHARED.has(name))];
