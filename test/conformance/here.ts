// The program inside the test's own process: a hundredth of what a process of its own costs, so that long tables can be
// run for every kind of agent. Everything it has of the outside is handed to it, as in `cli/src/process/this-process.ts`.

import { toLine, type Inbound, type SessionClient } from "@keelson/protocol";
import { SessionDirectory, type OpenedSession, type SessionsHere } from "@keelson/runtime";
import { programCommand, type Ended, type ProgramOptions, type Running } from "@keelson/testkit";
import { join } from "node:path";
import { main } from "../../packages/cli/src/main.ts";
import type { ProcessIO } from "../../packages/cli/src/process/process-io.ts";
import { lineLog } from "../../packages/testkit/src/program/line-log.ts";
import { prompt, STREAM } from "../sessions/front-door.ts";
import { startElsewhere } from "./elsewhere.ts";
import { heldSession, sessionWith } from "./second.ts";
import { throughLink } from "./terminal-link.ts";

/** What `startKeelson` does, as far as a client on the other end of its streams can tell. */
export type Program = Pick<Running, "lines" | "send" | "closeStdin" | "waitForLine" | "done">;

type HereOptions = Pick<ProgramOptions, "home" | "url" | "env" | "stdin">;
/** `second`: what is seen and sent is that of a client which attaches second; the first one has the streams and is silent. */
type Kind = "alone" | "second" | "terminal";

export const startHere = (args: readonly string[], options: HereOptions): Program => start(args, options, "alone");
export const startSecond = (args: readonly string[], options: HereOptions): Program => start(args, options, "second");
/** The streams are those of the terminal's link to the session. */
export const startLinked = (args: readonly string[], options: HereOptions): Program => start(args, options, "terminal");

function start(args: readonly string[], { home, url, env = {}, stdin }: HereOptions, kind: Kind): Program {
  const isSecond = kind === "second";
  const startedAt = performance.now();
  const log = lineLog();
  const errors: string[] = [];
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
  const writer = input.writable.getWriter();
  const closeStdin = () => void writer.close().catch(() => undefined);
  if (stdin !== "open") closeStdin();
  let stdout = "";
  const show = (text: string) => {
    stdout += text;
    log.push(Buffer.from(text));
  };
  const second = Promise.withResolvers<SessionClient>();
  const io = ioHere({
    project: home.project,
    env: {
      ...home.env,
      ...(url === undefined ? {} : { ANTHROPIC_BASE_URL: url }),
      ANTHROPIC_API_KEY: "test-key",
      ...env,
    },
    stdin: input.readable,
    write: (text) => void (isSecond || show(text)),
    error: (text) => void errors.push(`${text}\n`),
    sessions: sessionsHere((session) => {
      if (kind === "terminal") return sessionWith(session, (how) => throughLink(session, how));
      if (!isSecond) return session;
      return heldSession(session, async (client) => {
        second.resolve(client);
        for await (const message of client.messages) show(toLine(message));
      });
    }),
  });
  const done = main(args, io).then((code): Ended => {
    log.finish();
    const messages = log.lines.flatMap(({ json }) => (json === undefined ? [] : [json]));
    const stderr = errors.join("");
    return { code, signal: null, stdout, stderr, lines: log.lines, messages, startedAt, endedAt: performance.now() };
  });
  const over = done.then(
    ({ stderr }) => new Error(`The program ended first\n${stderr}`),
    (error: Error) => error,
  );
  return {
    lines: log.lines,
    done,
    send(sent) {
      if (isSecond) return void second.promise.then((client) => client.send(sent as Inbound));
      void writer.write(Buffer.from(typeof sent === "string" ? sent : `${JSON.stringify(sent)}\n`));
    },
    closeStdin,
    waitForLine: (accept, { after } = {}) => log.waitFor((line) => accept(line.json ?? {}, line), after, over),
  };
}

/** The program in a process of its own, for a client in this one. The prompt of the command line is said by the client. */
export function startOwned(args: readonly string[], { home, url, env = {}, stdin }: HereOptions): Program {
  const startedAt = performance.now();
  const log = lineLog();
  let stdout = "";
  const isOpen = stdin === "open";
  const command = [...programCommand({ home }), "-p", ...STREAM, "--input-format", "stream-json"];
  const given = args.slice(1 + STREAM.length + (isOpen ? TALKS.length : 1));
  const id = given.includes("--session-id") ? [] : ["--session-id", crypto.randomUUID()];
  const elsewhere = startElsewhere(
    {
      command: [...command, ...given, ...id],
      cwd: home.project,
      env: present({ ...home.env, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key", ...env }),
    },
    {
      view: { hookEvents: given.includes("--include-hook-events") },
      answers: { permissions: isOpen, requests: true },
    },
    (message) => {
      const text = toLine(message);
      stdout += text;
      log.push(Buffer.from(text));
      if (!isOpen) elsewhere.endInput();
    },
  );
  if (!isOpen) elsewhere.send(prompt(args[1 + STREAM.length]!));
  const done = elsewhere.ended.then((how): Ended => {
    log.finish();
    const messages = log.lines.flatMap(({ json }) => (json === undefined ? [] : [json]));
    return { ...how, stdout, lines: log.lines, messages, startedAt, endedAt: performance.now() };
  });
  const over = done.then(
    ({ stderr }) => new Error(`The program ended first\n${stderr}`),
    (error: Error) => error,
  );
  return {
    lines: log.lines,
    done,
    send: (sent) => elsewhere.send(sent as object),
    closeStdin: elsewhere.endInput,
    waitForLine: (accept, { after } = {}) => log.waitFor((line) => accept(line.json ?? {}, line), after, over),
  };
}

/** Flags of a program that a person talks to. */
export const TALKS: readonly string[] = ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"];

const present = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** A directory whose sessions a front end gets through `pass`. */
export function sessionsHere(pass: (session: OpenedSession) => OpenedSession): () => Promise<SessionsHere> {
  const directory = new SessionDirectory();
  return async () => ({
    open: async (wanted) => pass(await directory.open(wanted)),
    find: (id) => directory.find(id),
    all: () => directory.all(),
    watch: (listener) => directory.watch(listener),
    joinElsewhere: (...asked) => directory.joinElsewhere(...asked),
    list: (...asked) => directory.list(...asked),
    messages: (...asked) => directory.messages(...asked),
    close: (reason) => directory.close(reason),
  });
}

interface Outside extends Pick<ProcessIO, "write" | "error" | "sessions"> {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: ReadableStream<Uint8Array>;
  onSignal?(signal: string, listener: () => void): void;
}

/** What a program in this process has of the outside. */
export function ioHere({ project, env, stdin, onSignal, ...ways }: Outside): ProcessIO {
  const { HOME: home = project, TMPDIR = join(home, "tmp") } = env;
  return {
    cwd: project,
    home,
    env: { CLAUDE_CODE_TMPDIR: TMPDIR, ...env },
    platform: process.platform,
    ...(process.getuid === undefined ? {} : { uid: process.getuid() }),
    managedDir: join(home, "..", "managed"),
    terminal: { stdin: false, stdout: false },
    stdin: () => stdin as unknown as AsyncIterable<Uint8Array>,
    append: () => undefined,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
      }),
    onSignal(signal, listener) {
      onSignal?.(signal, listener);
      return () => undefined;
    },
    exit: () => undefined,
    ...ways,
  };
}
