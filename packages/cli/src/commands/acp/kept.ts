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
  return {
    add(show) {
      const file = path();
      if (file === undefined) return;
      const log = openEditorLog(file, ({ message }) => warn(`What the editor is shown cannot be kept: ${message}`));
      log.add(show);
      log.close();
    },
    *read() {
      const file = path();
      if (file === undefined) return;
      for (const value of readEditorLog(file)) if (isKeptShow(value)) yield value;
    },
  };
}
