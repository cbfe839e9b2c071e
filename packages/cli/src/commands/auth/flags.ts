// The flags of `keelson auth`.

import type { Flag } from "../../args/flags.ts";
import { jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson auth` has. */
export const AUTH_OWN_FLAGS: readonly Flag[] = [jsonFlag("status: print JSON")];

export const AUTH_FLAGS = withShared(AUTH_OWN_FLAGS, "help", "settings", "setting-sources");
