// The flags of `keelson models`.

import type { Flag } from "../../args/flags.ts";
import { jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson models` has. */
export const MODELS_OWN_FLAGS: readonly Flag[] = [jsonFlag()];

export const MODELS_FLAGS = withShared(MODELS_OWN_FLAGS, "help", "settings", "setting-sources");
