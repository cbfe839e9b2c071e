// What editors were shown of a session and its conversation does not have, in a file beside its transcript.

import { dirname } from "node:path";
import { isKeptShow, type KeptShowsFile } from "@keelson/acp";
import { editorLogPath, openEditorLog, readEditorLog } from "@keelson/store/editor-log";
import { findSession } from "@keelson/store/past";
import type { SessionLocation } from "@keelson/store";

export interface KeptOptions {
  readonly place: SessionLocation;
  /** It changes when the conversation is cleared. */
  sessionId(): string;
  warn(text: string): void;
}

/** A session that is not stored keeps nothing. */
export function keptShows({ place, sessionId, warn }: KeptOptions): KeptShowsFile {
  const path = () => {
    const found = findSession(place, sessionId());
    return found.kind === "found" ? editorLogPath(dirname(found.path), found.id) : undefined;
  };
  /** Of one session: a failure is reported once. */
  let current: { readonly id: string; readonly log: ReturnType<typeof openEditorLog> } | undefined;
  const logOf = (id: string) => {
    if (current?.id === id) return current.log;
    const file = path();
    if (file === undefined) return undefined;
    const log = openEditorLog(file, ({ message }) => warn(`What the editor is shown cannot be kept: ${message}`));
    current = { id, log };
    return log;
  };
  return {
    add(show) {
      const log = logOf(sessionId());
      log?.add(show);
      // It opens the file again: such shows are rare, and an editor may have many sessions.
      log?.close();
    },
    *read() {
      const file = path();
      if (file === undefined) return;
      for (const value of readEditorLog(file)) if (isKeptShow(value)) yield value;
    },
  };
}
