// The sessions on disk joined with those that are open in this process.

import type { ListedSession } from "@keelson/protocol";

interface OpenHere {
  readonly id: string;
  readonly cwd: string;
  readonly openedMs: number;
  readonly title: string | undefined;
}

/** Newest first. One without a transcript is as new as it was opened. */
export function withOpenSessions(
  stored: readonly ListedSession[],
  open: readonly OpenHere[],
  asked: string | undefined,
): readonly ListedSession[] {
  const ids = new Set(open.map(({ id }) => id));
  const known = stored.map((session) => (ids.has(session.sessionId) ? { ...session, live: true } : session));
  const written = new Set(stored.map(({ sessionId }) => sessionId));
  const unwritten = open.flatMap(({ id, cwd, openedMs, title = "" }) =>
    written.has(id) || id === asked
      ? []
      : { sessionId: id, summary: title, lastModified: openedMs, fileSize: 0, cwd, live: true },
  );
  return [...unwritten, ...known].toSorted((a, b) => b.lastModified - a.lastModified);
}
