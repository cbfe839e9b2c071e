// The one table of what runs beside the conversation: shells, agents, monitors, and commands that could become one.
// Knows nothing about processes or models: the code that starts a task adds a row and reports its end.

import { readTail, type Tail } from "./read-tail.ts";

export type TaskStatus = "running" | "completed" | "failed" | "killed";

export interface TaskUsage {
  readonly totalTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
  readonly lastTool?: string;
}

/** What a subagent was asked. */
export interface TaskAgent {
  readonly type: string;
  readonly prompt: string;
  readonly depth: number;
  readonly parentTaskId?: string;
}

export interface Task {
  readonly id: string;
  /** The name in the protocol: `local_bash`, `local_agent` … */
  readonly type: string;
  readonly command?: string;
  readonly description: string;
  readonly toolUseId: string;
  readonly outputPath: string;
  /** The id of the subagent that started it. */
  readonly owner?: string;
  readonly agent?: TaskAgent;
  /** False while a tool call waits for it. */
  readonly inBackground: boolean;
  readonly progress?: TaskUsage;
  readonly status: TaskStatus;
  readonly exitCode: number | null;
  readonly startMs: number;
  readonly endMs: number | null;
  /** How it ended, in one line. */
  readonly summary?: string;
  /** The final text of an agent. */
  readonly result?: string;
  readonly error?: string;
  readonly usage?: TaskUsage;
  /** What the model should know beside the result. */
  readonly note?: string;
}

export type NewTask = Pick<
  Task,
  "id" | "type" | "command" | "description" | "toolUseId" | "outputPath" | "owner" | "agent"
> & { readonly inBackground?: boolean };

export interface TaskEnd extends Pick<Task, "summary" | "result" | "error" | "usage" | "note"> {
  readonly status: Exclude<TaskStatus, "running">;
  readonly exitCode?: number | null;
}

/** For the code that runs the task. Nothing has an effect after the first `end`. */
export interface TaskHandle {
  progress(usage: TaskUsage): void;
  /** No tool call waits for it any more. */
  backgrounded(): void;
  end(end: TaskEnd): void;
}

export interface StartOptions {
  /** Lets the waiting tool call go on without the task. Absent if it cannot; false if it is too late. */
  readonly toBackground?: () => boolean | void | Promise<boolean | void>;
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
  output(id: string, maxBytes: number): Tail;
}

/** What is told while a task lives: `started`, any number of `progress` and `updated`, one `updated`, `ended`. */
export interface TaskWatchers {
  started?(task: Task): void;
  progress?(task: Task): void;
  updated?(task: Task, changed: Partial<Task>): void;
  ended?(task: Task): void;
}

const MAX_ENDED = 1_000;
/** A task that ended keeps no more of its result than this. */
const MAX_RESULT_CHARS = 100_000;

export function createTasks(options: { readonly watchers?: TaskWatchers; readonly now?: () => number } = {}): Tasks {
  const { watchers = {}, now = Date.now } = options;
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
    start(task, stopTask, { toBackground } = {}) {
      if (running(task.id)) throw new Error(`Task '${task.id}' is already running`);
      const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
      const row: Row = {
        task: { inBackground: true, ...task, status: "running", exitCode: null, startMs: now(), endMs: null },
        stop: stopTask,
        toBackground,
        ended,
        stopping: false,
      };
      const isOver = () => row.task.status !== "running";
      // The oldest tasks are forgotten first, and a task that starts again is not old.
      rows.delete(task.id);
      rows.set(task.id, row);
      watchers.started?.(row.task);
      return {
        progress(progress) {
          if (isOver()) return;
          row.task = { ...row.task, progress };
          watchers.progress?.(row.task);
        },
        backgrounded() {
          if (!isOver()) markBackgrounded(row, watchers);
        },
        end({ status, exitCode = null, result, ...end }) {
          if (isOver()) return;
          const kept = result === undefined ? {} : { result: result.slice(0, MAX_RESULT_CHARS) };
          const how = row.stopping ? "killed" : status;
          const changed = { ...end, ...kept, status: how, exitCode, endMs: now() } as const;
          row.task = { ...row.task, ...changed };
          watchers.updated?.(row.task, changed);
          watchers.ended?.(row.task);
          finish();
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
      return row ? readTail(row.task.outputPath, maxBytes) : { text: "", size: 0 };
    },
  };
}

interface Row {
  task: Task;
  readonly stop: () => void | Promise<void>;
  readonly toBackground: StartOptions["toBackground"];
  moving?: Promise<boolean | void>;
  readonly ended: Promise<void>;
  stopping: boolean;
}

function markBackgrounded(row: Row, watchers: TaskWatchers): void {
  if (row.task.inBackground) return;
  row.task = { ...row.task, inBackground: true };
  watchers.updated?.(row.task, { inBackground: true });
}

function forgetOldest(rows: Map<string, Row>): void {
  const ended = [...rows.values()].filter((row) => row.task.status !== "running");
  for (const row of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) rows.delete(row.task.id);
}
