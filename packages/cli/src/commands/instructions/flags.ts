// The flags of `keelson instructions`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson instructions` has. */
export const INSTRUCTIONS_OWN_FLAGS: readonly Flag[] = [
  {
    name: "for",
    value: { kind: "text", label: "file" },
    group: "Other",
    help: "list: include the files that are read along with this file",
  },
  {
    name: "revoke",
    value: { kind: "none" },
    group: "Other",
    help: "approve: withdraw the approval",
  },
  cwdFlag(),
  jsonFlag("list: print JSON"),
];

export const INSTRUCTIONS_FLAGS = withShared(
  INSTRUCTIONS_OWN_FLAGS,
  "help",
  "add-dir",
  "bare",
  "settings",
  "setting-sources",
  "require-trust",
);
