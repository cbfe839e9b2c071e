// What editors were shown of a session and its conversation does not have, one line each. It has no content that the
// transcripts of the session and its agents do not have, but for replies that broke off.

import { join } from "node:path";
import { ownFileSize } from "@keelson/disk/own-files";
import { openAppendLog, type AppendLog, type AppendLogOptions } from "./append-log.ts";
import { sessionDir } from "./paths.ts";
import { byteLines } from "./read/lines.ts";
import { parseLine } from "./read/parse-line.ts";

const MAX_BYTES = 16 * 1024 * 1024;

export const editorLogPath = (dir: string, sessionId: string) => join(sessionDir(dir, sessionId), "editor.jsonl");

export const openEditorLog = (path: string, onFailure: AppendLogOptions["onFailure"]): AppendLog =>
  openAppendLog(path, { maxBytes: MAX_BYTES, onFailure });

/** In the order they were written. Skips what is damaged. */
export function* readEditorLog(path: string): Generator<object> {
  if ((ownFileSize(path) ?? 0) === 0) return;
  for (const { bytes } of byteLines(path, { until: MAX_BYTES })) {
    const value = parseLine(bytes);
    if (value) yield value;
  }
}
