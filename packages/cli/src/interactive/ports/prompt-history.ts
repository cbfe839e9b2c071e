// What was typed at earlier prompts, for the front end.

import type { Snapshot } from "@keelson/config";
import type { PromptHistory } from "@keelson/tui";
import { isVariableOn } from "@keelson/protocol";

/** `CLAUDE_CODE_SKIP_PROMPT_HISTORY`: nothing is kept. */
export function promptHistory({ configDir, cwd, env }: Snapshot, sessionId: () => string | undefined): PromptHistory {
  const store = () => import("@keelson/store/prompt-history");
  return {
    recent: async (limit) => (await store()).readTypedPrompts(configDir, { limit, project: cwd }),
    all: async (limit) => (await store()).readTypedPrompts(configDir, { limit }),
    add(line) {
      if (isVariableOn(env["CLAUDE_CODE_SKIP_PROMPT_HISTORY"])) return;
      const id = line.sessionId ?? sessionId();
      const typed = { ...line, timestamp: Date.now(), project: cwd, ...(id === undefined ? {} : { sessionId: id }) };
      // A history that cannot be written is not worth interrupting anyone.
      void store()
        .then(({ appendTypedPrompt }) => appendTypedPrompt(configDir, typed))
        .catch(() => undefined);
    },
  };
}
