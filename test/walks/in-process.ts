// The program inside the process of a test, so that record-order.ts sees which of its functions ran.

import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import type { SpawnedProcess, SpawnOptions } from "@keelson/sdk";
import { main, type ProcessIO } from "@keelson/cli";
import { load } from "@keelson/config";
import type { TemporaryHome } from "@keelson/testkit";
import { runTerminal } from "@keelson/tui";
import { createHost } from "../../packages/cli/src/interactive/host.ts";
import type { TerminalPort } from "../../packages/cli/src/interactive/terminal/port.ts";
import { loadOptions } from "../../packages/cli/src/process/process-io.ts";

interface Program {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: AsyncIterable<Uint8Array>;
  write?(text: string): void;
}

/** Resolves with the exit code. What the program reports as an error is thrown. */
export async function runInProcess(home: TemporaryHome, program: Program): Promise<number> {
  const errors: string[] = [];
  const code = await main(program.argv, fakeIO(home, program, errors));
  if (code !== 0) throw new Error(`The program ended with ${code}: ${errors.join("\n")}`);
  return code;
}

function fakeIO(home: TemporaryHome, { env, stdin, write }: Omit<Program, "argv">, errors: string[]): ProcessIO {
  return {
    cwd: home.project,
    home: home.home,
    env,
    platform: process.platform,
    terminal: { stdin: false, stdout: false },
    sessions: async () => new (await import("@keelson/runtime")).SessionDirectory(),
    stdin: () => stdin ?? empty(),
    write: (text) => write?.(text),
    error: (text) => void errors.push(text),
    append: () => undefined,
    wait: (ms, signal) =>
      new Promise((resolve) => (signal.addEventListener("abort", () => resolve()), setTimeout(resolve, ms))),
    onSignal: () => () => undefined,
    exit: () => undefined,
  };
}

/** A terminal that only keeps what is written to it. */
export interface KeptTerminal {
  type(keys: string): void;
  /** Resolves once this was written. */
  shown(text: string): Promise<void>;
}

/** The terminal front end on a terminal that is none. Resolves when the user has left. */
export async function runAtKeptTerminal(
  home: TemporaryHome,
  env: Program["env"],
  use: (terminal: KeptTerminal) => Promise<void>,
): Promise<void> {
  const listeners = new Set<(chunk: Uint8Array) => void>();
  let written = "";
  let wake = () => {};
  const none = () => () => undefined;
  const port: TerminalPort = {
    columns: 80,
    rows: 24,
    write(text) {
      written += text;
      wake();
    },
    onInput(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onResize: none,
    onGone: none,
    setRaw: () => undefined,
    stop: async () => undefined,
    lend: (borrow) => borrow("inherit"),
    restore: () => undefined,
    close: async () => undefined,
  };
  const io = fakeIO(home, { env }, []);
  const host = createHost({
    io,
    port,
    snapshot: load(loadOptions(io, {})),
    invocation: { flags: {}, session: { kind: "new", persist: true }, screenReader: false },
    first: { kind: "new" },
    screenReader: false,
    defaults: {},
    notices: [],
    end: new AbortController().signal,
    opened: () => undefined,
  });
  const left = runTerminal(host);
  await use({
    type: (keys) => listeners.forEach((listener) => listener(new TextEncoder().encode(keys))),
    async shown(text) {
      while (!Bun.stripANSI(written).includes(text)) await new Promise<void>((resolve) => (wake = resolve));
    },
  });
  await left;
  await host.close("interrupt");
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
