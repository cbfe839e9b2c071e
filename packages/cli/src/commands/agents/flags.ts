// The flags of `keelson agents`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson agents` has. */
export const AGENTS_OWN_FLAGS: readonly Flag[] = [
  { name: "strict", value: { kind: "none" }, group: "Other", help: "validate: warnings are errors" },
  { name: "user", value: { kind: "none" }, group: "Other", help: "new: for you, in all folders" },
  { name: "project", value: { kind: "none" }, group: "Other", help: "new: for everyone in this folder (default)" },
  cwdFlag(),
  jsonFlag("list, show, validate, runs: print JSON"),
];

export const AGENTS_FLAGS = withShared(
  AGENTS_OWN_FLAGS,
  "help",
  "agents",
  "bare",
  "settings",
  "setting-sources",
  "managed-settings",
  "project-config-root",
  "require-trust",
);
