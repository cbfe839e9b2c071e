// The flags of `keelson sessions`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson sessions` has. */
export const SESSIONS_OWN_FLAGS: readonly Flag[] = [
  { name: "all", value: { kind: "none" }, group: "Other", help: "Sessions of all folders, not only of this one" },
  {
    name: "limit",
    value: { kind: "integer", label: "count", least: 1 },
    group: "Other",
    help: "list: at most so many, the newest first (default: 50)",
  },
  cwdFlag("Look for sessions of this folder"),
  jsonFlag("list, show: print JSON"),
];

export const SESSIONS_FLAGS = withShared(SESSIONS_OWN_FLAGS, "help");
