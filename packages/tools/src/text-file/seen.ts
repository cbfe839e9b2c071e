// Read before write: a file may be changed only as the model last saw it. Changes made by the session's own
// commands count as seen. Which tool asks, and what it writes, is not known here.

import { ToolError, type FileStat, type Sighting, type ToolContext } from "@keelson/engine";

/** Larger files are neither read nor edited; commands do that better. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

const UNREAD = "File has not been read yet. Read it first before writing to it.";
const STALE =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

/** The bytes of an existing file that the model may now replace. Throws when it has not seen them. */
export async function readIfSeen(path: string, stat: FileStat, { files, seen }: ToolContext): Promise<Uint8Array> {
  const sighting = seen.get(stat.realPath);
  if (!sighting || stat.kind !== "file") throw new ToolError(UNREAD);
  const isOwn = stat.mtimeMs !== sighting.mtimeMs && seen.wasOwnCommand(stat.mtimeMs);
  if (stat.size !== sighting.size && !isOwn) throw new ToolError(STALE);
  if (stat.size > MAX_FILE_BYTES) {
    throw new ToolError("The file has grown past 50 MB. Change it with a command such as sed instead.");
  }
  const bytes = await files.read(path);
  // By content, not by time alone: a touched or restored file is still the one that was seen.
  if (hashOf(bytes) !== sighting.hash && !isOwn) throw new ToolError(STALE);
  return bytes;
}

/** Writes, and notes that the model knows what is there now. */
export async function writeAndRecord(path: string, bytes: Uint8Array, { files, seen }: ToolContext): Promise<void> {
  await files.write(path, bytes);
  const stat = await files.stat(path);
  if (stat) seen.set(stat.realPath, makeSighting(bytes, stat, "write"));
}

export function makeSighting(
  bytes: Uint8Array,
  stat: FileStat,
  by: Sighting["by"],
  range?: Sighting["range"],
): Sighting {
  return { mtimeMs: stat.mtimeMs, size: bytes.length, hash: hashOf(bytes), by, ...(range ? { range } : {}) };
}

// Not cryptographic: it tells a changed file from a touched one, and costs microseconds.
export const hashOf = (bytes: Uint8Array) => Bun.hash(bytes).toString(36);
