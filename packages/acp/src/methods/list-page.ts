// Sessions page by page. A cursor names the last session of a page, so one that came in between changes nothing.

import type { JsonObject, ListedSession } from "@keelson/protocol";
import { wrongParams } from "../rpc/rpc-error.ts";

const PAGE = 50;

/** Newest first. Throws an RpcError for a cursor that is not ours. */
export function listPage(sessions: readonly ListedSession[], cursor: string | undefined): JsonObject {
  const shown = sessions.filter(({ cwd }) => cwd !== undefined);
  const start = cursor === undefined ? 0 : startAfter(shown, cursor);
  const page = shown.slice(start, start + PAGE);
  const last = page.at(-1);
  return {
    sessions: page.map(({ sessionId, cwd = "", summary, lastModified }) => ({
      sessionId,
      cwd,
      ...(summary === "" ? {} : { title: summary }),
      updatedAt: new Date(lastModified).toISOString(),
    })),
    ...(last && start + PAGE < shown.length ? { nextCursor: `${last.lastModified}.${last.sessionId}` } : {}),
  };
}

/** The session may be gone, or be newer by now: then its time says where the page ended. */
function startAfter(sessions: readonly ListedSession[], cursor: string): number {
  const [, time, id] = /^(\d{1,15}(?:\.\d+)?)\.([0-9a-f-]{36})$/i.exec(cursor) ?? [];
  if (time === undefined || id === undefined) throw wrongParams('"cursor" is not one that was given out');
  const at = sessions.findIndex(({ sessionId, lastModified }) => sessionId === id && lastModified === Number(time));
  if (at >= 0) return at + 1;
  const older = sessions.findIndex(({ lastModified }) => lastModified < Number(time));
  return older < 0 ? sessions.length : older;
}
