// A folder for temporary files that is kept in memory and that only one command sees. Tests make and remove very many
// small files, and a disk spends more time on them than the tests do.

import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const GIGABYTE = 2 ** 30;
/** What the tests may fill, and what must be left for their programs. */
const [MOST, LEFT] = [4 * GIGABYTE, 4 * GIGABYTE];

export interface MemoryFolder {
  readonly path: string;
  /** The command that runs this one with the folder in place. */
  around(command: readonly string[]): readonly string[];
  remove(): void;
}

/** Undefined where it cannot be had: it takes Linux, root and enough memory. */
export function memoryFolder(): MemoryFolder | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || freemem() < MOST + LEFT) return undefined;
  // A short name: the path of a socket below it may not have more than 107 bytes.
  const path = mkdtempSync(join(tmpdir(), "kt-"));
  const remove = () => rmdirSync(path);
  const around = (command: readonly string[]) => [...UNSHARE, "sh", "-c", MOUNT, path, ...command];
  if (works(path, around)) return { path, around, remove };
  remove();
  return undefined;
}

const UNSHARE = ["unshare", "--mount", "--propagation", "private"];
const MOUNT = `mount -t tmpfs -o size=${MOST},mode=1777 keelson-tests "$0" && exec "$@"`;

function works(path: string, around: MemoryFolder["around"]): boolean {
  const { dev } = statSync(path);
  try {
    const { success, stdout } = Bun.spawnSync([...around(["stat", "-c", "%d", path])]);
    return success && Number(stdout.toString()) !== dev;
  } catch {
    // There is no `unshare`.
    return false;
  }
}
