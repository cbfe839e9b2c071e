// The sessions that can be resumed, for the picker.

import type { Snapshot } from "@keelson/config";
import type { ListedSession, SessionShelf } from "@keelson/tui";

export function sessionShelf({ configDir, cwd, env }: Snapshot): SessionShelf {
  return {
    async list() {
      const [{ projectDir }, { listStoredSessions }] = await Promise.all([
        import("@keelson/store"),
        import("@keelson/store/past"),
      ]);
      const dir = projectDir({ configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] });
      return listStoredSessions(dir).map((info): ListedSession => ({
        id: info.id,
        title: info.title,
        firstPrompt: info.firstPrompt ?? "",
        changed: info.modified,
        bytes: info.size,
        ...(info.gitBranch === undefined ? {} : { branch: info.gitBranch }),
        ...(info.cwd === undefined ? {} : { cwd: info.cwd }),
      }));
    },
    search: async () => [],
    preview: async () => "",
    rename: async () => undefined,
  };
}
