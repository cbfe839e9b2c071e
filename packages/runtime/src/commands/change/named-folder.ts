// A folder as somebody types it.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import type { CommandSession } from "../command.ts";

/** Its real path. Throws if it is no folder. */
export function namedFolder(typed: string, { workspace, snapshot }: CommandSession["targets"]): string {
  const named = typed === "~" || typed.startsWith("~/") ? join(snapshot().home, typed.slice(1)) : typed;
  const path = realPathOf(resolve(workspace.cwd, named));
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`"${typed}" is not a directory`);
  return path;
}
