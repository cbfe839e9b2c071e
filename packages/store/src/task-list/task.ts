// One task of a shared list, as its file holds it, and how tasks depend on each other. Pure.

import { isObject, type JsonObject } from "@keelson/protocol";

export const TASK_STATUSES = ["pending", "in_progress", "completed"] as const;
export type ListedStatus = (typeof TASK_STATUSES)[number];

export interface ListedTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly status: ListedStatus;
  readonly owner?: string;
  /** The tasks that wait for this one. */
  readonly blocks: readonly string[];
  /** The tasks this one waits for. */
  readonly blockedBy: readonly string[];
  readonly metadata?: JsonObject;
}

export type TaskMap = ReadonlyMap<string, ListedTask>;

/** Undefined if the text is not a task with this id. */
export function parseTask(text: string, id: string): ListedTask | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { subject, description = "", activeForm, status, owner, blocks = [], blockedBy = [], metadata } = value;
  if (value.id !== id || typeof subject !== "string" || typeof description !== "string") return undefined;
  if (!isStatus(status) || !areIds(blocks) || !areIds(blockedBy)) return undefined;
  return {
    id,
    subject,
    description,
    ...(typeof activeForm === "string" ? { activeForm } : {}),
    status,
    ...(typeof owner === "string" && owner !== "" ? { owner } : {}),
    blocks,
    blockedBy,
    ...(isObject(metadata) ? { metadata: metadata as JsonObject } : {}),
  };
}

const isStatus = (value: unknown): value is ListedStatus => (TASK_STATUSES as readonly unknown[]).includes(value);

const areIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((id) => typeof id === "string" && isTaskId(id));

/** Ids are file names too. */
export function isTaskId(id: string): boolean {
  return /^[1-9]\d{0,14}$/.test(id);
}

/** Each dependency on both sides, whichever side a killed process had written, and none on a task that is gone. */
export function inStep(tasks: TaskMap): Map<string, ListedTask> {
  const blocks = new Map<string, Set<string>>();
  const blockedBy = new Map<string, Set<string>>();
  const add = (sides: Map<string, Set<string>>, at: string, other: string) => {
    if (!sides.has(at)) sides.set(at, new Set());
    sides.get(at)!.add(other);
  };
  const connect = (first: string, then: string) => {
    if (!tasks.has(first) || !tasks.has(then)) return;
    add(blocks, first, then);
    add(blockedBy, then, first);
  };
  for (const task of tasks.values()) {
    for (const id of task.blockedBy) connect(id, task.id);
    for (const id of task.blocks) connect(task.id, id);
  }
  const side = (ids: Set<string> | undefined) => [...(ids ?? [])].sort((a, b) => Number(a) - Number(b));
  return new Map(
    [...tasks].map(([id, task]) => [id, { ...task, blocks: side(blocks.get(id)), blockedBy: side(blockedBy.get(id)) }]),
  );
}

/** The tasks it waits for that are not done. */
export function openBlockers({ blockedBy }: ListedTask, tasks: TaskMap): string[] {
  return blockedBy.filter((id) => (tasks.get(id)?.status ?? "completed") !== "completed");
}

/** What `owner` could start now: tasks that wait for nothing, first its own, then those that no one has. */
export function freeTasks(all: readonly ListedTask[], owner: string): readonly ListedTask[] {
  const byId = new Map(all.map((task) => [task.id, task]));
  const ready = all.filter((task) => task.status === "pending" && openBlockers(task, byId).length === 0);
  return [...ready.filter((task) => task.owner === owner), ...ready.filter((task) => task.owner === undefined)];
}

/** Whether `id` must be done before `target`, directly or through others. */
export function comesBefore(id: string, target: string, tasks: TaskMap): boolean {
  const seen = new Set<string>();
  const waiting = [id];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === target) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    waiting.push(...(tasks.get(at)?.blocks ?? []));
  }
  return false;
}
