// TaskOutput: the status and latest output of a task.

import {
  boolean,
  cutMiddle,
  defineTool,
  number,
  object,
  optional,
  string,
  ToolError,
  type Tool,
} from "@keelson/engine";
import description from "./task-output.md" with { type: "text" };
import type { TaskRow, TaskTable } from "./table.ts";

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;
const DEFAULT_MAX_OUTPUT = 32_000;
const MAX_OUTPUT = 160_000;

export interface TaskOutputInput {
  readonly task_id: string;
  readonly block?: boolean;
  readonly timeout?: number;
}

export interface TaskOutputOutput {
  readonly retrieval_status: "success" | "timeout" | "not_ready";
  readonly task: {
    readonly task_id: string;
    readonly task_type: string;
    readonly status: string;
    readonly description: string;
    readonly output: string;
    readonly exitCode: number | null;
    /** Only for agents. */
    readonly prompt?: string;
    readonly result?: string;
    readonly error?: string;
  };
}

export function taskOutputTool(table: TaskTable): Tool<TaskOutputInput, TaskOutputOutput> {
  return defineTool<TaskOutputInput, TaskOutputOutput>({
    name: "TaskOutput",
    description,
    input: object({
      task_id: string("The id of the task"),
      block: optional(boolean("Wait until the task ends (default), or return at once", { default: true })),
      timeout: optional(
        number("How long to wait, in milliseconds", { default: DEFAULT_WAIT_MS, minimum: 0, maximum: MAX_WAIT_MS }),
      ),
    }),
    aliases: ["BashOutput", "AgentOutputTool"],
    describe: (input) => input.text("task_id"),
    parallelSafe: true,
    maxShown: MAX_OUTPUT + 20_000,

    dropsUnknown: true,
    /** Older models use the field name of the older tool. */
    repair({ bash_id, ...input }) {
      return bash_id === undefined || input["task_id"] !== undefined ? input : { ...input, task_id: bash_id };
    },
    check({ task_id }) {
      if (!table.get(task_id)) throw new ToolError(`No task found with ID: ${task_id}`);
    },
    access: () => ({ kind: "none" }),

    async run({ task_id, block = true, timeout = DEFAULT_WAIT_MS }, { signal, env }) {
      if (block) await table.wait(task_id, { timeoutMs: Math.min(timeout, MAX_WAIT_MS), signal });
      const row = table.get(task_id);
      if (!row) throw new ToolError(`No task found with ID: ${task_id}`);
      const max = maxOutputFor(env);
      const about = row.agent ? agentFields(row, row.agent, max) : { output: lastPart(table.output(task_id, max)) };
      return {
        retrieval_status: row.status !== "running" ? "success" : block ? "timeout" : "not_ready",
        task: {
          task_id,
          task_type: row.type,
          status: row.status,
          description: row.description,
          ...about,
          exitCode: row.exitCode,
        },
      };
    },

    show: ({ retrieval_status, task }) =>
      [
        `<retrieval_status>${retrieval_status}</retrieval_status>`,
        `<task_id>${task.task_id}</task_id>`,
        `<task_type>${task.task_type}</task_type>`,
        `<status>${task.status}</status>`,
        ...(task.exitCode === null ? [] : [`<exit_code>${task.exitCode}</exit_code>`]),
        ...(task.output.trim() === "" ? [] : [`<output>\n${task.output.trimEnd()}\n</output>`]),
        ...(task.error === undefined ? [] : [`<error>${task.error}</error>`]),
      ].join("\n\n"),
  });
}

/** The file of an agent is its transcript; what counts is its final text. */
function agentFields({ result, error }: TaskRow, { prompt }: NonNullable<TaskRow["agent"]>, maxChars: number) {
  const text = result === undefined ? undefined : cutMiddle(result, maxChars);
  return {
    output: text ?? "",
    prompt,
    ...(text === undefined ? {} : { result: text }),
    ...(error === undefined ? {} : { error }),
  };
}

function lastPart({ text, size }: { readonly text: string; readonly size: number }): string {
  const shown = Buffer.byteLength(text);
  return shown >= size ? text : `[Showing the last ${shown} of ${size} bytes]\n${text}`;
}

function maxOutputFor(env: Readonly<Record<string, string | undefined>>): number {
  const requested = Number.parseInt(env["TASK_MAX_OUTPUT_LENGTH"] ?? "", 10);
  return requested > 0 ? Math.min(requested, MAX_OUTPUT) : DEFAULT_MAX_OUTPUT;
}
