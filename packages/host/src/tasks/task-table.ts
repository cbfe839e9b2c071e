// The one table of what runs or waits beside the conversation: shells, agents, monitors, wake-ups, and commands that could
// move to the background.
// Knows nothing about processes or models: the code that starts a task adds a row and reports its end.

import type * as ReadTail from "./read-tail.ts";
import type { OutputTail } from "./read-tail.ts";
import type { NewTask, Task, TaskEnd, TaskUsage } from "./task.ts";

/** For the code that runs the task. Nothing has an effect after the first `end`. */
export interface TaskHandle {
  progress(usage: TaskUsage): void;
  /** No tool call waits for it any more. From now on its output goes to this file, if one is named. */
  backgrounded(outputPath?: string): void;
  end(end: TaskEnd): void;
}

interface StartOptions {
  /** Lets the waiting tool call go on without the task. Absent if it cannot; false if it is too late. */
  readonly toBackground?: () => boolean | void | Promise<boolean | void>;
  /** A task that ends earlier, in the foreground, is never told of and leaves no row. */
  readonly announceAfterMs?: number;
}

export interface Tasks {
  list(): readonly Task[];
  get(id: string): Task | undefined;
  /** The latest task that this tool call started. */
  byToolUse(toolUseId: string): Task | undefined;
  /** Adds a running task. An ended task with the same id is replaced. */
  start(task: NewTask, stop: () => void | Promise<void>, options?: StartOptions): TaskHandle;
  /** Stops a running task and waits for it to end; false if there is none. */
  stop(id: string): Promise<boolean>;
  /** Stops everything that a subagent started and waits for the ends. */
  stopOwnedBy(agentId: string): Promise<void>;
  /** By task or tool use id. False if there is no such task in the foreground, or it must stay there. */
  moveToBackground(id: string): Promise<boolean>;
  /** Resolves when the task ends, the timeout expires, or the signal aborts. */
  wait(id: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void>;
  /** The last part of the output so far. */
  output(id: string, maxBytes: number): OutputTail;
}

/** What is reported while a task runs: `started`, any number of `progress` and `updated`, the last `updated`, `ended`. */
export interface TaskWatchers {
  started?(task: Task): void;
  progress?(task: Task): void;
  updated?(task: Task, changed: Partial<Task>): void;
  ended?(task: Task): void;
}

const MAX_ENDED = 1_000;
/** A task that ended keeps no more of its result than this. */
const MAX_RESULT_CHARS = 100_000;

export interface TasksOptions {
  readonly watchers?: TaskWatchers;
  readonly now?: () => number;
  /** Calls back after some time; returns a function that calls it off. */
  readonly later?: (ms: number, then: () => void) => () => void;
}

export function createTasks({ watchers = {}, now = Date.now, later = onTimer }: TasksOptions = {}): Tasks {
  const rows = new Map<string, Row>();
  const running = (id: string) => {
    const row = rows.get(id);
    return row?.task.status === "running" ? row : undefined;
  };
  const rowOf = (toolUseId: string) => [...rows.values()].findLast(({ task }) => task.toolUseId === toolUseId);

  async function stop(id: string): Promise<boolean> {
    const row = running(id);
    if (!row) return false;
    row.stopping = true;
    await row.stop();
    await row.ended;
    return true;
  }

  return {
    list: () => [...rows.values()].map((row) => row.task),
    get: (id) => rows.get(id)?.task,
    byToolUse: (toolUseId) => rowOf(toolUseId)?.task,
    start(task, stopTask, { toBackground, announceAfterMs } = {}) {
      if (running(task.id)) throw new Error(`Task '${task.id}' is already running`);
      const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
      const row: Row = {
        task: { inBackground: true, ...task, status: "running", exitCode: null, startMs: now(), endMs: null },
        stop: stopTask,
        toBackground,
        ended,
        stopping: false,
        announce() {
          row.waiting?.();
          delete row.waiting;
          watchers.started?.(row.task);
        },
      };
      const isOver = () => row.task.status !== "running";
      // The oldest tasks are forgotten first, and a task that starts again is not old.
      rows.delete(task.id);
      rows.set(task.id, row);
      if (announceAfterMs === undefined) row.announce();
      else row.waiting = later(announceAfterMs, row.announce);
      return {
        progress(progress) {
          if (isOver()) return;
          row.task = { ...row.task, progress };
          if (!row.waiting) watchers.progress?.(row.task);
        },
        backgrounded(outputPath) {
          if (!isOver()) markBackgrounded(row, watchers, outputPath);
        },
        end({ status, exitCode = null, result, ...end }) {
          if (isOver()) return;
          const kept = result === undefined ? {} : { result: result.slice(0, MAX_RESULT_CHARS) };
          const how = row.stopping ? "killed" : status;
          const changed = { ...end, ...kept, status: how, exitCode, endMs: now() } as const;
          row.task = { ...row.task, ...changed };
          finish();
          if (row.waiting) {
            row.waiting();
            return void rows.delete(task.id);
          }
          watchers.updated?.(row.task, changed);
          watchers.ended?.(row.task);
          forgetOldest(rows);
        },
      };
    },
    stop,
    async stopOwnedBy(agentId) {
      const owned = [...rows.values()].filter(({ task }) => task.owner === agentId);
      await Promise.all(owned.map(({ task }) => stop(task.id)));
    },
    async moveToBackground(id) {
      const row = rows.get(id) ?? rowOf(id);
      if (!row || row.task.status !== "running" || row.task.inBackground || !row.toBackground) return false;
      row.moving ??= Promise.resolve(row.toBackground());
      if ((await row.moving) === false) return false;
      if (row.task.status === "running") markBackgrounded(row, watchers);
      return row.task.inBackground;
    },
    async wait(id, { timeoutMs, signal }) {
      const row = running(id);
      if (!row || signal.aborted || timeoutMs <= 0) return;
      const { promise: given, resolve: giveUp } = Promise.withResolvers<void>();
      const timer = setTimeout(giveUp, timeoutMs);
      signal.addEventListener("abort", () => giveUp(), { once: true });
      await Promise.race([row.ended, given]);
      clearTimeout(timer);
    },
    output(id, maxBytes) {
      const row = rows.get(id);
      if (!row) return { text: "", size: 0 };
      const { readTail } = require("./read-tail.ts") as typeof ReadTail;
      return readTail(row.task.outputPath, maxBytes);
    },
  };
}

interface Row {
  task: Task;
  readonly stop: () => void | Promise<void>;
  readonly toBackground: StartOptions["toBackground"];
  moving?: Promise<boolean | void>;
  announce(): void;
  /** Set until the task is announced: calls the announcement off. */
  waiting?: () => void;
  readonly ended: Promise<void>;
  stopping: boolean;
}

function markBackgrounded(row: Row, watchers: TaskWatchers, outputPath = row.task.outputPath): void {
  if (row.task.inBackground) return;
  const changed = { inBackground: true, outputPath };
  row.task = { ...row.task, ...changed };
  if (row.waiting) row.announce();
  else watchers.updated?.(row.task, changed);
}

function onTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

function forgetOldest(rows: Map<string, Row>): void {
  const ended = [...rows.values()].filter((row) => row.task.status !== "running");
  for (const row of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) rows.delete(row.task.id);
}
