// File access for a session: opens only regular files and replaces them by rename. Decides no permissions.

import { closeSync, read, readdirSync, realpathSync, statSync } from "node:fs";
import { ToolError, type Files, type FileStat } from "@keelson/engine";
import { withToolErrors, openRegularFile, readBytes, replacedMessage } from "./regular-file.ts";

/** Up to this size, a blocking read is faster than the thread pool. */
const SMALL_BYTES = 256 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;
/** No model can use more; callers set lower limits. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * `checkedPath` returns the real path that the gate checked: only that file is opened. If it returns undefined, links
 * are followed as they are now.
 */
export function createFiles(checkedPath: (path: string) => string | undefined = () => undefined): Files {
  return {
    stat: async (path) => statOf(path, checkedPath(path)),
    async read(path, { maxBytes = Infinity } = {}) {
      const { fd, stat } = openRegularFile(path, checkedPath(path));
      try {
        const size = Math.min(stat.size, maxBytes);
        if (size <= SMALL_BYTES) return readBytes(fd, size);
        if (size > MAX_BYTES) throw new ToolError(`'${path}' is too large to read (${stat.size} bytes).`);
        return await readLarge(fd, size);
      } finally {
        closeSync(fd);
      }
    },
    readSmall(path) {
      try {
        const { fd, stat, realPath } = openRegularFile(path, checkedPath(path));
        const { size, mtimeMs } = stat;
        try {
          if (size > SMALL_BYTES) return undefined;
          return { stat: { kind: "file", size, mtimeMs, realPath }, bytes: readBytes(fd, size) };
        } finally {
          closeSync(fd);
        }
      } catch {
        return undefined;
      }
    },
    async write(path, bytes) {
      const checked = checkedPath(path);
      const { writeFile } = await import("./write-file.ts");
      writeFile(path, bytes, checked);
    },
    async names(directory) {
      try {
        return readdirSync(directory);
      } catch {
        return [];
      }
    },
  };
}

function statOf(path: string, checkedPath: string | undefined): FileStat | null {
  const target = checkedPath ?? path;
  const stat = withToolErrors(path, () => {
    try {
      return statSync(target);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOENT" || code === "ENOTDIR") return null;
      throw error;
    }
  });
  if (stat === null) return null;
  const resolveTarget = () => withToolErrors(path, () => realpathSync(target));
  let realPath = checkedPath === undefined ? undefined : resolveTarget();
  if (realPath !== checkedPath) throw new ToolError(replacedMessage(path));
  return {
    kind: stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other",
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    // Before a call is judged, most tools ask only whether this is a file.
    get realPath() {
      return (realPath ??= resolveTarget());
    },
  };
}

async function readLarge(fd: number, size: number): Promise<Uint8Array> {
  // 1.6 ms, and most sessions read no file this large.
  const { promisify } = await import("node:util");
  const readAsync = promisify(read);
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readAsync(fd, bytes, filled, Math.min(CHUNK_BYTES, size - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
