// The program inside a test's own process, so that coverage sees which of its functions ran.

import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import type { SpawnedProcess, SpawnOptions } from "@keelson/sdk";
import { main, type ProcessIO } from "@keelson/cli";
import type { TemporaryHome } from "@keelson/testkit";

interface Program {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: AsyncIterable<Uint8Array>;
  write?(text: string): void;
}

/** Resolves with the exit code. What the program reports as an error is thrown. */
export async function runInProcess(home: TemporaryHome, { argv, env, stdin, write }: Program): Promise<number> {
  const errors: string[] = [];
  const io: ProcessIO = {
    cwd: home.project,
    home: home.home,
    env,
    platform: process.platform,
    terminal: { stdin: false, stdout: false },
    openSession: async (options) => (await import("@keelson/runtime")).openSession(options),
    stdin: () => stdin ?? empty(),
    write: (text) => write?.(text),
    error: (text) => void errors.push(text),
    append: () => undefined,
    wait: (ms, signal) =>
      new Promise((resolve) => (signal.addEventListener("abort", () => resolve()), setTimeout(resolve, ms))),
    onSignal: () => () => undefined,
    exit: () => undefined,
  };
  const code = await main(argv, io);
  if (code !== 0) throw new Error(`The program ended with ${code}: ${errors.join("\n")}`);
  return code;
}

async function* empty(): AsyncGenerator<Uint8Array> {}

/** For the SDK: a process that is none. */
export function spawnInProcess(home: TemporaryHome): (options: SpawnOptions) => SpawnedProcess {
  return ({ args, env }) => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const events = new EventEmitter();
    let exitCode: number | null = null;
    const end = (code: number) => {
      exitCode = code;
      stdout.end();
      events.emit("exit", code, null);
    };
    runInProcess(home, {
      argv: args,
      env,
      stdin: Readable.from(stdin) as AsyncIterable<Uint8Array>,
      write: (text) => void stdout.write(text),
    }).then(end, (error: Error) => {
      events.emit("error", error);
      end(1);
    });
    return {
      stdin,
      stdout,
      stderr: null,
      killed: false,
      get exitCode() {
        return exitCode;
      },
      kill: () => (stdin.end(), true),
      on: (event: string, listener: (...args: any[]) => void) => void events.on(event, listener),
      once: (event: string, listener: (...args: any[]) => void) => void events.once(event, listener),
      off: (event: string, listener: (...args: any[]) => void) => void events.off(event, listener),
    };
  };
}
