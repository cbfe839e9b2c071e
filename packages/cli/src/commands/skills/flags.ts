// The flags of `keelson skills`.

import type { Flag } from "../../args/flags.ts";
import { AUTHOR_FLAGS, cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson skills` has. */
export const SKILLS_OWN_FLAGS: readonly Flag[] = [
  {
    name: "for",
    value: { kind: "text", label: "file" },
    group: "Other",
    help: "list, show: include the skills that apply when this file is used",
  },
  ...AUTHOR_FLAGS,
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
