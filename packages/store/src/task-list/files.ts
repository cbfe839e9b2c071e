// The files of a task list: one for each task, and the highest id ever given. Call the writing functions under the lock.

import { join } from "node:path";
import { namesInOwnFolder } from "@keelson/disk/own-files";
import { fileState, put, remove } from "../checkpoints/file-state.ts";
import { isTaskId, parseTask, type ListedTask } from "./task.ts";

/** More than a task needs; a file above it is not read. */
const MOST_BYTES = 1024 * 1024;
const HIGH_WATER_MARK = ".highwatermark";

export interface TaskFiles {
  read(id: string): ListedTask | undefined;
  /** In the order of their ids. */
  readAll(): Map<string, ListedTask>;
  write(task: ListedTask): void;
  remove(id: string): void;
  /** Never returns the same id twice. */
  nextId(): string;
}

/** `report` is called once for each file that cannot be read. */
export function taskFiles(folder: string, report: (problem: string) => void): TaskFiles {
  const known = new Map<string, { readonly stamp: string; readonly task: ListedTask | undefined }>();
  const reported = new Set<string>();
  const pathOf = (id: string) => join(folder, `${id}.json`);

  const unreadable = (id: string) => {
    if (!reported.has(id)) report(`"${pathOf(id)}" is not a task and is left out; fix or delete it`);
    reported.add(id);
  };
  const read = (id: string): ListedTask | undefined => {
    const before = known.get(id);
    const state = fileState(pathOf(id), before?.stamp);
    if (state === "unchanged") return before?.task;
    known.delete(id);
    if (state.kind === "absent") return undefined;
    const isSound = state.kind === "file" && state.bytes.length <= MOST_BYTES;
    const task = isSound ? parseTask(state.bytes.toString(), id) : undefined;
    if (!task) unreadable(id);
    if (state.kind === "file") known.set(id, { stamp: state.stamp, task });
    return task;
  };
  const ids = () =>
    namesInOwnFolder(folder)
      .flatMap((name) => (name.endsWith(".json") && isTaskId(name.slice(0, -5)) ? [Number(name.slice(0, -5))] : []))
      .sort((a, b) => a - b);

  return {
    read,
    readAll() {
      const all = ids().map((number) => [String(number), read(String(number))] as const);
      return new Map(all.filter((pair): pair is [string, ListedTask] => pair[1] !== undefined));
    },
    write(task) {
      const bytes = Buffer.from(`${JSON.stringify(task, null, 2)}\n`);
      if (bytes.length > MOST_BYTES) throw new Error(`Task #${task.id} would be larger than 1 MiB; shorten it`);
      put(pathOf(task.id), bytes, 0o600);
    },
    remove(id) {
      remove(pathOf(id));
      known.delete(id);
    },
    nextId() {
      const mark = fileState(join(folder, HIGH_WATER_MARK));
      const given = mark !== "unchanged" && mark.kind === "file" ? mark.bytes.toString().trim() : "";
      let next = isTaskId(given) ? Number(given) + 1 : (ids().at(-1) ?? 0) + 1;
      // Another program may have created tasks without it.
      const there = fileState(pathOf(String(next)));
      if (there === "unchanged" || there.kind !== "absent") next = (ids().at(-1) ?? 0) + 1;
      put(join(folder, HIGH_WATER_MARK), Buffer.from(String(next)), 0o600);
      return String(next);
    },
  };
}
