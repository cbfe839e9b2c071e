// Runs the command of the `statusLine` setting: JSON on its standard input, rows on its standard output. It is started
// and ended like a hook, so nothing of it outlives the session.

import type { Snapshot } from "@keelson/config";
import { createHookProcesses, hookEnvironment, type HookProcesses } from "@keelson/host/hooks";
import { isObject, type JsonObject } from "@keelson/protocol";

const TIME_LIMIT_MS = 30_000;
const MOST_CHARACTERS = 16_384;

export interface StatusLineRun {
  readonly input: JsonObject;
  readonly size: { readonly columns: number; readonly rows: number };
  readonly signal: AbortSignal;
  readonly sessionId: string;
}

export class StatusLine {
  #processes: HookProcesses | undefined;

  /** Undefined if it failed or said nothing. */
  async run(command: string, snapshot: Snapshot, run: StatusLineRun): Promise<string | undefined> {
    const { input, size, signal, sessionId } = run;
    const { cwd, childEnv, settings } = snapshot;
    const { folderToAvoid } = await import("@keelson/config/governing"); // not part of the start
    const effort = levelIn(input);
    const env = {
      ...hookEnvironment({
        childEnv,
        sessionId,
        entrypoint: "cli",
        projectDir: cwd,
        outside: folderToAvoid(snapshot, "user"),
        ...(effort === undefined ? {} : { effort }),
      }),
      COLUMNS: String(size.columns),
      LINES: String(size.rows),
    };
    const powershell = settings.defaultShell === "powershell" ? { shell: "powershell" as const } : {};
    this.#processes ??= createHookProcesses();
    const { outcome, stdout } = await this.#processes.run(
      { type: "command", command, ...powershell },
      JSON.stringify(input),
      { cwd, env, timeoutMs: TIME_LIMIT_MS, signal },
    );
    const text = stdout.slice(0, MOST_CHARACTERS).trimEnd();
    return outcome === "success" && text !== "" ? text : undefined;
  }

  async close(): Promise<void> {
    await this.#processes?.close();
  }
}

function levelIn({ effort }: JsonObject): string | undefined {
  const level = isObject(effort) ? effort["level"] : undefined;
  return typeof level === "string" ? level : undefined;
}

/** The command that the settings name. Undefined if there is none. */
export function statusLineCommand({ settings }: Pick<Snapshot, "settings">): string | undefined {
  const value: unknown = settings.statusLine;
  const command = isObject(value) && value["type"] === "command" ? value["command"] : undefined;
  return typeof command === "string" && command.trim() !== "" ? command : undefined;
}
