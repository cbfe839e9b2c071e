// The flags of `keelson hooks`: its own, and those of the program that choose settings.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, modeFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson hooks` has. */
export const OWN_FLAGS: readonly Flag[] = [
  {
    name: "tool",
    value: { kind: "text", label: "name" },
    group: "Other",
    help: "test: the tool the event is about (Bash when not given)",
  },
  {
    name: "input",
    value: { kind: "text", label: "json|@file" },
    group: "Other",
    help: "test: the tool's input, or for other events their own fields",
  },
  modeFlag("test: the permission mode hooks are told"),
  cwdFlag(),
  jsonFlag(),
];

export const HOOKS_FLAGS = withShared(OWN_FLAGS, "help", "settings", "setting-sources", "require-trust", "bare");
