// The flags of `keelson skills`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson skills` has. */
export const SKILLS_OWN_FLAGS: readonly Flag[] = [
  {
    name: "for",
    value: { kind: "text", label: "file" },
    group: "Other",
    help: "list, show: include the skills that apply when this file is used",
  },
  { name: "strict", value: { kind: "none" }, group: "Other", help: "validate: warnings are errors" },
  { name: "user", value: { kind: "none" }, group: "Other", help: "new: for you, in all folders" },
  { name: "project", value: { kind: "none" }, group: "Other", help: "new: for everyone in this folder (default)" },
  cwdFlag(),
  jsonFlag("list, show, validate: print JSON"),
];

export const SKILLS_FLAGS = withShared(
  SKILLS_OWN_FLAGS,
  "help",
  "add-dir",
  "bare",
  "settings",
  "setting-sources",
  "managed-settings",
  "project-config-root",
  "require-trust",
);
