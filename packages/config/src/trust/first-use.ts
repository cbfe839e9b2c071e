// A folder that was trusted before there were records, or by a compatible program: what it has when a session first uses it is
// what the user trusted.

import { existsSync } from "node:fs";
import type { Snapshot } from "../load/snapshot.ts";
import type * as Present from "./present.ts";
import { recordFile } from "./trust.ts";

/** Call when a session begins, before any command runs. */
export function recordFirstUse({ trustBasis: basis, configDir, home, origin: { uid } }: Snapshot): void {
  if (basis === undefined || basis.inherited || existsSync(recordFile(configDir, basis.folder))) return;
  (require("./present.ts") as typeof Present).recordTrust({ folder: basis.folder, home, uid, configDir });
}
