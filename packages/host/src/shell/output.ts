// Collects the output of a command: the start in memory, long output in a file, and always the end.

import { closeSync, unlinkSync, writeSync } from "node:fs";
import type { ShellOutput } from "@keelson/engine";
import type { PrivateFile } from "../files/private-file.ts";

const TAIL_CHARS = 5_000;
/** UTF-8 needs at most four bytes per character. */
const TAIL_BYTES = TAIL_CHARS * 4;
/** Beyond this, the command keeps running but its output is not saved. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;

export interface OutputCollector {
  push(chunk: Uint8Array): void;
  /**
   * From now on all output goes to a file, with what came before. Returns its path: that of the file for long output, if
   * there is one. Null if no file can be written.
   */
  moveToFile(createFile: () => PrivateFile, limit: FileLimit): string | null;
  /** `last` returns what is added at the end of the file. */
  end(last?: (printed: ShellOutput) => string): ShellOutput;
}

export interface FileLimit {
  readonly maxBytes: number;
  /** Added where the file ends when there is more. */
  readonly note: string;
  full(): void;
}

/** Calls `createFile` when the output exceeds `maxOutput`; if that throws, keeps only the start and the end. */
export function collectOutput(maxOutput: number, createFile: () => PrivateFile): OutputCollector {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  let held: Uint8Array[] = [];
  let isLong = false;
  let file: PrivateFile | null = null;
  let limit: FileLimit = { maxBytes: MAX_FILE_BYTES, note: "", full() {} };
  let isFull = false;
  const tail = keepTail();

  const keep = (chunk: Uint8Array) => {
    if (!file || isFull) return;
    if (size <= limit.maxBytes) return void (file = append(file, chunk));
    isFull = true;
    file = append(file, Buffer.from(limit.note));
    limit.full();
  };

  return {
    push(chunk) {
      size += chunk.length;
      tail.push(chunk);
      if (isLong) return keep(chunk);
      held.push(chunk);
      text += decoder.decode(chunk, { stream: true });
      if (text.length <= maxOutput) return;
      isLong = true;
      file = tryCreate(createFile);
      for (const earlier of held) keep(earlier);
      held = [];
    },
    moveToFile(create, next) {
      const created = file ?? tryCreate(create);
      if (!created) return null;
      limit = next;
      if (file) return file.path;
      file = created;
      if (isLong) keep(Buffer.from(`${text}\n[some output is missing here]\n`));
      isLong = true;
      for (const earlier of held) keep(earlier);
      held = [];
      return created.path;
    },
    end(last) {
      const path = file?.path ?? null;
      const printed: ShellOutput = isLong
        ? { text: headOf(text, maxOutput), tail: tail.text(), size, path }
        : { text: text + decoder.decode(), tail: "", size, path };
      const more = last?.(printed) ?? "";
      if (file && more !== "") file = append(file, Buffer.from(more));
      if (file) closeSync(file.fd);
      return printed;
    },
  };
}

function append(file: PrivateFile, chunk: Uint8Array): PrivateFile | null {
  try {
    for (let done = 0; done < chunk.length;) done += writeSync(file.fd, chunk, done, chunk.length - done);
    return file;
  } catch {
    // The disk is full. An incomplete file that looks complete is worse than none.
    closeSync(file.fd);
    unlinkSync(file.path);
    return null;
  }
}

function tryCreate(createFile: () => PrivateFile): PrivateFile | null {
  try {
    return createFile();
  } catch {
    return null;
  }
}

function keepTail() {
  let chunks: Uint8Array[] = [];
  let held = 0;
  return {
    push(chunk: Uint8Array) {
      const end = chunk.length > TAIL_BYTES ? chunk.slice(-TAIL_BYTES) : chunk;
      chunks.push(end);
      held += end.length;
      if (held < TAIL_BYTES * 4) return;
      chunks = [Buffer.concat(chunks).subarray(-TAIL_BYTES)];
      held = TAIL_BYTES;
    },
    text() {
      const bytes = Buffer.concat(chunks).subarray(-TAIL_BYTES);
      const text = new TextDecoder().decode(bytes).slice(-TAIL_CHARS);
      return /^[\uDC00-\uDFFF\uFFFD]/.test(text) ? text.slice(1) : text;
    },
  };
}

function headOf(text: string, limit: number): string {
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1));
  return text.slice(0, isSplit ? limit - 1 : limit);
}
