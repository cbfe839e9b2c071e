import type { Snapshot } from "@keelson/config";
import type { PromptHistory } from "@keelson/tui";

export function promptHistory(_snapshot: Snapshot, _sessionId: () => string | undefined): PromptHistory {
  return { recent: async () => [], all: async () => [], add: () => undefined };
}
