// The session's files: regular ones only, written by rename. Decides nothing about who may touch what.

import { closeSync, read, readdirSync, realpathSync, statSync } from "node:fs";
import { ToolError, type Files, type FileStat } from "@keelson/engine";
import { attempt, openRegular, readHead, replacedMessage } from "./regular-file.ts";
import { writeFile } from "./write-file.ts";

/** Up to here a blocking read is faster than a trip through the thread pool. */
const SMALL = 256 * 1024;
const STEP = 4 * 1024 * 1024;
/** Nothing a model can use is larger; callers set tighter limits. */
const LARGEST = 512 * 1024 * 1024;

/**
 * `judged` tells where a path led when the gate decided about it: that is opened, or nothing. Without an answer a path
 * is opened where it leads now.
 */
export function files(judged: (path: string) => string | undefined = () => undefined): Files {
  return {
    stat: async (path) => statOf(path, judged(path)),
    async read(path, { maxBytes = Infinity } = {}) {
      const { fd, stat } = openRegular(path, judged(path));
      try {
        const size = Math.min(stat.size, maxBytes);
        if (size <= SMALL) return readHead(fd, size);
        if (size > LARGEST) throw new ToolError(`'${path}' is too large to read (${stat.size} bytes).`);
        return await readLarge(fd, size);
      } finally {
        closeSync(fd);
      }
    },
    write: async (path, bytes) => writeFile(path, bytes, judged(path)),
    async names(directory) {
      try {
        return readdirSync(directory);
      } catch {
        return [];
      }
    },
  };
}

function statOf(path: string, judged: string | undefined): FileStat | null {
  const place = judged ?? path;
  const stat = attempt(path, () => {
    try {
      return statSync(place);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOENT" || code === "ENOTDIR") return null;
      throw error;
    }
  });
  if (stat === null) return null;
  const realPath = attempt(path, () => realpathSync(place));
  if (judged !== undefined && realPath !== judged) throw new ToolError(replacedMessage(path));
  return {
    kind: stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other",
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    realPath,
  };
}

async function readLarge(fd: number, size: number): Promise<Uint8Array> {
  // 1.6 ms to load, and most sessions read no file this large.
  const { promisify } = await import("node:util");
  const readAsync = promisify(read);
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readAsync(fd, bytes, filled, Math.min(STEP, size - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
