// Runs the command of an MCP server that prints headers, as a command hook is run: the same environment, without
// credentials, with a time limit and limited output.

import type { HookRun } from "@keelson/protocol";
import type { HookProcesses } from "./processes.ts";

export interface HeadersHelperOptions {
  readonly cwd: string;
  /** From `hookEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const LIMIT_MS = 10_000;

export function headersHelper(processes: HookProcesses, { cwd, env, timeoutMs = LIMIT_MS }: HeadersHelperOptions) {
  return (command: string, more: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HookRun> =>
    processes.run({ type: "command", command }, "", { cwd, env: { ...env, ...more }, timeoutMs, signal });
}
