// Starts one command in its own session, with its output as one stream, and reads the directory it ends in.

import { closeSync } from "node:fs";
import { ToolError } from "@keelson/engine";
import { withMark } from "../environment/child-env.ts";
import type { Groups } from "./groups.ts";
import { openNotepad, type OpenPipe } from "./pipe.ts";
import { directoryFrom } from "../script.ts";

export interface RunningCommand {
  readonly pid: number;
  /** The exit code; null if a signal killed the shell. Does not wait for background children. */
  readonly exited: Promise<number | null>;
  readonly output: AsyncIterable<Uint8Array>;
  /** The shell's final directory. Call once, after `exited`. */
  directory(): string | null;
}

export interface StartOptions {
  readonly argv: string[];
  readonly isWrapper: boolean;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly openPipe: OpenPipe | null;
  readonly groups: Groups;
}

export function startCommand({ argv, isWrapper, cwd, env, openPipe, groups }: StartOptions): RunningCommand {
  const notepad = openNotepad(openPipe);
  const pipe = openPipe?.();
  try {
    const spawn = (mark: string) =>
      Bun.spawn(argv, {
        cwd,
        env: withMark(env, mark),
        stdio: ["ignore", pipe?.write ?? "pipe", pipe?.write ?? "ignore", notepad.write],
        detached: true,
      });
    const child = groups.start(spawn, { isWrapper });
    return {
      pid: child.pid,
      exited: exitCodeOf(child),
      output: pipe ? readPipe(pipe.read) : (child.stdout as ReadableStream<Uint8Array>),
      directory: () => directoryFrom(notepad.take()),
    };
  } catch (error) {
    notepad.take();
    if (pipe) closeSync(pipe.read);
    throw new ToolError(`Cannot start '${argv[0]}': ${(error as Error).message}`);
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
