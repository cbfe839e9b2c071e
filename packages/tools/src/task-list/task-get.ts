// TaskGet: one task of the shared list, in full.

import { defineTool, object, string, type Tool } from "@keelson/engine";
import description from "./task-get.md" with { type: "text" };
import { numbers, withTaskId } from "./task-id.ts";
import type { TaskGetOutput, TaskKeeper } from "./task-keeper.ts";

export function taskGetTool(keeper: TaskKeeper): Tool<{ taskId: string }, TaskGetOutput> {
  return defineTool<{ taskId: string }, TaskGetOutput>({
    name: "TaskGet",
    description,
    input: object({ taskId: string("The id of the task") }),
    parallelSafe: true,
    repair: withTaskId,
    kind: "think",
    access: () => ({ kind: "none" }),
    run: ({ taskId }) => keeper.get(taskId),
    show({ task }) {
      if (!task) return "Task not found";
      return [
        `Task #${task.id}: ${task.subject}`,
        `Status: ${task.status}`,
        `Description: ${task.description}`,
        ...(task.blockedBy.length > 0 ? [`Blocked by: ${numbers(task.blockedBy)}`] : []),
        ...(task.blocks.length > 0 ? [`Blocks: ${numbers(task.blocks)}`] : []),
      ].join("\n");
    },
  });
}
