import { expect, test } from "bun:test";
import { McpConnection } from "../connection/connection.ts";
import { ADD, fakeServer } from "../connection/fake-server.test-support.ts";

const TOOL = { ...ADD, name: "research", execution: { taskSupport: "required" } };
const { signal } = new AbortController();

async function connect(answers: Parameters<typeof fakeServer>[0]) {
  const task = { taskId: "t1", status: "working", pollInterval: 1 };
  const { transport, heard } = fakeServer({ "tools/list": { tools: [TOOL, ADD] }, "tools/call": { task }, ...answers });
  const connection = new McpConnection({ name: "s", transport, timeoutMs: 20_000, callTimeoutMs: 20_000 });
  await connection.open();
  const methods = () => heard.map(({ method }) => method).slice(3);
  return { connection, heard, methods };
}

test("a tool that runs as a task is asked for its result when the task is over", async () => {
  let asked = 0;
  const { connection, heard, methods } = await connect({
    "tasks/get": () => ({ taskId: "t1", status: ++asked < 2 ? "working" : "completed", pollInterval: 1 }),
    "tasks/result": { content: [{ type: "text", text: "found" }] },
  });
  const result = await connection.call("research", { topic: "x" }, { signal, toolUseId: "u" });
  expect(result!.raw).toEqual([{ type: "text", text: "found" }]);
  expect(methods()).toEqual(["tools/call", "tasks/get", "tasks/get", "tasks/result"]);
  expect(heard[3]!["params"]).toMatchObject({ name: "research", arguments: { topic: "x" }, task: {} });
  expect(heard.at(-1)!["params"]).toEqual({ taskId: "t1" });
});

test("other tools run as ever, and a server may answer at once", async () => {
  const { connection, heard, methods } = await connect({ "tools/call": { content: [{ type: "text", text: "3" }] } });
  for (const tool of ["add", "research"]) {
    expect((await connection.call(tool, {}, { signal }))!.raw).toEqual([{ type: "text", text: "3" }]);
  }
  expect(methods()).toEqual(["tools/call", "tools/call"]);
  expect(heard[3]!["params"]).not.toHaveProperty("task");
});

test("a call that is given up cancels its task", async () => {
  const stop = new AbortController();
  const { connection, methods } = await connect({
    "tasks/get": () => {
      stop.abort(new Error("Interrupted"));
      return { taskId: "t1", status: "working" };
    },
    "tasks/cancel": {},
  });
  await expect(connection.call("research", {}, { signal: stop.signal })!).rejects.toThrow("Interrupted");
  expect(methods()).toContain("tasks/cancel");
  await connection.close();
});
