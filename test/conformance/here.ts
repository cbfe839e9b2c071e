// The program inside the test's own process: a hundredth of what a process of its own costs, so that long tables can be
// run for every kind of agent. Everything it has of the outside is handed to it, as in `cli/src/process/this-process.ts`.

import { SessionDirectory } from "@keelson/runtime";
import type { Ended, ProgramOptions, Running } from "@keelson/testkit";
import { join } from "node:path";
import { main } from "../../packages/cli/src/main.ts";
import type { ProcessIO } from "../../packages/cli/src/process/process-io.ts";
import { lineLog } from "../../packages/testkit/src/program/line-log.ts";

/** What `startKeelson` does, as far as a client on the other end of its streams can tell. */
export type Program = Pick<Running, "lines" | "send" | "closeStdin" | "waitForLine" | "done">;

export function startHere(
  args: readonly string[],
  { home, url, env = {}, stdin }: Pick<ProgramOptions, "home" | "url" | "env" | "stdin">,
): Program {
  const startedAt = performance.now();
  const log = lineLog();
  const errors: string[] = [];
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
  const writer = input.writable.getWriter();
  const closeStdin = () => void writer.close().catch(() => undefined);
  if (stdin !== "open") closeStdin();
  let stdout = "";
  const io: ProcessIO = {
    cwd: home.project,
    home: home.home,
    env: {
      ...home.env,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "test-key",
      CLAUDE_CODE_TMPDIR: join(home.root, "tmp"),
      ...env,
    },
    platform: process.platform,
    ...(process.getuid === undefined ? {} : { uid: process.getuid() }),
    managedDir: join(home.root, "managed"),
    terminal: { stdin: false, stdout: false },
    sessions: async () => new SessionDirectory(),
    stdin: () => input.readable as unknown as AsyncIterable<Uint8Array>,
    write(text) {
      stdout += text;
      log.push(Buffer.from(text));
    },
    error: (text) => void errors.push(`${text}\n`),
    append: () => undefined,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
      }),
    onSignal: () => () => undefined,
    exit: () => undefined,
  };
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
    send: (sent) => void writer.write(Buffer.from(typeof sent === "string" ? sent : `${JSON.stringify(sent)}\n`)),
    closeStdin,
    waitForLine: (accept, { after } = {}) => log.waitFor((line) => accept(line.json ?? {}, line), after, over),
  };
}
