// A file of lines beside a transcript, written while the session runs: a crash loses at most the line in progress. A failed
// write is reported once and does not disturb the session.

import { closeSync, readSync, writeSync } from "node:fs";
import { openAppend } from "./transcript/open-append.ts";

export interface AppendLog {
  add(value: object): void;
  close(): void;
}

export interface AppendLogOptions {
  readonly maxBytes: number;
  /** Called once. */
  onFailure(error: Error): void;
}

/** Folder and file are created with the first line. */
export function openAppendLog(path: string, { maxBytes, onFailure }: AppendLogOptions): AppendLog {
  let file: { readonly fd: number; size: number } | undefined;
  let stopped = false;
  const write = (line: string) => {
    file ??= openAppend(path, (fd, size) => ({ size: size + sealed(fd, size) }));
    const bytes = Buffer.from(line);
    if (file.size + bytes.length > maxBytes) throw new Error(`it is limited to ${maxBytes} bytes`);
    if (writeSync(file.fd, bytes) < bytes.length) throw new Error("the disk accepted only a part of a line");
    file.size += bytes.length;
  };
  return {
    add(value) {
      if (stopped) return;
      try {
        write(`${JSON.stringify(value)}\n`);
      } catch (error) {
        stopped = true;
        onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    },
    close() {
      if (file !== undefined) closeSync(file.fd);
      file = undefined;
    },
  };
}

/** Ends a line that a crash left incomplete. Returns the number of bytes written. */
function sealed(fd: number, size: number): number {
  const last = Buffer.alloc(1);
  if (size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 10) return 0;
  return writeSync(fd, "\n");
}
