// One server program in its own process group: a writable stdin, its output, and the end of its stderr.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { withMark, withoutJavaDebugger, withoutNodeDebugger } from "../shell/environment/child-env.ts";
import type { Groups } from "../shell/process/groups.ts";
import { keepTail } from "./tail.ts";

export interface ServerProgram {
  readonly pid: number;
  /** Resolves when the program has room for more. Rejects if it does not read any more. */
  write(text: string): Promise<void>;
  readonly output: AsyncIterable<Uint8Array>;
  /** Resolves when the program has exited, with a sentence about how. */
  readonly exited: Promise<string>;
  /** The end of what it wrote to stderr, at most 64 KiB. */
  stderr(): string;
  /** Closes stdin and waits a moment for the program to exit. */
  askToEnd(): Promise<void>;
  /** Asks, then sends TERM, then KILL, to the program and all its children. Resolves when they are gone. */
  end(): Promise<void>;
}

export interface StartProgramOptions {
  readonly command: string;
  readonly argv: readonly string[];
  readonly isWrapper: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly groups: Groups;
}

const MAX_STDERR_BYTES = 64 * 1024;
const ASK_MS = 300;

export function startServerProgram(options: StartProgramOptions): ServerProgram {
  const { groups } = options;
  const child = spawn(options);
  const exited = child.exited.then((code) => {
    groups.leaderEnded(child.pid);
    return child.signalCode === null
      ? `The program exited with code ${code}`
      : `The program was ended by ${child.signalCode}`;
  });
  const stderr = keepTail(child.stderr, MAX_STDERR_BYTES);
  let ending: Promise<void> | undefined;

  async function askToEnd(): Promise<void> {
    await Promise.race([closeInput(child.stdin), Bun.sleep(ASK_MS)]);
    await Promise.race([exited, Bun.sleep(ASK_MS)]);
  }

  return {
    pid: child.pid,
    async write(text) {
      if (ending || child.exitCode !== null || child.signalCode !== null) throw new Error("The program has ended");
      await child.stdin.write(text);
      await child.stdin.flush();
    },
    output: child.stdout,
    exited,
    stderr: () => stderr.text(),
    askToEnd,
    end: () =>
      (ending ??= (async () => {
        await askToEnd();
        await groups.end(child.pid);
      })()),
  };
}

function spawn({ command, argv, isWrapper, cwd, env, groups }: StartProgramOptions) {
  try {
    const start = (mark: string) =>
      Bun.spawn([...argv], {
        cwd,
        env: withMark(withoutJavaDebugger(withoutNodeDebugger(env, argv)), mark),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
        detached: true,
      });
    return groups.start(start, { isWrapper });
  } catch (error) {
    throw new Error(explain(command, cwd, error as NodeJS.ErrnoException));
  }
}

function explain(command: string, cwd: string, { code, message }: NodeJS.ErrnoException): string {
  if (!existsSync(cwd)) return `The working directory "${cwd}" no longer exists`;
  const path = resolve(cwd, command);
  if (code === "ENOENT" && command.includes("/") && existsSync(path)) {
    return `The interpreter in the first line of "${command}" does not exist`;
  }
  if (code === "ENOENT") return programNotFound(command);
  if (code === "EACCES" && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return `"${command}" is a directory; correct the server's command`;
  }
  if (code === "EACCES") return `"${command}" is not executable; run chmod +x on it`;
  if (code === "ENOEXEC") return `"${command}" is not a program; start it with a line such as "#!/bin/sh"`;
  return `Cannot start "${command}": ${message}`;
}

export function programNotFound(command: string): string {
  const fix = /\S\s+\S/.test(command) ? `Put the arguments into "args"` : "Install it, or correct the server's command";
  return `Program not found: "${command}". ${fix}`;
}

async function closeInput(stdin: Bun.FileSink): Promise<void> {
  try {
    await stdin.end();
  } catch {
    // It was closed already, or the program is gone.
  }
}
