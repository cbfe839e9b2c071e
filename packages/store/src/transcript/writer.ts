// The one writer of a transcript file. Appends whole lines, one write each, and never changes what is there.
// A disk that refuses is reported once; the work goes on, and what could not be written is tried again.

import { closeSync, readSync, writeSync } from "node:fs";
import type { Entry, MetadataEntry } from "@keelson/protocol";
import { lineOf } from "./line.ts";
import { stickyLinesNearEnd, stickyType } from "./sticky.ts";
import { openAppend } from "./open-append.ts";

export interface TranscriptWriter {
  /** Null when persistence is off. */
  readonly path: string | null;
  /** Writes all entries in one go. False when they could not be written (yet). */
  append(entries: readonly (Entry | string)[]): boolean;
  close(): void;
}

export interface TranscriptOptions {
  readonly path: string;
  /** Told of the first failure only. */
  readonly onFailure?: (error: Error) => void;
  /** Titles and tags already in the file, to be repeated like the ones that pass through. */
  readonly sticky?: readonly MetadataEntry[];
}

// Listers look at the last 64 KiB only.
const REPEAT_AFTER = 48 * 1024;
const MAX_BACKLOG = 4 * 1024 * 1024;

/** Opens nothing yet: folder and file appear with the first entry. */
export function openTranscript({ path, onFailure, sticky = [] }: TranscriptOptions): TranscriptWriter {
  const repeated = new Map(sticky.map((entry) => [entry.type as string, lineOf(entry)]));
  /** Said by us and not in the file yet: newer than what is there. */
  const unwritten = new Map<string, string>();
  let sinceRepeat = repeated.size > 0 ? REPEAT_AFTER : 0;
  let backlog: string[] = [];
  let file: OpenFile | undefined;
  let reported = false;

  const write = (lines: readonly string[]): boolean => {
    try {
      file ??= openForAppend(path);
      const isTime = sinceRepeat >= REPEAT_AFTER;
      writeLines(file, isTime ? [...lines, ...toRepeat(file.fd)] : lines);
      for (const [type, line] of unwritten) repeated.set(type, line);
      unwritten.clear();
      if (isTime) sinceRepeat = 0;
      return true;
    } catch (error) {
      if (!reported) onFailure?.(error instanceof Error ? error : new Error(String(error)));
      reported = true;
      return false;
    }
  };

  /** Another process may have given the session another name since we wrote or read ours. */
  const toRepeat = (fd: number): Iterable<string> => {
    for (const [type, line] of stickyLinesNearEnd(fd)) repeated.set(type, line);
    return new Map([...repeated, ...unwritten]).values();
  };

  return {
    path,
    append(entries) {
      if (entries.length === 0) return true;
      const lines = [...backlog];
      for (const entry of entries) {
        const line = typeof entry === "string" ? oneLine(entry) : lineOf(entry);
        lines.push(line);
        sinceRepeat += Buffer.byteLength(line);
        const type = stickyType(entry);
        if (type !== undefined) unwritten.set(type, line);
      }
      const written = write(lines);
      backlog = written ? [] : newest(lines, MAX_BACKLOG);
      return written;
    },
    close() {
      if (backlog.length > 0) write(backlog);
      backlog = [];
      if (file !== undefined) closeSync(file.fd);
      file = undefined;
    },
  };
}

/** Keeps nothing. */
export function nullTranscript(): TranscriptWriter {
  return { path: null, append: () => true, close: () => {} };
}

interface OpenFile {
  readonly fd: number;
  /** The last line on disk has no end: somebody, perhaps we, was cut off in the middle of it. */
  torn: boolean;
}

function openForAppend(path: string): OpenFile {
  return openAppend("Transcript", path, (fd, size) => {
    const last = Buffer.alloc(1);
    return { torn: size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10 };
  });
}

function writeLines(file: OpenFile, lines: readonly string[]): void {
  const bytes = Buffer.from(`${file.torn ? "\n" : ""}${lines.join("\n")}\n`);
  let done = 0;
  try {
    // The loop runs once; a second round means the disk took only a part.
    while (done < bytes.length) done += writeSync(file.fd, bytes, done, bytes.length - done);
    file.torn = false;
  } catch (error) {
    if (done > 0) file.torn = bytes[done - 1] !== 10;
    throw error;
  }
}

const oneLine = (text: string) => text.replace(/[\r\n]+/g, " ").trimEnd();

function newest(lines: readonly string[], limit: number): string[] {
  let room = limit;
  let from = lines.length;
  while (from > 0 && (room -= lines[from - 1]!.length) >= 0) from--;
  return lines.slice(from);
}
