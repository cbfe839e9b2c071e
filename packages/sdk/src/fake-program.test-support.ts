// A program controlled by the test: it records what the SDK writes and sends what the test tells it to.

import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { SpawnedProcess, SpawnOptions } from "./process/spawn.ts";

export interface FakeProgram {
  /** For `spawnClaudeCodeProcess`. */
  readonly spawn: (options: SpawnOptions) => SpawnedProcess;
  /** How it was started; undefined before. */
  readonly started: SpawnOptions | undefined;
  /** Every line it received. */
  readonly heard: readonly any[];
  readonly signals: readonly string[];
  readonly stdout: PassThrough;
  /** The first matching line, received already or later. */
  hears(fits: (line: any) => boolean): Promise<any>;
  /** The next control request of this kind that was not taken yet. */
  request(subtype: string): Promise<{ request_id: string; request: any }>;
  readonly inputEnded: Promise<void>;
  say(...messages: object[]): void;
  answer(requestId: string, response?: unknown, more?: object): void;
  refuse(requestId: string, error: string, error_code?: string): void;
  ask(requestId: string, request: object): void;
  complain(text: string): void;
  exit(code: number | null, signal?: NodeJS.Signals): void;
}

export function fakeProgram(options: { obeys?: readonly string[] } = {}): FakeProgram {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const events = new EventEmitter();
  const heard: any[] = [];
  const taken = new Set<any>();
  const signals: string[] = [];
  const listeners = new Set<() => void>();
  let started: SpawnOptions | undefined;
  let exitCode: number | null = null;
  let rest = "";

  stdin.on("data", (chunk) => {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop()!;
    heard.push(...lines.map((line) => JSON.parse(line)));
    for (const listener of [...listeners]) listener();
  });
  const inputEnded = new Promise<void>((resolve) => stdin.once("end", resolve));

  const hears: FakeProgram["hears"] = (fits) =>
    new Promise((resolve) => {
      const look = () => {
        const found = heard.find(fits);
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });
  const say: FakeProgram["say"] = (...messages) => {
    stdout.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  };
  const exit: FakeProgram["exit"] = (code, signal) => {
    exitCode = code;
    stdout.end();
    events.emit("exit", code, signal ?? null);
  };
  const process = Object.assign(events, {
    stdin,
    stdout,
    stderr,
    killed: false,
    exitCode,
    kill(signal: NodeJS.Signals) {
      signals.push(signal);
      if (options.obeys?.includes(signal)) exit(null, signal);
      return true;
    },
  }) as unknown as SpawnedProcess;

  return {
    spawn(given) {
      started = given;
      return process;
    },
    get started() {
      return started;
    },
    heard,
    signals,
    stdout,
    hears,
    async request(subtype) {
      const isIt = (line: any) => line.request?.subtype === subtype && !taken.has(line);
      const found = await hears(isIt);
      taken.add(found);
      return found;
    },
    inputEnded,
    say,
    answer: (request_id, response, more) =>
      say({ type: "control_response", response: { subtype: "success", request_id, response, ...more } }),
    refuse: (request_id, error, error_code) =>
      say({ type: "control_response", response: { subtype: "error", request_id, error, error_code } }),
    ask: (request_id, request) => say({ type: "control_request", request_id, request }),
    complain: (text) => void stderr.write(text),
    exit,
  };
}

/** The message at the end of a run. */
export const result = (text: string, more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: text,
  session_id: "s",
  ...more,
});

/** Everything an iterable yields. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
