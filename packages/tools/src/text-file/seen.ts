// Read before write: a file may be changed only if it is as the model last saw it. Changes by the session's own
// commands are allowed. Knows nothing about the tools that use it.

import { ToolError, type FileStat, type Sighting, type ToolContext } from "@keelson/engine";

/** Larger files cannot be read or edited; use commands for those. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

// Programs that count failed edits know the first words of these two (docs/compatibility.md).
const UNREAD = "File has not been read yet. Read it, then repeat the call.";
export const STALE =
  "File has been modified since read, by the user or a program. Read it again, then repeat the call if it still makes sense.";

export interface SeenFile {
  readonly bytes: Uint8Array;
  /** It is not as the model last saw it. */
  readonly hasChanged: boolean;
}

/** Reads an existing file. Throws if the model has not read it, or if it has changed since. */
export async function readIfSeen(path: string, stat: FileStat, context: ToolContext): Promise<Uint8Array> {
  const { bytes, hasChanged } = await readSeen(path, stat, context);
  if (hasChanged) throw new ToolError(STALE);
  return bytes;
}

/** Reads an existing file. Throws if the model has not read it. */
export async function readSeen(path: string, stat: FileStat, { files, seen }: ToolContext): Promise<SeenFile> {
  if (stat.kind !== "file") {
    throw new ToolError(`'${path}' is ${stat.kind === "directory" ? "a folder, not a file" : "not a regular file"}`);
  }
  const sighting = seen.get(stat.realPath);
  if (!sighting) throw new ToolError(UNREAD);
  const isOwn = stat.mtimeMs !== sighting.mtimeMs && seen.wasOwnCommand(stat.mtimeMs);
  if (stat.size > MAX_FILE_BYTES) {
    throw new ToolError("The file is now larger than 50 MB. Change it with a command such as sed instead.");
  }
  const bytes = await files.read(path);
  // Compare content, not just times: a file that was only touched or restored has not changed.
  return { bytes, hasChanged: hashOf(bytes) !== sighting.hash && !isOwn };
}

/** Writes the file and records that the model knows its content. */
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

// Not cryptographic: it only tells a changed file from a touched one, and takes microseconds.
export const hashOf = (bytes: Uint8Array) => Bun.hash(bytes).toString(36);
