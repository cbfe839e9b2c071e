// One command as a process: started in its own session, its output as one stream, its last words as a directory.

import { closeSync } from "node:fs";
import { ToolError } from "@keelson/engine";
import { openNotepad, type OpenPipe } from "./pipe.ts";
import { directoryFrom } from "../script.ts";

export interface RunningCommand {
  readonly pid: number;
  /** The exit code; null when a signal ended the shell. Does not wait for children left behind. */
  readonly exited: Promise<number | null>;
  readonly output: AsyncIterable<Uint8Array>;
  /** Where the shell stood when it ended; ask once, after `exited`. */
  directory(): string | null;
}

export interface StartOptions {
  readonly argv: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly openPipe: OpenPipe | null;
}

export function startCommand({ argv, cwd, env, openPipe }: StartOptions): RunningCommand {
  const notepad = openNotepad(openPipe);
  const pipe = openPipe?.();
  try {
    const child = Bun.spawn(argv, {
      cwd,
      env,
      stdio: ["ignore", pipe?.write ?? "pipe", pipe?.write ?? "ignore", notepad.write],
      detached: true,
    });
    return {
      pid: child.pid,
      exited: exitCodeOf(child),
      output: pipe ? readPipe(pipe.read) : (child.stdout as ReadableStream<Uint8Array>),
      directory: () => directoryFrom(notepad.take()),
    };
  } catch (error) {
    notepad.take();
    if (pipe) closeSync(pipe.read);
    throw new ToolError(`'${argv[0]}' could not be started: ${(error as Error).message}`);
  } finally {
    notepad.closeWrite();
    if (pipe) closeSync(pipe.write);
  }
}

export async function exitCodeOf(child: Bun.Subprocess): Promise<number | null> {
  const code = await child.exited;
  return child.signalCode === null ? code : null;
}

export async function* readPipe(fd: number): AsyncGenerator<Uint8Array> {
  try {
    yield* Bun.file(fd).stream();
  } finally {
    closeSync(fd);
  }
}
