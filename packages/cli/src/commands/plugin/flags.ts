// The flags of `keelson plugin`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

const flag = (name: string, help: string, short?: string): Flag => ({
  name,
  ...(short === undefined ? {} : { short }),
  value: { kind: "none" },
  group: "Settings",
  help,
});

/** Flags that only `keelson plugin` has. */
export const PLUGIN_OWN_FLAGS: readonly Flag[] = [
  {
    name: "scope",
    short: "s",
    value: { kind: "choice", label: "scope", choices: ["user", "project", "local"] },
    group: "Settings",
    help: "user (default: you, everywhere), project (everyone here) or local (you, here)",
  },
  flag("yes", "update: do not ask about changes in what they may run", "y"),
  flag("all", "disable: disable every plugin", "a"),
  flag("available", "list: include plugins that can be installed"),
  flag("keep-data", "uninstall: keep the files that the plugin wrote"),
  flag("strict", "validate: warnings are errors"),
  flag("dry-run", "tag, prune: show what would be done, without doing it"),
  jsonFlag("list, validate, marketplace list: print JSON"),
  cwdFlag(),
];

export const PLUGIN_FLAGS = withShared(
  PLUGIN_OWN_FLAGS,
  "help",
  "settings",
  "setting-sources",
  "managed-settings",
  "plugin-dir",
);
