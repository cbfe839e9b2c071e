// TaskStop: stops a background task.

import { defineTool, object, optional, string, ToolError, type Tool } from "@keelson/engine";
import description from "./task-stop.md" with { type: "text" };
import type { TaskTable } from "./table.ts";

export interface TaskStopInput {
  readonly task_id?: string;
  readonly shell_id?: string;
}

export interface TaskStopOutput {
  readonly message: string;
  readonly task_id: string;
  readonly task_type: string;
  readonly command?: string;
}

export function taskStopTool(table: TaskTable): Tool<TaskStopInput, TaskStopOutput> {
  return defineTool<TaskStopInput, TaskStopOutput>({
    name: "TaskStop",
    description,
    input: object({
      task_id: optional(string("The id of the task to stop")),
      shell_id: optional(string("Older name of task_id")),
    }),
    aliases: ["KillShell", "KillBash"],

    check(input) {
      findRunning(table, input);
    },
    access: () => ({ kind: "none" }),

    async run(input) {
      const { id, type, command, description: about } = findRunning(table, input);
      await table.stop(id);
      return {
        message: `Successfully stopped task: ${id} (${command ?? about})`,
        task_id: id,
        task_type: type,
        ...(command === undefined ? {} : { command }),
      };
    },

    show: ({ message }) => message,
  });
}

function findRunning(table: TaskTable, { task_id, shell_id }: TaskStopInput) {
  const id = task_id ?? shell_id;
  if (!id) throw new ToolError("Missing required parameter: task_id");
  const row = table.get(id);
  if (!row) throw new ToolError(`No task found with ID: ${id}`);
  if (row.status !== "running") throw new ToolError(`Task ${id} is not running (status: ${row.status})`);
  return row;
}
