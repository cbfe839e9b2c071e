// The flags of `keelson hooks`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, modeFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson hooks` has. */
export const HOOKS_OWN_FLAGS: readonly Flag[] = [
  {
    name: "tool",
    value: { kind: "text", label: "name" },
    group: "Other",
    help: "test: the tool of the event (default: Bash)",
  },
  {
    name: "input",
    value: { kind: "text", label: "json|@file" },
    group: "Other",
    help: "test: the tool's input, or the fields of the event",
  },
  modeFlag("test: the permission mode in the hook input"),
  cwdFlag(),
  jsonFlag(),
];

export const HOOKS_FLAGS = withShared(HOOKS_OWN_FLAGS, "help", "settings", "setting-sources", "require-trust", "bare");
