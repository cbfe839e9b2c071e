// The flags of `keelson agents`.

import type { Flag } from "../../args/flags.ts";
import { AUTHOR_FLAGS, cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson agents` has. */
export const AGENTS_OWN_FLAGS: readonly Flag[] = [
  ...AUTHOR_FLAGS,
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
