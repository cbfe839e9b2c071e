// Starts a hook process in its own session without a terminal, with the input on stdin and real pipes for output.

import { closeSync, existsSync, statSync } from "node:fs";
import { withMark, withoutNodeDebugger } from "../../shell/environment/child-env.ts";
import { exitCodeOf, readPipe } from "../../shell/process/command.ts";
import type { Groups } from "../../shell/process/groups.ts";
import { shortageFix } from "../../shortage.ts";
import type { OpenPipe } from "../../shell/process/pipe.ts";

export interface HookProcess {
  readonly pid: number;
  /** Null if a signal killed it. */
  readonly exited: Promise<number | null>;
  /** The signal that killed it. */
  signal(): string | null;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Set if it had to be started in another directory; says why. */
  readonly moved?: string;
}

/** `code` is the exit code a shell would give, if any. */
export interface StartFailure {
  readonly problem: string;
  readonly code?: number;
  /** Not the hook's fault: a reason other than a program that cannot be run. */
  readonly starved?: true;
}

export interface StartHookOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly openPipe: OpenPipe | null;
  readonly groups: Groups;
}

export function startHook(
  argv: readonly string[],
  input: string,
  options: StartHookOptions,
): HookProcess | StartFailure {
  const { cwd, env } = options;
  try {
    return spawn(argv, input, options);
  } catch (error) {
    if (existsSync(cwd)) return explainFailure(argv[0]!, error);
  }
  const project = env["CLAUDE_PROJECT_DIR"];
  const gone = `The working directory '${cwd}' no longer exists`;
  if (!project || !existsSync(project)) return { problem: `${gone}; create it again` };
  try {
    return { ...spawn(argv, input, { ...options, cwd: project }), moved: `${gone}; the hook ran in '${project}'` };
  } catch (error) {
    return explainFailure(argv[0]!, error);
  }
}

function spawn(argv: readonly string[], input: string, { cwd, env, openPipe, groups }: StartHookOptions): HookProcess {
  const pipes = openPipe ? [openPipe(), openPipe()] : [];
  const [out, err] = pipes;
  try {
    const child = groups.start((mark) =>
      Bun.spawn([...argv], {
        cwd,
        env: withMark(withoutNodeDebugger(env, argv), mark),
        // On Linux this is an in-memory file, so a hook that does not read it or closes it causes no error.
        stdin: Buffer.from(input),
        stdout: out?.write ?? "pipe",
        stderr: err?.write ?? "pipe",
        detached: true,
      }),
    );
    return {
      pid: child.pid,
      exited: exitCodeOf(child),
      signal: () => (child.signalCode === null ? null : String(child.signalCode)),
      stdout: out ? readPipe(out.read) : (child.stdout as ReadableStream<Uint8Array>),
      stderr: err ? readPipe(err.read) : (child.stderr as ReadableStream<Uint8Array>),
    };
  } catch (error) {
    for (const { read } of pipes) closeSync(read);
    throw error;
  } finally {
    for (const { write } of pipes) closeSync(write);
  }
}

function explainFailure(program: string, error: unknown): StartFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" && existsSync(program)) {
    return { problem: `The interpreter in the first line of '${program}' does not exist`, code: 127 };
  }
  if (code === "ENOENT") return { problem: `'${program}' does not exist; was the script deleted or moved?`, code: 127 };
  if (code === "EACCES" && statSync(program, { throwIfNoEntry: false })?.isDirectory()) {
    return { problem: `'${program}' is a directory; use the path of the script in it`, code: 126 };
  }
  if (code === "EACCES") return { problem: `'${program}' is not executable; run chmod +x on it`, code: 126 };
  if (code === "ENOTDIR" || code === "ELOOP" || code === "ENAMETOOLONG") {
    return { problem: `'${program}' is not the path of a program: ${message}`, code: 127 };
  }
  if (code === "ENOEXEC") {
    return { problem: `'${program}' is not a program; start it with a line such as '#!/bin/sh'`, code: 126 };
  }
  const fix = shortageFix(error);
  return { problem: `Cannot start '${program}': ${message}${fix === undefined ? "" : `; ${fix}`}`, starved: true };
}
