// The flags of `keelson permissions`: its own, and those of the program that choose settings.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, modeFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson permissions` has. */
export const OWN_FLAGS: readonly Flag[] = [
  modeFlag("Judge as if the session were in this mode"),
  {
    name: "command",
    value: { kind: "text", label: "text" },
    group: "Permissions",
    help: "explain: a shell command, as it stands",
  },
  cwdFlag("Judge as if started in this directory"),
  jsonFlag(),
  {
    name: "exit-code",
    value: { kind: "none" },
    group: "Output",
    help: "explain: exit with 0 for allow, 1 for ask, 2 for deny",
  },
];

export const PERMISSIONS_FLAGS = withShared(
  OWN_FLAGS,
  "help",
  "allowedTools",
  "disallowedTools",
  "permission-mode",
  "dangerously-skip-permissions",
  "add-dir",
  "settings",
  "setting-sources",
  "require-trust",
);
