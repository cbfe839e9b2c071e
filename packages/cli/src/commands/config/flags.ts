// The flags of `keelson config` and `keelson doctor`.

import type { Flag } from "../../args/flags.ts";
import { jsonFlag, withShared } from "../group-flags.ts";

const SHARED = [
  "help",
  "settings",
  "setting-sources",
  "managed-settings",
  "project-config-root",
  "require-trust",
  "safe-mode",
];

/** Flags that only `keelson config` has. */
export const CONFIG_OWN_FLAGS: readonly Flag[] = [
  {
    name: "scope",
    value: { kind: "choice", label: "scope", choices: ["user", "project", "local"] },
    group: "Settings",
    help: "set: which file to write: user (default), project or local",
  },
  jsonFlag("list, get, path: print JSON"),
];

export const CONFIG_FLAGS = withShared(CONFIG_OWN_FLAGS, ...SHARED);

export const DOCTOR_FLAGS = withShared([jsonFlag()], ...SHARED);
