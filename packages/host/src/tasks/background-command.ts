// Starts a background command: adds a row to the task table and writes the output to a file.

import { closeSync, fstatSync, unlinkSync, writeSync } from "node:fs";
import type { BackgroundCommand } from "@keelson/engine";
import { createPrivateFile } from "../files/private-file.ts";
import { newTaskId } from "./task-id.ts";
import type { Tasks } from "./task-table.ts";
import { exitCodeOf } from "../shell/process/command.ts";
import type { Groups } from "../shell/process/groups.ts";

/** A command that writes more is stopped, so it does not fill the disk. */
export const BACKGROUND_LIMIT = { maxBytes: 1024 ** 3, note: "\n[stopped: the output exceeded 1 GB]\n" };
const CHECK_EVERY_MS = 1_000;

export interface BackgroundOptions {
  readonly command: string;
  readonly argv: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly description: string;
  readonly toolUseId: string;
  readonly owner?: string;
  readonly directory: string;
  readonly tasks: Tasks;
  readonly groups: Groups;
  readonly isWrapper: boolean;
  /** Returns notes to append to the output. */
  onEnd(code: number | null, pgid: number): readonly string[];
}

export function startBackground(options: BackgroundOptions): BackgroundCommand {
  const { command, argv, cwd, env, description, toolUseId, owner, tasks, groups } = options;
  const id = newTaskId("b");
  const { fd, path } = createPrivateFile(options.directory, `${id}.output`);
  let child;
  try {
    child = Bun.spawn(argv, { cwd, env, stdio: ["ignore", fd, fd], detached: true });
  } catch (error) {
    closeSync(fd);
    unlinkSync(path);
    throw error;
  }
  const { pid } = child;
  groups.add(pid, options);
  const task = tasks.start(
    { id, type: "local_bash", command, description, toolUseId, outputPath: path, ...(owner ? { owner } : {}) },
    () => groups.end(pid),
  );
  const watch = setInterval(() => {
    if (fstatSync(fd).size <= BACKGROUND_LIMIT.maxBytes) return;
    clearInterval(watch);
    writeSync(fd, BACKGROUND_LIMIT.note);
    void groups.end(pid);
  }, CHECK_EVERY_MS);
  watch.unref();

  void exitCodeOf(child).then((code) => {
    clearInterval(watch);
    groups.leaderEnded(pid);
    const notes = options.onEnd(code, pid);
    if (notes.length > 0) writeSync(fd, `\n${notes.join("\n")}\n`);
    closeSync(fd);
    task.end({ status: code === 0 ? "completed" : "failed", exitCode: code });
  });
  return { id, outputPath: path };
}
