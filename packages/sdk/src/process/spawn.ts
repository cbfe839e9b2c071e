// Starts the program. The types follow node:child_process, so a ChildProcess is a SpawnedProcess.

import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface SpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
  /** Aborts when the program must be terminated. */
  signal: AbortSignal;
}

export interface SpawnedProcess {
  stdin: Writable;
  stdout: Readable;
  stderr?: Readable | null;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
}

export function spawnProgram({ command, args, cwd, env }: SpawnOptions): SpawnedProcess {
  return spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    env: env as NodeJS.ProcessEnv,
    ...(cwd === undefined ? {} : { cwd }),
  });
}
