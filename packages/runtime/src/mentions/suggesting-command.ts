// The command of the `fileSuggestion` setting: the words typed so far as JSON on its standard input, one path in each line
// of its standard output. It is started and ended like a hook.

import type { Snapshot } from "@keelson/config";
import { folderToAvoid } from "@keelson/config/governing";
import { createHookProcesses, hookEnvironment } from "@keelson/host/hooks";
import { isObject } from "@keelson/protocol";

/** Someone waits for it while typing. */
const LIMIT_MS = 5_000;

export interface SuggestingCommand {
  readonly snapshot: Snapshot;
  readonly sessionId: string;
  readonly query: string;
  readonly signal: AbortSignal;
}

/** Undefined if there is no such command, or it failed. */
export async function suggestedPaths(asked: SuggestingCommand): Promise<readonly string[] | undefined> {
  const { snapshot, sessionId, query, signal } = asked;
  const { cwd, childEnv } = snapshot;
  const command = commandIn(snapshot);
  if (command === undefined) return undefined;
  const processes = createHookProcesses();
  try {
    const { outcome, stdout } = await processes.run({ type: "command", command }, JSON.stringify({ query }), {
      cwd,
      env: hookEnvironment({
        childEnv,
        sessionId,
        entrypoint: "cli",
        projectDir: cwd,
        outside: folderToAvoid(snapshot, "user"),
      }),
      timeoutMs: LIMIT_MS,
      signal,
    });
    if (outcome !== "success") return undefined;
    return stdout
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  } finally {
    await processes.close();
  }
}

function commandIn({ settings }: Pick<Snapshot, "settings">): string | undefined {
  const value: unknown = settings.fileSuggestion;
  const command = isObject(value) && value["type"] === "command" ? value["command"] : undefined;
  return typeof command === "string" && command.trim() !== "" ? command : undefined;
}
