// Starts a background command: adds a row to the task table and writes the output to a file. The command is a monitor if
// someone reads its lines.

import { closeSync, fstatSync, unlinkSync, writeSync } from "node:fs";
import type { BackgroundCommand, LineSink } from "@keelson/engine";
import { createPrivateFile } from "../files/private-file.ts";
import { exitCodeOf, readPipe } from "../shell/process/command.ts";
import { withMark } from "../shell/environment/child-env.ts";
import { drain } from "../shell/process/drain.ts";
import type { Groups } from "../shell/process/groups.ts";
import type { OpenPipe } from "../shell/process/pipe.ts";
import { BACKGROUND_LIMIT } from "./background-limit.ts";
import { followSource, type Monitor } from "./monitor.ts";
import { newTaskId } from "./task-id.ts";
import type { Tasks } from "./task-table.ts";

const CHECK_EVERY_MS = 1_000;

export interface BackgroundOptions {
  readonly command: string;
  readonly argv: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly description: string;
  readonly toolUseId: string;
  readonly owner?: string | undefined;
  readonly directory: string;
  readonly tasks: Tasks;
  readonly groups: Groups;
  readonly isWrapper: boolean;
  readonly lines?: LineSink | undefined;
  readonly openPipe: OpenPipe | null;
  /** Returns notes to append to the output. */
  onEnd(code: number | null, pgid: number): readonly string[];
}

export function startBackground(options: BackgroundOptions): BackgroundCommand {
  const { command, description, toolUseId, owner, tasks, groups, lines } = options;
  const id = newTaskId(lines ? "m" : "b");
  const { fd, path } = createPrivateFile(options.directory, `${id}.output`);
  let child: Child;
  try {
    child = spawn(options, fd);
  } catch (error) {
    closeSync(fd);
    unlinkSync(path);
    throw error;
  }
  const { pid } = child;
  const end = () => groups.end(pid);
  const monitor = lines && followSource(description, lines, end);
  const type = monitor ? "monitor" : "local_bash";
  const task = tasks.start(
    { id, type, command, description, toolUseId, outputPath: path, ...(owner ? { owner } : {}) },
    monitor ? monitor.stop : end,
  );
  const watch = setInterval(() => {
    if (fstatSync(fd).size <= BACKGROUND_LIMIT.maxBytes) return;
    clearInterval(watch);
    writeSync(fd, BACKGROUND_LIMIT.note);
    void end();
  }, CHECK_EVERY_MS);
  watch.unref();

  void endOf(child, monitor, fd).then((code) => {
    clearInterval(watch);
    groups.leaderEnded(pid);
    const notes = options.onEnd(code, pid);
    if (notes.length > 0) writeSync(fd, `\n${notes.join("\n")}\n`);
    closeSync(fd);
    task.end(monitor?.ended({ code }) ?? { status: code === 0 ? "completed" : "failed", exitCode: code });
  });
  return { id, outputPath: path };
}

interface Child {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** What a monitor reads; otherwise the command writes to the file itself. */
  readonly output?: AsyncIterable<Uint8Array>;
}

function spawn({ argv, isWrapper, cwd, env, lines, openPipe, groups }: BackgroundOptions, fd: number): Child {
  const pipe = lines && openPipe?.();
  try {
    const stdout = lines ? (pipe?.write ?? "pipe") : fd;
    const start = (mark: string) =>
      Bun.spawn(argv, { cwd, env: withMark(env, mark), stdio: ["ignore", stdout, fd], detached: true });
    const child = groups.start(start, { isWrapper });
    const { pid } = child;
    const exited = exitCodeOf(child);
    if (!lines) return { pid, exited };
    return { pid, exited, output: pipe ? readPipe(pipe.read) : (child.stdout as ReadableStream<Uint8Array>) };
  } catch (error) {
    if (pipe) closeSync(pipe.read);
    throw error;
  } finally {
    if (pipe) closeSync(pipe.write);
  }
}

function endOf({ exited, output }: Child, monitor: Monitor | undefined, fd: number): Promise<number | null> {
  if (!monitor || !output) return exited;
  const push = (chunk: Uint8Array) => {
    try {
      for (let done = 0; done < chunk.length;) done += writeSync(fd, chunk, done);
    } catch {
      // The disk is full. Whoever reads the lines still gets them.
    }
    monitor.push(chunk);
  };
  return drain({ exited, output }, { push });
}
