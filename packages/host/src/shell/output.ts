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
  end(): ShellOutput;
}

/** Calls `createFile` when the output exceeds `maxOutput`; if that throws, keeps only the start and the end. */
export function collectOutput(maxOutput: number, createFile: () => PrivateFile): OutputCollector {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  let held: Uint8Array[] = [];
  let isLong = false;
  let file: PrivateFile | null = null;
  const tail = keepTail();

  const keep = (chunk: Uint8Array) => {
    if (file && size <= MAX_FILE_BYTES) file = append(file, chunk);
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
    end() {
      if (file) closeSync(file.fd);
      if (isLong) return { text: headOf(text, maxOutput), tail: tail.text(), size, path: file?.path ?? null };
      return { text: text + decoder.decode(), tail: "", size, path: null };
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
