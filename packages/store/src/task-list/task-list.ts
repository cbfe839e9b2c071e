// A task list that several processes share. Every change happens under one lock, whole: what depends on the state of the
// list (who has a task, what it waits for) is decided under the same lock that writes it.

import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { withOwnFileLock } from "@keelson/disk/lock";
import { stateFolder } from "../state-folder.ts";
import { taskFiles, type TaskFiles } from "./files.ts";
import { comesBefore, freeTasks, inStep, isTaskId, openBlockers, type ListedTask, type ListedStatus } from "./task.ts";

export interface TaskDraft {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly metadata?: JsonObject;
}

export interface TaskChange extends Partial<TaskDraft> {
  readonly status?: ListedStatus | "deleted";
  /** Empty: no one. */
  readonly owner?: string;
  readonly addBlocks?: readonly string[];
  readonly addBlockedBy?: readonly string[];
  /** Keys to set; null deletes one. */
  readonly metadata?: JsonObject;
}

export type ChangedTask =
  | {
      readonly kind: "changed";
      readonly task: ListedTask;
      readonly fields: readonly string[];
      readonly statusChange?: { readonly from: string; readonly to: string };
    }
  | { readonly kind: "absent" }
  /** Nothing was changed. */
  | { readonly kind: "refused"; readonly why: string };

export interface ChangeOptions {
  /**
   * The member of a team that changes it. A member cannot take a task that another has or that waits for others, and has
   * what it starts.
   */
  readonly by?: string;
}

export interface SharedTasks {
  readonly folder: string;
  /** An id that no task had or will have. */
  reserve(): Promise<string>;
  /** Adds a task under a reserved id. */
  add(id: string, draft: TaskDraft): Promise<ListedTask>;
  get(id: string): ListedTask | undefined;
  /** In the order of their ids. */
  all(): readonly ListedTask[];
  change(id: string, change: TaskChange, options?: ChangeOptions): Promise<ChangedTask>;
  /** Gives the first task that waits for nothing, its own or one that no one has, to `owner`, who starts it. */
  claim(owner: string): Promise<ListedTask | undefined>;
  /** What `owner` has and has not done becomes free. Returns the tasks. */
  release(owner: string): Promise<readonly ListedTask[]>;
}

/** `name` is a single folder name. `report` is called once for each file that cannot be read. */
export function openTaskList(configDir: string, name: string, report: (problem: string) => void): SharedTasks {
  const folder = stateFolder(configDir, "tasks", name);
  const files = taskFiles(folder, report);
  const locked = <T>(work: () => T) => withOwnFileLock(join(folder, ".lock"), work);
  const all = () => inStep(files.readAll());

  return {
    folder,
    reserve: () => locked(() => files.nextId()),
    add: (id, draft) =>
      locked(() => {
        const task: ListedTask = { id, ...shape(draft), status: "pending", blocks: [], blockedBy: [] };
        files.write(ordered(task));
        return task;
      }),
    get: (id) => (isTaskId(id) && files.read(id) ? all().get(id) : undefined),
    all: () => [...all().values()],
    change: (id, change, options) => locked(() => changeTask(files, id, change, options)),
    claim: (owner) =>
      locked(() => {
        const [free] = freeTasks([...all().values()], owner);
        if (!free) return undefined;
        const mine = { ...free, owner, status: "in_progress" as const };
        files.write(ordered(mine));
        return mine;
      }),
    release: (owner) =>
      locked(() => {
        const held = [...all().values()].filter((task) => task.owner === owner && task.status !== "completed");
        for (const { owner: _, ...task } of held) files.write(ordered({ ...task, status: "pending" }));
        return held;
      }),
  };
}

function changeTask(files: TaskFiles, id: string, change: TaskChange, { by }: ChangeOptions = {}): ChangedTask {
  const before = files.readAll();
  const tasks = inStep(before);
  const task = isTaskId(id) ? tasks.get(id) : undefined;
  if (!task) return { kind: "absent" };
  if (change.status === "deleted") {
    files.remove(id);
    tasks.delete(id);
    writeChanged(files, before, inStep(tasks));
    return { kind: "changed", task, fields: ["deleted"], statusChange: { from: task.status, to: "deleted" } };
  }
  const refusal = whyNot(task, change, tasks, by);
  if (refusal !== undefined) return { kind: "refused", why: refusal };
  const starts = change.status === "in_progress" && task.status !== "in_progress";
  const owner = change.owner ?? task.owner ?? (starts ? by : undefined);
  tasks.set(id, {
    id,
    ...shape({ ...task, ...change, metadata: { ...task.metadata, ...change.metadata } }),
    status: change.status ?? task.status,
    ...(owner ? { owner } : {}),
    blocks: [...task.blocks, ...(change.addBlocks ?? [])],
    blockedBy: [...task.blockedBy, ...(change.addBlockedBy ?? [])],
  });
  const after = inStep(tasks);
  writeChanged(files, before, after);
  const done = after.get(id)!;
  return {
    kind: "changed",
    task: done,
    fields: FIELDS.filter((field) => !same(task[field], done[field])),
    ...(done.status === task.status ? {} : { statusChange: { from: task.status, to: done.status } }),
  };
}

/** In the order in which changes are reported. */
const FIELDS = ["subject", "description", "activeForm", "owner", "metadata", "status", "blocks", "blockedBy"] as const;

function whyNot(task: ListedTask, change: TaskChange, tasks: Map<string, ListedTask>, by?: string): string | undefined {
  const { id } = task;
  const takes = change.status === "in_progress" || (by !== undefined && change.owner === by);
  if (by !== undefined && takes) {
    if (task.owner !== undefined && task.owner !== by) return `Task #${id} belongs to ${task.owner}`;
    if (task.status === "completed") return `Task #${id} is completed`;
    const open = openBlockers(task, tasks);
    if (open.length > 0) return `Task #${id} is blocked by ${open.map((each) => `#${each}`).join(", ")}`;
  }
  const links = [
    ...(change.addBlocks ?? []).map((other) => [id, other] as const),
    ...(change.addBlockedBy ?? []).map((other) => [other, id] as const),
  ];
  const trial = new Map(tasks);
  for (const [first, then] of links) {
    const missing = [first, then].find((each) => !tasks.has(each));
    if (missing !== undefined) return `Task #${missing} does not exist`;
    if (comesBefore(then, first, trial))
      return first === then ? `Task #${id} cannot wait for itself` : `Task #${first} already waits for #${then}`;
    trial.set(first, { ...trial.get(first)!, blocks: [...trial.get(first)!.blocks, then] });
  }
  return undefined;
}

function shape({ subject, description, activeForm, metadata = {} }: TaskDraft): TaskDraft {
  const values = Object.entries(metadata).filter(([, value]) => value !== null);
  return {
    subject,
    description,
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(values.length > 0 ? { metadata: Object.fromEntries(values) } : {}),
  };
}

/** The other side of a dependency is written after the side that makes a task wait. */
function writeChanged(
  files: TaskFiles,
  before: ReadonlyMap<string, ListedTask>,
  after: ReadonlyMap<string, ListedTask>,
): void {
  const changed = [...after.values()].filter((task) => !same(ordered(task), ordered(before.get(task.id) ?? task)));
  for (const task of changed) files.write(ordered(task));
}

/** The order of the fields in a file. */
function ordered({ id, subject, description, activeForm, status, owner, blocks, blockedBy, metadata }: ListedTask) {
  return {
    id,
    subject,
    description,
    ...(activeForm === undefined ? {} : { activeForm }),
    status,
    ...(owner === undefined ? {} : { owner }),
    blocks,
    blockedBy,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
