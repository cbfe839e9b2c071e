// The flags of `keelson permissions`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, modeFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson permissions` has. */
export const PERMISSIONS_OWN_FLAGS: readonly Flag[] = [
  modeFlag("Check calls as if the session were in this mode"),
  {
    name: "command",
    value: { kind: "text", label: "text" },
    group: "Permissions",
    help: "explain: a shell command instead of a call",
  },
  cwdFlag("Check calls as if started in this folder"),
  jsonFlag(),
  {
    name: "exit-code",
    value: { kind: "none" },
    group: "Output",
    help: "explain: exit with 0 (allow), 1 (ask) or 2 (deny)",
  },
];

export const PERMISSIONS_FLAGS = withShared(
  PERMISSIONS_OWN_FLAGS,
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
