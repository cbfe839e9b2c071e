// TaskCreate: adds a task to the shared list.

import { anyObject, defineTool, object, optional, string, type Tool } from "@keelson/engine";
import description from "./task-create.md" with { type: "text" };
import type { TaskCreateInput, TaskCreateOutput, TaskKeeper } from "./task-keeper.ts";

export function taskCreateTool(keeper: TaskKeeper): Tool<TaskCreateInput, TaskCreateOutput> {
  return defineTool<TaskCreateInput, TaskCreateOutput>({
    name: "TaskCreate",
    description,
    input: object({
      subject: string("The task as a short instruction: Fix the login test", { minLength: 1 }),
      description: string("What has to be done, and when it is done"),
      activeForm: optional(string("The task in progress: Fixing the login test")),
      metadata: optional(anyObject("Other values to keep with the task")),
    }),

    dropsUnknown: true,
    /** Models leave it out when the subject says everything. */
    repair: (input) => ("description" in input ? input : { ...input, description: "" }),

    kind: "think",
    describe: (input) => input.text("subject"),
    access: () => ({ kind: "none" }),
    run: (input) => keeper.create(input),
    show: ({ task: { id, subject } }) => `Task #${id} created successfully: ${subject}`,
  });
}
