// Files for what cannot be shown on the screen: debug logs and failures.

import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { holdOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";

/** A new name in the user's folder for logs. */
export function newLogFile({ configDir }: Pick<Snapshot, "configDir">, what: "debug" | "failure"): string {
  const folder = join(realPathOf(configDir), "debug");
  holdOwnFolder(folder, { create: 0o700 })[Symbol.dispose]();
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  return join(folder, `${what}-${time}-${process.pid}.txt`);
}
