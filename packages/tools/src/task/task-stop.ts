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

    check(input, { owner }) {
      findRunning(table, input, owner);
    },
    describe: (input) => input.text("task_id") || input.text("shell_id"),
    access: () => ({ kind: "none" }),

    async run(input, { owner }) {
      const { id, type, command, description: about } = findRunning(table, input, owner);
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

/** A subagent stops what it started: never itself or those it works for, which would wait for each other. */
function findRunning(table: TaskTable, { task_id, shell_id }: TaskStopInput, agent: string | undefined) {
  const id = task_id ?? shell_id;
  if (!id) throw new ToolError("Missing required parameter: task_id");
  const row = table.get(id);
  if (!row || (agent !== undefined && row.owner !== agent)) throw new ToolError(`No task found with ID: ${id}`);
  if (row.status !== "running") throw new ToolError(`Task ${id} is not running (status: ${row.status})`);
  return row;
}
