// Real pipes for commands. With Bun's "pipe", a socket pair, `echo x > /dev/stderr` fails (ENXIO); with a plain file, it
// would truncate the file.

import { tmpdir } from "node:os";
import { closeSync, readSync, realpathSync, unlinkSync } from "node:fs";
import { createPrivateFile } from "../../files/private-file.ts";
import { loadLibc } from "../../programs/libc.ts";
import { randomHex } from "../../random.ts";

export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export type OpenPipe = (options?: { readonly nonBlocking?: boolean }) => Pipe;

const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;

/** Null if the C library has no `pipe2`; callers then use Bun's pipes. */
export async function loadPipes(): Promise<OpenPipe | null> {
  const libc = await loadLibc({ pipe2: { args: ["ptr", "i32"], returns: "i32" } });
  if (libc === null) return null;
  return ({ nonBlocking = false } = {}) => {
    const ends = new Int32Array(2);
    if (libc.pipe2(ends, O_CLOEXEC | (nonBlocking ? O_NONBLOCK : 0)) !== 0) {
      throw Object.assign(new Error("Cannot open a pipe: too many open files"), { code: "EMFILE" });
    }
    return { read: ends[0]!, write: ends[1]! };
  };
}

/** Where a child leaves one short line before it exits. */
export interface Notepad {
  /** Pass it to the child, then call `closeWrite`. */
  readonly write: number;
  closeWrite(): void;
  /** Reads the line without waiting, and closes the notepad. */
  take(): string;
}

const MAX_NOTE_BYTES = 16 * 1024;

export function openNotepad(openPipe: OpenPipe | null): Notepad {
  if (openPipe) {
    const { read, write } = openPipe({ nonBlocking: true });
    return { write, closeWrite: () => closeSync(write), take: () => readNote(read, null) };
  }
  const { fd, path } = createPrivateFile(realpathSync(tmpdir()), `keelson-${randomHex(12)}`);
  unlinkSync(path);
  return { write: fd, closeWrite() {}, take: () => readNote(fd, 0) };
}

function readNote(fd: number, position: number | null): string {
  const bytes = Buffer.alloc(MAX_NOTE_BYTES);
  try {
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, MAX_NOTE_BYTES, position));
  } catch {
    return ""; // EAGAIN: nothing was written, and the other end is still open
  } finally {
    closeSync(fd);
  }
}
