// TaskList: the tasks of the shared list, one line each.

import { printableSentence } from "@keelson/protocol";
import { defineTool, object, type Tool } from "@keelson/engine";
import { numbers } from "./task-id.ts";
import type { TaskKeeper, TaskListOutput } from "./task-keeper.ts";
import description from "./task-list.md" with { type: "text" };

const LONGEST_SUBJECT = 300;

export function taskListTool(keeper: TaskKeeper): Tool<Record<string, never>, TaskListOutput> {
  return defineTool<Record<string, never>, TaskListOutput>({
    name: "TaskList",
    description,
    input: object({}),
    parallelSafe: true,
    /** Nothing can be chosen. */
    repair: () => ({}),
    kind: "think",
    access: () => ({ kind: "none" }),
    run: () => keeper.list(),
    show({ tasks, totalTasks }) {
      if (tasks.length === 0) return "No tasks found";
      const lines = tasks.map(lineOf);
      if (totalTasks !== undefined)
        lines.push(`(${tasks.length} of ${totalTasks} tasks. The others are completed, or come after these.)`);
      return lines.join("\n");
    },
  });
}

function lineOf({ id, subject, status, owner, blockedBy }: TaskListOutput["tasks"][number]): string {
  const who = owner === undefined ? "" : ` (${plain(owner)})`;
  const waits = blockedBy.length === 0 ? "" : ` [blocked by ${numbers(blockedBy)}]`;
  return `#${id} [${status}] ${plain(subject)}${who}${waits}`;
}

/** On one line: a subject cannot look like another task. */
function plain(text: string): string {
  const line = printableSentence(text);
  return line.length <= LONGEST_SUBJECT ? line : `${line.slice(0, LONGEST_SUBJECT)}…`;
}
