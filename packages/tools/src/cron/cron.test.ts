import { expect, test } from "bun:test";
import { ToolError, validateInput } from "@keelson/engine";
import { call, toolWorld } from "../tool-world.test-support.ts";
import { cronCreateTool, cronDeleteTool, cronListTool } from "./cron.ts";
import type { ListedJob, NewJob, NewWakeup, ScheduleKeeper } from "./schedule-keeper.ts";
import { scheduleWakeupTool } from "./schedule-wakeup.ts";

function keeper({
  isOpen = true,
  fires = true,
  problem,
}: { isOpen?: boolean; fires?: boolean; problem?: string } = {}) {
  const jobs: ListedJob[] = [];
  const waiting: NewWakeup[] = [];
  const kept: ScheduleKeeper = {
    async checkNew(cron) {
      if (cron === "bad") throw new ToolError("Invalid");
    },
    async create(job: NewJob) {
      const listed = {
        ...job,
        id: "0a1b2c3d",
        humanSchedule: "Weekdays at 9:00 AM",
        ...(fires ? { nextFireAt: 7 } : {}),
      };
      jobs.push(listed);
      return listed;
    },
    list: async () => ({ jobs, ...(problem === undefined ? {} : { problem }) }),
    delete: async (id) => jobs.splice(0).some((job) => job.id === id),
    async wake(wakeup) {
      waiting.splice(0, 1, wakeup);
      return isOpen ? { id: "w1", at: 1_000 + wakeup.delayMs } : undefined;
    },
    cancelWake: async () => void waiting.splice(0),
  };
  return { kept, jobs, waiting };
}

const JOB = { cron: "0 9 * * 1-5", prompt: "Look at the tests" };

test.each([
  [
    {},
    "Scheduled recurring job 0a1b2c3d (Weekdays at 9:00 AM). It is not saved: it ends with this session. It ends after 7 days; CronDelete ends it sooner.",
  ],
  [
    { durable: true },
    "Scheduled recurring job 0a1b2c3d (Weekdays at 9:00 AM). It is saved in .claude/scheduled_tasks.json. It ends after 7 days; CronDelete ends it sooner.",
  ],
  [
    { recurring: false },
    "Scheduled one-shot task 0a1b2c3d (Weekdays at 9:00 AM). It is not saved: it ends with this session. It fires once.",
  ],
])("CronCreate with %j reads as in the reference", async (more, text) => {
  using world = toolWorld();
  const { kept, jobs } = keeper();
  const tool = cronCreateTool(kept);
  const output = await call(tool, { ...JOB, ...more }, world.context);
  const { recurring, durable } = { recurring: true, durable: false, ...more };
  expect(output).toEqual({ id: "0a1b2c3d", humanSchedule: "Weekdays at 9:00 AM", recurring, durable, nextFireAt: 7 });
  expect(jobs).toMatchObject([{ ...JOB, recurring, durable }]);
  expect(tool.show(output)).toBe(text);
});

test("CronCreate accepts the older name of the flag, and says when a job does not fire", async () => {
  using world = toolWorld();
  const tool = cronCreateTool(keeper({ fires: false }).kept);
  expect(validateInput(tool, { ...JOB, is_recurring: false })).toEqual({
    ok: true,
    input: { ...JOB, recurring: false, durable: false },
  });
  expect(validateInput(tool, { ...JOB, recurring: true, is_recurring: false })).toMatchObject({
    ok: true,
    input: { recurring: true },
  });
  expect(tool.show(await call(tool, { ...JOB, durable: true }, world.context))).toEndWith(
    " It does not fire yet; CronList says why.",
  );
  expect(call(tool, { ...JOB, cron: "bad" }, world.context)).rejects.toThrow("Invalid");
});

test("CronList shows one line for each job, whatever its prompt contains", async () => {
  using world = toolWorld();
  const { kept, jobs } = keeper();
  const tool = cronListTool(kept);
  expect(tool.show(await call(tool, {}, world.context))).toBe("No scheduled jobs.");
  const broken = cronListTool(keeper({ problem: "x.json is not JSON" }).kept);
  expect(broken.show(await call(broken, {}, world.context))).toBe("No scheduled jobs.\n(x.json is not JSON)");
  const job = { ...JOB, id: "0a1b2c3d", humanSchedule: "Weekdays at 9:00 AM", recurring: true, durable: false };
  jobs.push(job, {
    ...job,
    id: "00000002",
    recurring: false,
    durable: true,
    inactive: "this folder is not trusted",
    prompt: `a\n00000003 — b\u202e\u0007${"x".repeat(3_000)}`,
  });
  const lines = (tool.show(await call(tool, {}, world.context)) as string).split("\n");
  expect(lines).toEqual([
    "0a1b2c3d — Weekdays at 9:00 AM (recurring) [session-only]: Look at the tests",
    `00000002 — Weekdays at 9:00 AM (one-shot) [does not fire: this folder is not trusted]: a 00000003 — b ${"x".repeat(1_985)}…`,
  ]);
});

test("CronDelete cancels a job it knows", async () => {
  using world = toolWorld();
  const { kept } = keeper();
  const tool = cronDeleteTool(kept);
  expect(call(tool, { id: "nope" }, world.context)).rejects.toThrow("No scheduled job with id 'nope'");
  await kept.create({ ...JOB, recurring: true, durable: false });
  const output = await call(tool, { id: "0a1b2c3d" }, world.context);
  expect([output, tool.show(output)]).toEqual([{ id: "0a1b2c3d" }, "Cancelled job 0a1b2c3d."]);
  // It was over between the check and the call.
  expect(tool.run({ id: "0a1b2c3d" }, world.context)).rejects.toThrow("No scheduled job with id '0a1b2c3d'");
});

test.each([
  [300, 300, false],
  [5, 60, true],
  [99_999, 3_600, true],
  [60.4, 60, false],
])("ScheduleWakeup in %d seconds waits %d", async (delaySeconds, clampedDelaySeconds, wasClamped) => {
  using world = toolWorld();
  const { kept, waiting } = keeper();
  const tool = scheduleWakeupTool(kept);
  const output = await call(tool, { delaySeconds, reason: "a build", prompt: "Look again" }, world.context);
  expect(output).toEqual({
    scheduledFor: 1_000 + clampedDelaySeconds * 1_000,
    clampedDelaySeconds,
    wasClamped,
    taskId: "w1",
  });
  const { toolUseId } = world.context;
  expect(waiting).toEqual([
    { delayMs: clampedDelaySeconds * 1_000, prompt: "Look again", reason: "a build", toolUseId },
  ]);
  const limited = wasClamped ? " (the delay is limited to 60 to 3600 seconds)" : "";
  expect(tool.show(output)).toBe(
    `Wakeup scheduled in ${clampedDelaySeconds} seconds${limited}, as task w1. End your turn now.`,
  );
});

test("ScheduleWakeup stops, and schedules nothing in a session that ends with its input", async () => {
  using world = toolWorld();
  const { kept, waiting } = keeper();
  const tool = scheduleWakeupTool(kept);
  await call(tool, { delaySeconds: 60, reason: "r", prompt: "p", noop: true }, world.context);
  const stopped = await call(tool, { stop: true }, world.context);
  expect([stopped, waiting]).toEqual([
    { scheduledFor: 0, clampedDelaySeconds: 0, wasClamped: false, stopped: true },
    [],
  ]);
  expect(tool.show(stopped)).toBe("The loop has ended. Nothing is scheduled.");
  expect(call(tool, { delaySeconds: 60, reason: "r" }, world.context)).rejects.toThrow(
    "The required parameter `prompt` is missing",
  );
  const closed = scheduleWakeupTool(keeper({ isOpen: false }).kept);
  const nothing = await call(closed, { delaySeconds: 60, reason: "r", prompt: "p" }, world.context);
  expect(nothing).toEqual({ scheduledFor: 0, clampedDelaySeconds: 0, wasClamped: false });
  expect(closed.show(nothing)).toStartWith("Wakeup not scheduled. ");
});

test("the descriptions fit every request", () => {
  const { kept } = keeper();
  const tools = [cronCreateTool(kept), cronListTool(kept), cronDeleteTool(kept), scheduleWakeupTool(kept)];
  for (const { description } of tools) {
    expect(description.length).toBeGreaterThan(100);
    expect(description.length).toBeLessThan(1_536);
  }
});
