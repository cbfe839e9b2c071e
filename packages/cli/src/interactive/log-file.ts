// Files for what cannot be shown on the screen: debug logs and failures.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";

/** A new name in the user's folder for logs. */
export function newLogFile({ configDir }: Pick<Snapshot, "configDir">, what: "debug" | "failure"): string {
  const folder = join(configDir, "debug");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  return join(folder, `${what}-${time}-${process.pid}.txt`);
}
