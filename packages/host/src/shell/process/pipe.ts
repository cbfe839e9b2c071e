// Real pipes for commands. Bun's own "pipe" is a socket pair, through which `echo x > /dev/stderr` fails (ENXIO),
// and a plain file would be emptied by it.

import { tmpdir } from "node:os";
import { closeSync, readSync, unlinkSync } from "node:fs";
import { createPrivateFile } from "../../files/private-file.ts";
import { randomHex } from "../../random.ts";

export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export type OpenPipe = (options?: { readonly nonBlocking?: boolean }) => Pipe;

const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;

/** Null where the C library offers no `pipe2`; callers then make do with Bun's. */
export async function loadPipes(): Promise<OpenPipe | null> {
  const { loadLibc } = await import("../../programs/libc.ts");
  const libc = await loadLibc({ pipe2: { args: ["ptr", "i32"], returns: "i32" } });
  if (libc === null) return null;
  return ({ nonBlocking = false } = {}) => {
    const ends = new Int32Array(2);
    if (libc.pipe2(ends, O_CLOEXEC | (nonBlocking ? O_NONBLOCK : 0)) !== 0) {
      throw new Error("No pipe could be opened: too many open files");
    }
    return { read: ends[0]!, write: ends[1]! };
  };
}

/** A place where a child leaves one short line before it exits. */
export interface Notepad {
  /** Handed to the child, then closed here with `closeWrite`. */
  readonly write: number;
  closeWrite(): void;
  /** What was left, without waiting; closes the notepad. */
  take(): string;
}

const MAX_NOTE_BYTES = 16 * 1024;

export function openNotepad(openPipe: OpenPipe | null): Notepad {
  if (openPipe) {
    const { read, write } = openPipe({ nonBlocking: true });
    return { write, closeWrite: () => closeSync(write), take: () => readNote(read, null) };
  }
  const { fd, path } = createPrivateFile(tmpdir(), `keelson-${randomHex(12)}`);
  unlinkSync(path);
  return { write: fd, closeWrite() {}, take: () => readNote(fd, 0) };
}

function readNote(fd: number, position: number | null): string {
  const bytes = Buffer.alloc(MAX_NOTE_BYTES);
  try {
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, MAX_NOTE_BYTES, position));
  } catch {
    return ""; // EAGAIN: nothing was left, and somebody still holds the other end.
  } finally {
    closeSync(fd);
  }
}
