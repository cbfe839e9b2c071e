// The prompts that the user typed, in all folders and sessions: `history.jsonl` in the config folder. Several programs
// append to it at the same time; it is read from its end, and only as far as needed.

import { closeSync, fstatSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openOwnFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { isObject, tryParse, type PastedText, type TypedPrompt } from "@keelson/protocol";
import { openAppend } from "../transcript/open-append.ts";

export const historyPath = (configDir: string): string => join(realPathOf(configDir), "history.jsonl");

/** Throws if it cannot be written. */
export function appendTypedPrompt(configDir: string, prompt: TypedPrompt): void {
  const { display, pastedContents, timestamp, project, sessionId } = prompt;
  const line = JSON.stringify({
    display,
    pastedContents,
    timestamp,
    project,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  const { fd, isTorn } = openAppend(historyPath(configDir), (file, size) => ({
    isTorn: size > 0 && byteAt(file, size - 1) !== NEWLINE,
  }));
  try {
    // One write, so that lines of two programs do not mix.
    writeSync(fd, `${isTorn ? "\n" : ""}${line}\n`);
  } finally {
    closeSync(fd);
  }
}

export interface HistoryQuery {
  readonly limit: number;
  /** Only prompts of this folder. */
  readonly project?: string;
}

/** Newest first. Lines that are no prompts are skipped. Empty if there is no file. */
export function readTypedPrompts(configDir: string, { limit, project }: HistoryQuery): TypedPrompt[] {
  const found: TypedPrompt[] = [];
  if (limit <= 0) return found;
  for (const line of linesFromEnd(historyPath(configDir))) {
    // Most lines of a long history are of other folders; parsing them would take most of the time.
    if (project !== undefined && !line.includes(JSON.stringify(project))) continue;
    const prompt = promptIn(tryParse(line));
    if (prompt && (project === undefined || prompt.project === project)) found.push(prompt);
    if (found.length >= limit) break;
  }
  return found;
}

const NEWLINE = 10;
const CHUNK = 64 * 1024;
/** No one scrolls back farther. */
const MOST_BYTES = 64 * 1024 * 1024;

function* linesFromEnd(path: string): Generator<string> {
  const fd = openHistoryFile(path);
  if (fd === undefined) return;
  try {
    let end = fstatSync(fd).size;
    const stop = Math.max(0, end - MOST_BYTES);
    /** The beginning of a line whose start is not read yet, last part first. */
    let parts: Buffer[] = [];
    while (end > stop) {
      const start = Math.max(stop, end - CHUNK);
      const bytes = Buffer.alloc(end - start);
      const chunk = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
      let to = chunk.length;
      for (let at = chunk.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1)) {
        parts.push(chunk.subarray(at + 1, to));
        yield Buffer.concat(parts.reverse()).toString("utf8");
        parts = [];
        to = at;
      }
      parts.push(chunk.subarray(0, to));
      end = start;
    }
    yield Buffer.concat(parts.reverse()).toString("utf8");
  } finally {
    closeSync(fd);
  }
}

function openHistoryFile(path: string): number | undefined {
  try {
    return openOwnFile(path);
  } catch {
    return undefined;
  }
}

function byteAt(fd: number, position: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(fd, byte, 0, 1, position) === 1 ? byte[0] : undefined;
}

function promptIn(value: unknown): TypedPrompt | undefined {
  if (!isObject(value)) return undefined;
  const { display, pastedContents, timestamp, project, sessionId } = value;
  if (typeof display !== "string" || typeof project !== "string") return undefined;
  return {
    display,
    pastedContents: pastesIn(pastedContents),
    timestamp: typeof timestamp === "number" ? timestamp : 0,
    project,
    ...(typeof sessionId === "string" ? { sessionId } : {}),
  };
}

/** Other kinds, such as pictures, are not kept here. */
export function pastesIn(value: unknown): Record<string, PastedText> {
  if (!isObject(value)) return {};
  const pastes = Object.entries(value).flatMap(([key, paste]) => {
    if (!isObject(paste) || paste["type"] !== "text" || typeof paste["content"] !== "string") return [];
    const id = typeof paste["id"] === "number" ? paste["id"] : Number(key);
    return [[key, { id, type: "text" as const, content: paste["content"] }] as const];
  });
  return Object.fromEntries(pastes);
}
