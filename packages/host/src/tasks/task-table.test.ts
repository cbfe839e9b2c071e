import { expect, test } from "bun:test";
import { createTasks } from "./task-table.ts";

const row = {
  id: "b1",
  type: "local_bash",
  command: "sleep",
  description: "d",
  toolUseId: "t",
  outputPath: "/nowhere/x",
};
const signal = new AbortController().signal;

test("a task starts, ends once, and is reported to the watchers in order", async () => {
  const told: string[] = [];
  let time = 10;
  const tasks = createTasks({
    now: () => time++,
    watchers: {
      started: (task) => told.push(`started ${task.status}`),
      updated: (task) => told.push(`updated ${task.status}`),
      ended: (task) => told.push(`ended ${task.exitCode}`),
    },
  });
  const end = tasks.start(row, () => {});
  const waiting = tasks.wait("b1", { timeoutMs: 60_000, signal });
  end({ status: "completed", exitCode: 0 });
  end({ status: "failed", exitCode: 1 });
  await waiting;
  expect(told).toEqual(["started running", "updated completed", "ended 0"]);
  expect(tasks.list()).toEqual([{ ...row, status: "completed", exitCode: 0, startMs: 10, endMs: 11 }]);
});

test("a stopped task is reported as killed, whatever its exit code is", async () => {
  const tasks = createTasks();
  const end = tasks.start(row, () => end({ status: "completed", exitCode: 0 }));
  expect(await tasks.stop("b1")).toBe(true);
  expect(tasks.get("b1")?.status).toBe("killed");
  expect(await tasks.stop("b1")).toBe(false);
  expect(await tasks.stop("nope")).toBe(false);
});

test("wait() ends when the timeout expires or the signal aborts", async () => {
  const tasks = createTasks();
  tasks.start(row, () => {});
  await tasks.wait("b1", { timeoutMs: 1, signal });
  const controller = new AbortController();
  const waiting = tasks.wait("b1", { timeoutMs: 60_000, signal: controller.signal });
  controller.abort();
  await waiting;
  expect(tasks.get("b1")?.status).toBe("running");
});

test("the number of ended tasks is limited", () => {
  const tasks = createTasks();
  for (let n = 0; n < 1_005; n++) tasks.start({ ...row, id: `b${n}` }, () => {})({ status: "completed", exitCode: 0 });
  expect([tasks.list().length, tasks.get("b4"), tasks.get("b5")?.id]).toEqual([1_000, undefined, "b5"]);
});
