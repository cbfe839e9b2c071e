// What TaskList shows of a list, however long it is. Pure.

import { openBlockers, type ListedTask } from "@keelson/store/task-list";
import type { TaskListOutput } from "@keelson/tools/task-list";

const MOST_TASKS = 1_000;
const MOST_BLOCKERS = 50;
const LONGEST_TEXT = 500;

/** In order. If there are too many, completed tasks are left out first, then the last ones. */
export function summaries(all: readonly ListedTask[]): TaskListOutput {
  const visible = all.filter(({ metadata }) => metadata?.["_internal"] !== true);
  const open = visible.filter(({ status }) => status !== "completed");
  const shown = visible.length <= MOST_TASKS ? visible : open.slice(0, MOST_TASKS);
  const byId = new Map(all.map((task) => [task.id, task]));
  return {
    tasks: shown.map((task) => ({
      id: task.id,
      subject: cut(task.subject),
      status: task.status,
      ...(task.owner === undefined ? {} : { owner: cut(task.owner) }),
      blockedBy: openBlockers(task, byId).slice(0, MOST_BLOCKERS),
    })),
    ...(shown.length < visible.length ? { totalTasks: visible.length } : {}),
  };
}

const cut = (text: string) => (text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`);
