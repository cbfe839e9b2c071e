import { expect, test } from "bun:test";
import { ToolError, type ToolContext } from "@keelson/engine";
import type { TaskRow, TaskTable } from "./table.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";

const running: TaskRow = {
  id: "b1",
  type: "local_bash",
  status: "running",
  command: "serve",
  description: "Serve",
  exitCode: null,
};

function tableOf(row: TaskRow, written = "") {
  const calls: unknown[] = [];
  let current = row;
  const table: TaskTable = {
    get: (id) => (id === row.id ? current : undefined),
    async stop(id) {
      calls.push({ stop: id });
      current = { ...row, status: "killed" };
      return true;
    },
    async wait(id, { timeoutMs }) {
      calls.push({ wait: id, timeoutMs });
    },
    output: (_, maxBytes) => ({ text: written.slice(-maxBytes), size: written.length }),
  };
  return { table, calls };
}

const context = (env: Record<string, string> = {}) => ({ signal: new AbortController().signal, env }) as ToolContext;

test("TaskOutput waits and shows status, exit code and output", async () => {
  const { table, calls } = tableOf({ ...running, status: "completed", exitCode: 0 }, "done\n");
  const tool = taskOutputTool(table);
  const output = await tool.run({ task_id: "b1" }, context());
  expect(output).toEqual({
    retrieval_status: "success",
    task: {
      task_id: "b1",
      task_type: "local_bash",
      status: "completed",
      description: "Serve",
      output: "done\n",
      exitCode: 0,
    },
  });
  expect(tool.show(output)).toBe(
    "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\ndone\n</output>",
  );
  expect(calls).toEqual([{ wait: "b1", timeoutMs: 30_000 }]);
});

test("TaskOutput reports a task that is still running, and shows no more than the limit", async () => {
  const { table, calls } = tableOf(running, "0123456789");
  const tool = taskOutputTool(table);
  const look = await tool.run({ task_id: "b1", block: false }, context({ TASK_MAX_OUTPUT_LENGTH: "4" }));
  expect([look.retrieval_status, look.task.output, calls.length]).toEqual([
    "not_ready",
    "[Showing the last 4 of 10 bytes]\n6789",
    0,
  ]);
  expect((await tool.run({ task_id: "b1", timeout: 0 }, context())).retrieval_status).toBe("timeout");
});

test("TaskOutput shows the final text of an agent, not its transcript", async () => {
  const agent: TaskRow = { ...running, id: "a1", type: "local_agent", agent: { prompt: "Find it" } };
  const { command: _, ...row } = agent;
  const look = await taskOutputTool(tableOf(row, "{}\n").table).run({ task_id: "a1", block: false }, context());
  expect(look.task).toMatchObject({ task_type: "local_agent", status: "running", output: "", prompt: "Find it" });
  const ended = taskOutputTool(tableOf({ ...row, status: "failed", result: "It is there", error: "Too slow" }).table);
  const output = await ended.run({ task_id: "a1" }, context());
  expect(output.task).toMatchObject({ output: "It is there", result: "It is there", error: "Too slow" });
  expect(ended.show(output)).toEndWith("<output>\nIt is there\n</output>\n\n<error>Too slow</error>");
});

test("TaskOutput accepts the older field name and rejects unknown ids", () => {
  const tool = taskOutputTool(tableOf(running).table);
  expect(tool.repair!({ bash_id: "b1" })).toEqual({ task_id: "b1" });
  expect(() => tool.check!({ task_id: "nope" }, context())).toThrow(new ToolError("No task found with ID: nope"));
});

test("TaskStop accepts either name for the id", async () => {
  const { table, calls } = tableOf(running);
  const tool = taskStopTool(table);
  const output = await tool.run({ shell_id: "b1" }, context());
  expect(output).toEqual({
    message: "Successfully stopped task: b1 (serve)",
    task_id: "b1",
    task_type: "local_bash",
    command: "serve",
  });
  expect(calls).toEqual([{ stop: "b1" }]);
});

test("TaskStop names an agent by its description", async () => {
  const { command: _, ...row } = { ...running, type: "local_agent", agent: { prompt: "Find it" } };
  expect(await taskStopTool(tableOf(row).table).run({ task_id: "b1" }, context())).toEqual({
    message: "Successfully stopped task: b1 (Serve)",
    task_id: "b1",
    task_type: "local_agent",
  });
});

test("TaskStop rejects a missing id, an unknown task and one that has ended", () => {
  const tool = taskStopTool(tableOf({ ...running, status: "completed" }).table);
  expect(() => tool.check!({}, context())).toThrow("Missing required parameter: task_id");
  expect(() => tool.check!({ task_id: "nope" }, context())).toThrow("No task found with ID: nope");
  expect(() => tool.check!({ task_id: "b1" }, context())).toThrow("Task b1 is not running (status: completed)");
});
