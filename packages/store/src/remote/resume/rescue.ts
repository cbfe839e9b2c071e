// Saves entries that a store did not accept among the user's own sessions, before the temporary folder of a resumed
// session is removed. `importSessionToStore` finds them there when the store works again.

import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isObject, type Entry } from "@keelson/protocol";
import { openTranscript, projectsDir } from "../../index.ts";
import { readEntries, replaceOwnFile } from "../../past.ts";
import { sidecarOf } from "../transcript-file.ts";

/** Returns the path where the transcript was saved. */
export function rescue(path: string, { from, to }: { from: string; to: string }): string {
  const saved = join(projectsDir(to), relative(projectsDir(from), path));
  if (existsSync(saved)) appendMissing(path, saved);
  else replaceOwnFile(saved, readFileSync(path), { create: 0o700 });
  if (existsSync(sidecarOf(path))) replaceOwnFile(sidecarOf(saved), readFileSync(sidecarOf(path)));
  return saved;
}

function appendMissing(path: string, saved: string): void {
  const known = new Set<unknown>();
  for (const entry of readEntries(saved)) known.add(uuidOf(entry));
  const missing: Entry[] = [];
  // Of entries without a uuid, the newest of each type replaces the earlier ones.
  const newest = new Map<string, Entry>();
  for (const entry of readEntries(path)) {
    const uuid = uuidOf(entry);
    if (uuid === undefined) newest.set(entry.type, entry);
    else if (!known.has(uuid)) missing.push(entry);
  }
  const writer = openTranscript({ path: saved, onFailure: rethrow });
  try {
    writer.append([...missing, ...newest.values()]);
  } finally {
    writer.close();
  }
}

const uuidOf = (entry: unknown) => (isObject(entry) && typeof entry["uuid"] === "string" ? entry["uuid"] : undefined);

function rethrow(error: Error): never {
  throw error;
}
