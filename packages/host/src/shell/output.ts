// Keeps what a command prints: the beginning in memory, all of it in a file once it is long, and always the end.

import { closeSync, unlinkSync, writeSync } from "node:fs";
import type { ShellOutput } from "@keelson/engine";
import type { PrivateFile } from "../files/private-file.ts";

const TAIL_CHARS = 5_000;
/** UTF-8 needs at most four bytes for what counts as one or two characters. */
const TAIL_BYTES = TAIL_CHARS * 4;
/** A file of output does not grow past this; the command goes on unrecorded. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;

export interface OutputCollector {
  push(chunk: Uint8Array): void;
  end(): ShellOutput;
}

/** `createFile` is called when the output outgrows `maxOutput`; when it throws, only beginning and end are kept. */
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
    // A full disk: half a record that claims to be whole is worse than none.
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
