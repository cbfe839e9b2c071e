// The program as a child: messages in and out, in a process group of its own.

import { isObject, LineSplitter, toLine, tryParse } from "@keelson/protocol";
import { isGroupAlive, killGroup } from "./processes.ts";

export interface ChildOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The child waits until it resolves. */
  onMessage(message: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | number | null;
  /** The last of its standard error. */
  readonly stderr: string;
}

export interface ChildProgram {
  readonly pid: number;
  /** Once everything that it printed was handled. */
  readonly ended: Promise<ProgramEnd>;
  send(message: object): void;
  /** No more input: it ends with the run. */
  closeInput(): void;
  /** It closes the session, and is killed if that takes too long. */
  stop(): Promise<void>;
  /** At once. What its commands started is ended by the watcher that each program has. */
  kill(): void;
}

/** A signal closes the session within five seconds. */
const STOP_MS = 8_000;
const MOST_STDERR = 8_000;
/** A message is shorter than 1 MB; a transcript entry may be an image. */
const MOST_LINE = 64 * 1024 * 1024;

export function startProgramChild({ command, cwd, env, onMessage }: ChildOptions): ChildProgram {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  let stderr = "";
  const errors = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr)
      stderr = (stderr + decoder.decode(chunk, { stream: true })).slice(-MOST_STDERR);
  })();
  const output = (async () => {
    const lines = new LineSplitter({ maxBytes: MOST_LINE });
    for await (const chunk of child.stdout) {
      for (const line of lines.push(chunk)) {
        const message = tryParse(line);
        if (isObject(message)) await onMessage(message);
      }
    }
  })();
  let isOver = false;
  const kill = () => {
    if (!isOver) killGroup(child.pid);
  };
  // A line that is too long, or a message that cannot be handled: nothing of it can be believed any more.
  output.catch(kill);
  const ended = (async (): Promise<ProgramEnd> => {
    await child.exited;
    // What it left behind in its group may hold the pipes.
    if (isGroupAlive(child.pid)) kill();
    isOver = true;
    await Promise.race([Promise.allSettled([output, errors]), Bun.sleep(STOP_MS)]);
    return { code: child.exitCode, signal: child.signalCode, stderr };
  })();
  const quietly = (act: () => unknown) => {
    try {
      void Promise.resolve(act()).catch(() => undefined);
    } catch {
      // It has ended.
    }
  };
  return {
    pid: child.pid,
    ended,
    send: (message) =>
      quietly(() => {
        child.stdin.write(toLine(message));
        return child.stdin.flush();
      }),
    closeInput: () => quietly(() => child.stdin.end()),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, STOP_MS);
      await ended;
      clearTimeout(timer);
    },
    kill,
  };
}
