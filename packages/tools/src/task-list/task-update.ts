// TaskUpdate: changes a task of the shared list, or deletes it.

import { anyObject, array, defineTool, object, oneOf, optional, string, type Tool } from "@keelson/engine";
import { idOf, withTaskId } from "./task-id.ts";
import { STATUSES, type TaskKeeper, type TaskUpdateInput, type TaskUpdateOutput } from "./task-keeper.ts";
import description from "./task-update.md" with { type: "text" };

export function taskUpdateTool(keeper: TaskKeeper): Tool<TaskUpdateInput, TaskUpdateOutput> {
  return defineTool<TaskUpdateInput, TaskUpdateOutput>({
    name: "TaskUpdate",
    description,
    input: object({
      taskId: string("The id of the task"),
      subject: optional(string("A new subject")),
      description: optional(string("A new description")),
      activeForm: optional(string("A new text for the task in progress")),
      status: optional(oneOf([...STATUSES, "deleted"], "The new status; deleted removes the task")),
      addBlocks: optional(array(string(), "Ids of tasks that have to wait for this one")),
      addBlockedBy: optional(array(string(), "Ids of tasks that have to be done first")),
      owner: optional(string("Who does the task; empty for no one")),
      metadata: optional(anyObject("Values to add or replace; null deletes a key")),
    }),

    repair(input) {
      const repaired = withTaskId(input);
      for (const key of ["addBlocks", "addBlockedBy"]) {
        const ids = repaired[key];
        if (Array.isArray(ids)) repaired[key] = ids.map(idOf);
      }
      return repaired;
    },

    kind: "think",
    describe: (input) => {
      const title = input.text("subject") || input.text("description");
      return title === "" ? {} : title;
    },
    access: () => ({ kind: "none" }),
    run: (input) => keeper.update(input),
    show: ({ success, taskId, updatedFields, error }) =>
      success ? `Updated task #${taskId} ${updatedFields.join(", ")}` : (error ?? "Task not found"),
  });
}
