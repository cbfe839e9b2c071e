// Folders inside the working directories that got settings or servers while commands ran: nobody was asked about these, so they
// only restrict. Looked for once, when a session ends.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "../load/snapshot.ts";
import { isSince } from "./belief.ts";
import { presentContent } from "./present.ts";
import { readTrustRecord, writeTrustRecord } from "./record.ts";
import { trustFix } from "./trust.ts";

/** A session must not end late because its folder is large. What is deeper is asked about if a folder around it is trusted. */
const MOST_FOLDERS = 2_000;
const MOST_MS = 5;
/** However long they take: a busy machine must not hide what is near. */
const LEAST_FOLDERS = 200;
const LEFT_OUT = new Set([".git", ".claude", "node_modules", ".venv", "venv", "site-packages", "target"]);

/** Returns one sentence for each folder. `since`: when the session began. */
export function holdNested(
  directories: readonly string[],
  since: number,
  { configDir, home, origin: { uid } }: Snapshot,
): readonly string[] {
  const until = performance.now() + MOST_MS;
  const open = directories.map((folder) => ({ folder, isRoot: true }));
  const notes: string[] = [];
  const isInTime = (at: number) => at < LEAST_FOLDERS || (at < MOST_FOLDERS && performance.now() < until);
  for (let at = 0; at < open.length && isInTime(at); at++) {
    const { folder, isRoot } = open[at]!;
    const entries = entriesOf(folder);
    for (const entry of entries)
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name))
        open.push({ folder: join(folder, entry.name), isRoot: false });
    if (isRoot || !entries.some(({ name }) => name === ".claude" || name === ".mcp.json")) continue;
    if (readTrustRecord(configDir, folder) !== "none") continue;
    const granting = Object.keys(presentContent({ folder, home, uid }));
    const changed = granting.filter((name) => isSince(join(folder, name), since));
    if (changed.length === 0) continue;
    writeTrustRecord(configDir, folder, {});
    const names = changed.join(", ");
    notes.push(
      `${folder} got ${names} in this session: sessions there use only what restricts; to accept it, ${trustFix(folder)}`,
    );
  }
  return notes;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
