// Whether someone seems to work in a session that has no known owner, by its transcript alone.

import { closeSync, fstatSync, readSync } from "node:fs";
import { isObject, tryParse } from "@keelson/protocol";
import { openOwnFile } from "@keelson/disk/own-files";

/** Nothing that works is silent for longer. */
export const FRESH_MS = 60_000;
const TAIL = 256 * 1024;

/**
 * Until when it seems so, unless more is written: a minute after the last entry. Undefined if there is a `result` after the last
 * answer, or a `stop_reason` in it.
 */
export function inProgressUntil(path: string): number | undefined {
  let last: number | undefined;
  for (const line of readTail(path).split("\n").toReversed()) {
    const entry = line === "" ? undefined : tryParse(line);
    if (!isObject(entry)) continue;
    const time = typeof entry["timestamp"] === "string" ? Date.parse(entry["timestamp"]) : Number.NaN;
    if (!Number.isNaN(time)) last ??= time;
    if (entry["type"] === "result") return undefined;
    if (entry["type"] !== "assistant" || entry["isSidechain"] === true) continue;
    const { message } = entry;
    const isOver = !isObject(message) || message["stop_reason"] != null;
    return last === undefined || isOver ? undefined : last + FRESH_MS;
  }
  // A prompt that has no answer yet.
  return last === undefined ? undefined : last + FRESH_MS;
}

function readTail(path: string): string {
  let fd: number | undefined;
  try {
    fd = openOwnFile(path);
    const { size } = fstatSync(fd);
    const bytes = Buffer.allocUnsafe(Math.min(size, TAIL));
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, Math.max(0, size - TAIL)));
  } catch {
    return "";
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
