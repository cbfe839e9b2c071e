// The table of background tasks, with ways to stop each one and read its output.
// Knows nothing about processes or models: the code that starts a task adds a row and reports its end.

import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "../files/regular-file.ts";

export type TaskStatus = "running" | "completed" | "failed" | "killed";

export interface Task {
  readonly id: string;
  /** The name in the protocol: `local_bash`, `local_agent` … */
  readonly type: string;
  readonly command?: string;
  readonly description: string;
  readonly toolUseId: string;
  readonly outputPath: string;
  readonly status: TaskStatus;
  readonly exitCode: number | null;
  readonly startMs: number;
  readonly endMs: number | null;
}

export type NewTask = Pick<Task, "id" | "type" | "command" | "description" | "toolUseId" | "outputPath">;

export interface TaskEnd {
  readonly status: Exclude<TaskStatus, "running">;
  readonly exitCode: number | null;
}

export interface Tasks {
  list(): readonly Task[];
  get(id: string): Task | undefined;
  /** Adds a running task. Returns a function that reports its end; only the first call has an effect. */
  start(task: NewTask, stop: () => void | Promise<void>): (end: TaskEnd) => void;
  /** Stops a running task and waits for it to end; false if there is none. */
  stop(id: string): Promise<boolean>;
  /** Resolves when the task ends, the timeout expires, or the signal aborts. */
  wait(id: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void>;
  /** The last part of the output so far. */
  output(id: string, maxBytes: number): { readonly text: string; readonly size: number };
}

export interface TaskWatchers {
  started?(task: Task): void;
  updated?(task: Task): void;
  ended?(task: Task): void;
}

const MAX_ENDED = 1_000;

export function createTasks(options: { readonly watchers?: TaskWatchers; readonly now?: () => number } = {}): Tasks {
  const { watchers = {}, now = Date.now } = options;
  const rows = new Map<string, Row>();

  return {
    list: () => [...rows.values()].map((row) => row.task),
    get: (id) => rows.get(id)?.task,
    start(task, stop) {
      const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
      const row: Row = {
        task: { ...task, status: "running", exitCode: null, startMs: now(), endMs: null },
        stop,
        ended,
        stopping: false,
      };
      rows.set(task.id, row);
      watchers.started?.(row.task);
      return ({ status, exitCode }) => {
        if (row.task.status !== "running") return;
        row.task = { ...row.task, status: row.stopping ? "killed" : status, exitCode, endMs: now() };
        watchers.updated?.(row.task);
        watchers.ended?.(row.task);
        finish();
        forgetOldest(rows);
      };
    },
    async stop(id) {
      const row = rows.get(id);
      if (row?.task.status !== "running") return false;
      row.stopping = true;
      await row.stop();
      await row.ended;
      return true;
    },
    async wait(id, { timeoutMs, signal }) {
      const row = rows.get(id);
      if (!row || row.task.status !== "running" || signal.aborted || timeoutMs <= 0) return;
      const { promise: given, resolve: giveUp } = Promise.withResolvers<void>();
      const timer = setTimeout(giveUp, timeoutMs);
      signal.addEventListener("abort", () => giveUp(), { once: true });
      await Promise.race([row.ended, given]);
      clearTimeout(timer);
    },
    output(id, maxBytes) {
      const row = rows.get(id);
      return row ? readTail(row.task.outputPath, maxBytes) : { text: "", size: 0 };
    },
  };
}

interface Row {
  task: Task;
  readonly stop: () => void | Promise<void>;
  readonly ended: Promise<void>;
  stopping: boolean;
}

function forgetOldest(rows: Map<string, Row>): void {
  const ended = [...rows.values()].filter((row) => row.task.status !== "running");
  for (const row of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) rows.delete(row.task.id);
}

function readTail(path: string, maxBytes: number): { text: string; size: number } {
  let file;
  try {
    file = openRegularFile(path);
  } catch {
    return { text: "", size: 0 };
  }
  const { fd, stat } = file;
  try {
    const from = Math.max(0, stat.size - maxBytes);
    const bytes = Buffer.alloc(stat.size - from);
    const count = readSync(fd, bytes, 0, bytes.length, from);
    const text = new TextDecoder().decode(bytes.subarray(0, count));
    // A character cut in half shows as replacement characters at the start.
    return { text: from > 0 ? text.replace(/^\uFFFD+/, "") : text, size: stat.size };
  } finally {
    closeSync(fd);
  }
}
