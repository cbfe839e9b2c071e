import { expect, test } from "bun:test";
import { createTasks } from "./task-table.ts";
import type { Task } from "./task.ts";

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
      progress: (task) => told.push(`progress ${task.progress?.toolUses}`),
      updated: (_, changed) => told.push(`updated ${Object.keys(changed).sort().join(" ")}`),
      ended: (task) => told.push(`ended ${task.exitCode}`),
    },
  });
  const task = tasks.start(row, () => {});
  const waiting = tasks.wait("b1", { timeoutMs: 60_000, signal });
  const progress = { totalTokens: 5, toolUses: 1, durationMs: 2, lastTool: "Read" };
  task.progress(progress);
  task.end({ status: "completed", exitCode: 0, result: "x".repeat(200_000) });
  task.end({ status: "failed", exitCode: 1 });
  task.progress({ ...progress, toolUses: 2 });
  task.backgrounded();
  await waiting;
  expect(told).toEqual(["started running", "progress 1", "updated endMs exitCode result status", "ended 0"]);
  expect(tasks.list()).toEqual([
    {
      ...row,
      inBackground: true,
      status: "completed",
      exitCode: 0,
      startMs: 10,
      endMs: 11,
      progress,
      result: "x".repeat(100_000),
    },
  ]);
});

test("a stopped task is reported as killed, whatever its exit code is", async () => {
  const tasks = createTasks();
  const task = tasks.start(row, () => task.end({ status: "completed", exitCode: 0 }));
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
  for (let n = 0; n < 1_005; n++)
    tasks.start({ ...row, id: `b${n}` }, () => {}).end({ status: "completed", exitCode: 0 });
  expect([tasks.list().length, tasks.get("b4"), tasks.get("b5")?.id]).toEqual([1_000, undefined, "b5"]);
});

test("a task moves to the background once, by its own id or by that of its tool call", async () => {
  const told: string[] = [];
  const tasks = createTasks({
    watchers: { updated: (task, changed) => told.push(`${task.id} ${Object.keys(changed)[0]}`) },
  });
  const moves: string[] = [];
  const start = (id: string, toBackground?: () => boolean | void) =>
    tasks.start({ ...row, id, toolUseId: `use_${id}`, inBackground: false }, () => {}, { toBackground });
  start("b1", () => void moves.push("b1"));
  start("b2", () => void moves.push("b2"));
  start("late", () => false);
  start("stays");
  tasks.start({ ...row, id: "already" }, () => {});
  expect([tasks.get("b1")?.inBackground, tasks.get("already")?.inBackground]).toEqual([false, true]);
  const ids = ["b1", "use_b2", "b2", "late", "stays", "already", "nope"];
  expect(await Promise.all(ids.map((id) => tasks.moveToBackground(id)))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect([moves, told]).toEqual([
    ["b1", "b2"],
    ["b1 inBackground", "b2 inBackground"],
  ]);
  expect(await tasks.moveToBackground("b1")).toBe(false);
});

test("a task that ends while it is being moved was moved only if it said so", async () => {
  const tasks = createTasks();
  const end = { status: "completed", exitCode: 0 } as const;
  const ends = tasks.start({ ...row, inBackground: false }, () => {}, { toBackground: () => ends.end(end) });
  expect(await tasks.moveToBackground("b1")).toBe(false);
  const moves = tasks.start({ ...row, id: "b2", inBackground: false }, () => {}, {
    toBackground() {
      moves.backgrounded();
      moves.end(end);
    },
  });
  expect([await tasks.moveToBackground("b2"), tasks.get("b2")?.status]).toEqual([true, "completed"]);
});

test("byToolUse() finds the latest task, and an ended task may start again under its id", () => {
  const tasks = createTasks();
  const first = tasks.start(row, () => {});
  expect(() => tasks.start(row, () => {})).toThrow("Task 'b1' is already running");
  tasks.start({ ...row, id: "b2" }, () => {});
  expect([tasks.byToolUse("t")?.id, tasks.byToolUse("u")]).toEqual(["b2", undefined]);
  first.end({ status: "completed" });
  tasks.start(row, () => {});
  expect(tasks.list().map(({ id, status }) => `${id} ${status}`)).toEqual(["b2 running", "b1 running"]);
  first.end({ status: "failed" });
  expect(tasks.get("b1")?.status).toBe("running");
});

test("stopOwnedBy() stops what one subagent started", async () => {
  const tasks = createTasks();
  const stopped: string[] = [];
  const start = (id: string, owner?: string) => {
    const task = tasks.start({ ...row, id, ...(owner ? { owner } : {}) }, () => {
      stopped.push(id);
      task.end({ status: "failed" });
    });
  };
  start("b1", "a1");
  start("b2", "a2");
  start("b3");
  start("b4", "a1");
  await tasks.stopOwnedBy("a1");
  await tasks.stopOwnedBy("a1");
  expect(stopped).toEqual(["b1", "b4"]);
  expect(tasks.list().map(({ status }) => status)).toEqual(["killed", "running", "running", "killed"]);
});

test("a task that is over before it is announced is never told of and leaves nothing", () => {
  const told: string[] = [];
  const timers: (() => void)[] = [];
  const tell = (what: string) => (task: Task) => void told.push(`${what} ${task.id} ${task.inBackground}`);
  const tasks = createTasks({
    watchers: { started: tell("started"), progress: tell("progress"), updated: tell("updated"), ended: tell("ended") },
    later: (_, then) => {
      timers.push(then);
      return () => void timers.splice(timers.indexOf(then), 1);
    },
  });
  const start = (id: string) => tasks.start({ ...row, id, inBackground: false }, () => {}, { announceAfterMs: 3_000 });
  const end = { status: "completed", exitCode: 0 } as const;

  start("short").end(end);
  expect([told, timers.length, tasks.get("short")]).toEqual([[], 0, undefined]);
  const long = start("long");
  long.progress({ totalTokens: 1, toolUses: 1, durationMs: 1 });
  timers.shift()!();
  long.end(end);
  expect(told.splice(0)).toEqual(["started long false", "updated long false", "ended long false"]);
  const moved = start("moved");
  moved.backgrounded("/tmp/moved");
  moved.end(end);
  expect([told, timers.length]).toEqual([["started moved true", "updated moved true", "ended moved true"], 0]);
});
