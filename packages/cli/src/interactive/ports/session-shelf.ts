// The sessions that can be resumed, for the picker.

import type { Snapshot } from "@keelson/config";
import type { SessionInfo } from "@keelson/store/past";
import type { ListedSession, SessionShelf } from "@keelson/tui";

export function sessionShelf({ configDir, cwd, env }: Snapshot): SessionShelf {
  const place = { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
  const store = () => import("@keelson/store/shelf");
  const known = new Map<string, SessionInfo>();
  return {
    async list(options) {
      const found = await (await store()).sessionsToResume(place, options);
      for (const session of found) known.set(session.id, session);
      return found.map(listed);
    },
    async search(words, among, signal) {
      const files = among.flatMap(({ id }) => known.get(id) ?? []);
      return (await (await store()).searchSessionTexts(words, files, signal)).map(({ id }) => id);
    },
    async preview({ id }) {
      const session = known.get(id);
      return session === undefined ? "" : (await store()).previewSession(session.path);
    },
    async rename({ id }, title) {
      const session = known.get(id);
      if (session !== undefined) (await store()).nameSession(session, title);
    },
  };
}

function listed({ id, title, firstPrompt = "", modified, size, gitBranch, cwd }: SessionInfo): ListedSession {
  const worktree = /[\\/]\.claude[\\/]worktrees[\\/]([^\\/]+)/.exec(cwd ?? "")?.[1];
  return {
    id,
    title,
    firstPrompt,
    changed: modified,
    bytes: size,
    ...(gitBranch === undefined ? {} : { branch: gitBranch }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(worktree === undefined ? {} : { worktree }),
  };
}
