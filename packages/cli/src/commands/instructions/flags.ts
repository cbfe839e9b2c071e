// The flags of `keelson instructions`: its own, and those of the program that choose what is loaded.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

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
  cwdFlag(),
  jsonFlag("list: print JSON"),
];

export const INSTRUCTIONS_FLAGS = withShared(
  OWN_FLAGS,
  "help",
  "add-dir",
  "bare",
  "settings",
  "setting-sources",
  "require-trust",
);
