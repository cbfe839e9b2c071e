// Where a command writes a document: standard output, or a file that no link leads to. A document that fails halfway
// leaves no file behind.

import { closeSync, constants, lstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../args/invocation.ts";
import type { ProcessIO } from "../../process/process-io.ts";
import { visible } from "../permissions/words.ts";

export interface OutputChoice {
  /** Undefined or `-`: standard output. */
  readonly file: string | undefined;
  readonly force: boolean;
}

/** Returns the path of the file, if it wrote one. Throws UsageError if it may not. */
export async function writeDocument(
  pieces: Iterable<string>,
  { file, force }: OutputChoice,
  io: ProcessIO,
): Promise<string | undefined> {
  if (file === undefined || file === "-") {
    for (const piece of gathered(pieces)) await io.write(piece);
    return undefined;
  }
  const path = resolve(io.cwd, file);
  const isThere = checkTarget(path, force);
  // An existing file is replaced as a whole, once the document is complete.
  const target = isThere ? `${path}.${crypto.randomUUID()}.tmp` : path;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = opened(target, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0));
  try {
    try {
      for (const piece of gathered(pieces)) writeWhole(fd, Buffer.from(piece));
    } finally {
      closeSync(fd);
    }
    if (isThere) renameSync(target, path);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
  return path;
}

/** Whether there is a file to replace. */
function checkTarget(path: string, force: boolean): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const shown = visible(path);
  if (stat.isSymbolicLink()) throw new UsageError(`"${shown}" is a link; name the file that it leads to`);
  if (!stat.isFile()) throw new UsageError(`"${shown}" is not a regular file; choose another name`);
  if (!force) throw new UsageError(`"${shown}" already exists; choose another name, or use --force to replace it`);
  return true;
}

function opened(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "; its folder does not exist" : ` (${code})`;
    throw new UsageError(`cannot write "${visible(path)}"${why}`);
  }
}

function writeWhole(fd: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done);
}

const ENOUGH = 64 * 1024;

/** Small pieces together: a write each would be slow. */
function* gathered(pieces: Iterable<string>): Generator<string> {
  let held: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < ENOUGH) continue;
    yield held.join("");
    held = [];
    size = 0;
  }
  if (size > 0) yield held.join("");
}
