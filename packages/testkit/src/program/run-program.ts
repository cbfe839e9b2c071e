// Runs the real program as a child: its lines as they arrive, its stderr, how it ended. Nothing outlives the test. The
// test decides what the lines mean.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TemporaryHome } from "./home.ts";
import { lineLog, type LoggedLine } from "./line-log.ts";
import { ownGroup } from "./own-group.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly LoggedLine[];
  /** The lines that are JSON. */
  readonly messages: readonly any[];
  /** `performance.now()` at the start and at the end. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface ProgramOptions {
  readonly home: TemporaryHome;
  /** Added to the home's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The project if absent. */
  readonly cwd?: string;
  /** A text, or values to send as JSON lines, followed by the end; "open" leaves it to `send` and `closeStdin`. */
  readonly stdin?: string | readonly object[] | "open";
  /** Address of the mock model. */
  readonly url?: string;
  /** The longest the program may take; four minutes if absent, which only a program that hangs takes. */
  readonly timeoutMs?: number;
  /** What to run: a path, or a command with its first arguments. If absent, $KEELSON_BIN, else the source tree. */
  readonly program?: string | readonly string[];
  /** A command that starts the program given after it: `["nice", "-n", "5"]`. */
  readonly through?: readonly string[];
}

export interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly lines: readonly LoggedLine[];
  readonly stderr: string;
  /** How it ended. Rejects if it took too long; by then it was killed, with all its children. */
  readonly done: Promise<Ended>;
  /**
   * The first line that the predicate accepts, received already or later. Rejects if the program ended first. A line
   * that is not JSON is passed as `{}`.
   */
  waitForLine(
    accept: (json: any, line: LoggedLine) => boolean,
    options?: { readonly after?: LoggedLine },
  ): Promise<LoggedLine>;
  /** Text and bytes as they are, any other value as a JSON line. */
  send(input: string | object): void;
  closeStdin(): void;
  /** Signals the program alone, as a supervisor would. */
  kill(signal?: NodeJS.Signals): void;
}

/** Below the limit of a test (scripts/bun.mjs), so that the failure shows what the program said. */
const HANGS_AFTER_MS = 240_000;

/** Runs the program to its end. */
export async function runKeelson(args: readonly string[], options: ProgramOptions): Promise<Ended> {
  await using running = startKeelson(args, options);
  return await running.done;
}

/** Starts the program. Dispose of it: that ends its whole process group. */
export function startKeelson(args: readonly string[], options: ProgramOptions): Running {
  const { home, timeoutMs = HANGS_AFTER_MS, stdin = "" } = options;
  const [program, ...first] = [...(options.through ?? []), ...programCommand(options)];
  const command = [...first, ...args];
  const startedAt = performance.now();
  const child = spawn(program!, command, {
    cwd: options.cwd ?? home.project,
    env: environmentOf(options),
    // Its own process group, so everything it leaves running can be killed with it.
    detached: true,
    stdio: "pipe",
  });
  const group = child.pid === undefined ? undefined : ownGroup(child.pid);
  child.once("exit", () => group?.leaderEnded());
  const endGroup = () => group?.end();
  process.once("exit", endGroup);

  const log = lineLog();
  const [out, errors]: [Buffer[], Buffer[]] = [[], []];
  const stderr = () => Buffer.concat(errors).toString();
  const failure = (what: string) => new Error(describe(what, [program!, ...command], log.lines, stderr()));
  child.stdout.on("data", (chunk: Buffer) => {
    out.push(chunk);
    log.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  // A program that ends before it has read everything does not fail the test.
  child.stdin.on("error", () => {});

  const done = endOf(child, { timeoutMs, failure, endGroup }).then(({ code, signal }): Ended => {
    log.finish();
    const messages = log.lines.flatMap(({ json }) => (json === undefined ? [] : [json]));
    const stdout = Buffer.concat(out).toString();
    return {
      code,
      signal,
      stdout,
      stderr: stderr(),
      lines: log.lines,
      messages,
      startedAt,
      endedAt: performance.now(),
    };
  });
  const over = done.then(
    ({ code, signal }) => failure(`Program ended (${signal ?? code}) first`),
    (error: Error) => error,
  );

  const send = (input: string | object) =>
    void child.stdin.write(
      typeof input === "string" || input instanceof Uint8Array ? input : `${JSON.stringify(input)}\n`,
    );
  if (stdin !== "open") {
    for (const input of typeof stdin === "string" ? [stdin] : stdin) send(input);
    child.stdin.end();
  }

  return {
    pid: child.pid ?? -1,
    lines: log.lines,
    get stderr() {
      return stderr();
    },
    done,
    waitForLine(accept, { after } = {}) {
      const waiting = log.waitFor((line) => accept(line.json ?? {}, line), after, over);
      // If no one waits any longer when the program ends, the rejection is not an error.
      waiting.catch(() => {});
      return waiting;
    },
    send,
    closeStdin: () => void child.stdin.end(),
    kill: (signal = "SIGTERM") => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      endGroup();
      // A process that left the group may still hold these open.
      child.stdout.destroy();
      child.stderr.destroy();
      await over;
      process.off("exit", endGroup);
    },
  };
}

interface Ending {
  readonly timeoutMs: number;
  failure(what: string): Error;
  endGroup(): void;
}

/** How the program ended, once its output is complete. If it times out, it is killed with everything it started. */
function endOf(child: ChildProcess, { timeoutMs, failure, endGroup }: Ending) {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<Ended, "code" | "signal">>();
  const timer = setTimeout(() => {
    const exited = child.exitCode !== null || child.signalCode !== null;
    endGroup();
    const what = exited
      ? "Program ended, but something it started held its output open for"
      : "Program did not end within";
    reject(failure(`${what} ${timeoutMs} ms`));
  }, timeoutMs);
  child.once("error", (error) => reject(failure(`Program could not be started: ${error.message}`)));
  child.once("close", (code, signal) => resolve({ code, signal }));
  return promise.finally(() => clearTimeout(timer));
}

/** The command that starts the program, for a client that starts it itself. */
export function programCommand({
  program = process.env.KEELSON_BIN,
  home,
}: Pick<ProgramOptions, "program" | "home">): readonly string[] {
  if (program !== undefined && program !== "") return typeof program === "string" ? [program] : program;
  const main = fileURLToPath(new URL("../../../cli/src/bin.ts", import.meta.url));
  if (!existsSync(main)) throw new Error(`No program at "${main}": set KEELSON_BIN or pass "program"`);
  // The project's .env and bunfig.toml must not reach the program, as they cannot reach the built one.
  const config = join(home.root, "empty.toml");
  if (!existsSync(config)) writeFileSync(config, "");
  return [process.execPath, "--no-env-file", `--config=${config}`, main];
}

function environmentOf({ home, url, env }: ProgramOptions): Record<string, string> {
  const model = url === undefined ? {} : { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key" };
  const all: Record<string, string | undefined> = { ...home.env, ...model, ...env };
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function describe(what: string, command: readonly string[], lines: readonly LoggedLine[], stderr: string): string {
  const last = lines.slice(-3).map(({ text }) => (text.length > 300 ? `${text.slice(0, 300)}…` : text));
  return [
    `${what}: ${command.join(" ")}`,
    `stdout, last of ${lines.length} lines:`,
    ...last,
    "stderr, its end:",
    stderr.slice(-2000),
  ].join("\n");
}
