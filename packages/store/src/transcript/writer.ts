// Writes a transcript file: appends whole lines in single writes and never changes existing ones. A failed write is
// reported once and retried later; the session continues.

import { closeSync, readSync, writeSync } from "node:fs";
import type { Entry, MetadataEntry } from "@keelson/protocol";
import { lineOf } from "./line.ts";
import { stickyLinesNearEnd, stickyType } from "./sticky.ts";
import { openAppend } from "./open-append.ts";
import type * as Seals from "./seals.ts";

export interface TranscriptWriter {
  /** Null if persistence is off. */
  readonly path: string | null;
  /** Writes all entries at once. False if they could not be written yet. */
  append(entries: readonly (Entry | string)[]): boolean;
  /** Proves what was written so far, and from now on everything at once. Before, the first request would wait for it. */
  seal(): void;
  close(): void;
}

export interface TranscriptOptions {
  readonly path: string;
  /** Called for the first failure only. */
  readonly onFailure?: (error: Error) => void;
  /** Titles and tags that are already in the file, to repeat like new ones. */
  readonly sticky?: readonly MetadataEntry[];
  /** The folder with the secret for proofs. Without it, nothing is proven. */
  readonly configDir?: string;
  /** There is no secret. Called at most once. */
  readonly onUnproven?: (error: Error) => void;
  /** Of a session: who writes it must own it. */
  readonly owner?: TranscriptOwner;
}

export interface TranscriptOwner {
  /** Called before the file is opened. */
  claim(path: string): void;
  /** Called when the first lines are in the file. */
  wrote(): void;
}

// Session lists read only the last 64 KiB.
const REPEAT_AFTER = 48 * 1024;
const MAX_BACKLOG = 4 * 1024 * 1024;

/** Folder and file are created with the first entry. */
export function openTranscript(options: TranscriptOptions): TranscriptWriter {
  const { path, onFailure, sticky = [], configDir, onUnproven, owner } = options;
  const repeated = new Map(sticky.map((entry) => [entry.type as string, lineOf(entry)]));
  /** Our entries that are not in the file yet, and so newer than those that are. */
  const unwritten = new Map<string, string>();
  let sinceRepeat = repeated.size > 0 ? REPEAT_AFTER : 0;
  let backlog: string[] = [];
  let file: OpenFile | undefined;
  let reported = false;
  let wrote = false;
  let unproven: Seals.WrittenEntry[] = [];
  let isSealing = false;
  let sealer: Seals.Sealer | undefined;

  /** The line that proves those that are not yet. */
  const proof = (): readonly string[] => {
    if (configDir === undefined || unproven.length === 0) return [];
    sealer ??= (require("./seals.ts") as typeof Seals).openSealer(configDir, onUnproven);
    const lines = sealer.proofOf(path, unproven);
    unproven = [];
    return lines;
  };

  const write = (lines: readonly string[]): boolean => {
    try {
      if (file === undefined) owner?.claim(path);
      const open = (file ??= openForAppend(path));
      const isTime = sinceRepeat >= REPEAT_AFTER;
      writeLines(open, isTime ? [...lines, ...toRepeat(open.fd)] : lines);
      if (!wrote) owner?.wrote();
      wrote = true;
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

  /** Another process may have renamed the session in the meantime. */
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
        if (configDir !== undefined && typeof entry !== "string") unproven.push({ entry, line });
      }
      for (const line of isSealing ? proof() : []) {
        lines.push(line);
        sinceRepeat += line.length;
      }
      const written = write(lines);
      backlog = written ? [] : newest(lines, MAX_BACKLOG);
      return written;
    },
    seal() {
      isSealing = true;
      this.append(proof());
    },
    close() {
      this.seal();
      if (backlog.length > 0) write(backlog);
      backlog = [];
      if (file !== undefined) closeSync(file.fd);
      file = undefined;
    },
  };
}

/** For sessions without persistence. */
export function nullTranscript(): TranscriptWriter {
  return { path: null, append: () => true, seal: () => {}, close: () => {} };
}

interface OpenFile {
  readonly fd: number;
  /** The last line on disk is incomplete: a write was cut off. */
  torn: boolean;
}

function openForAppend(path: string): OpenFile {
  return openAppend(path, (fd, size) => {
    const last = new Uint8Array(1);
    return { torn: size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10 };
  });
}

function writeLines(file: OpenFile, lines: readonly string[]): void {
  const text = `${file.torn ? "\n" : ""}${lines.join("\n")}\n`;
  const length = Buffer.byteLength(text);
  let done = 0;
  try {
    done = writeSync(file.fd, text);
    // The disk may accept only a part.
    while (done < length) done += writeSync(file.fd, Buffer.from(text), done, length - done);
    file.torn = false;
  } catch (error) {
    if (done > 0) file.torn = Buffer.from(text)[done - 1] !== 10;
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
