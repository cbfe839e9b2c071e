import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { PermissionMode } from "@keelson/protocol";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTasks } from "@keelson/host";
import { createZone } from "@keelson/engine/schedule";
import { Inbox } from "../stream/inbox.ts";
import { SessionSchedules, type ScheduleParts } from "./session-schedules.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NINE = Date.parse("2026-06-01T09:00:00Z");
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A session with a clock that the test moves: nothing here waits. */
function session({ now = NINE, zone = "UTC", project }: { now?: number; zone?: string; project?: string } = {}) {
  const folder = project ?? realpathSync(mkdtempSync(join(tmpdir(), "keelson-schedule-")));
  folders.push(folder);
  const state = { now, running: false, whyNot: undefined as string | undefined, ticks: 0 };
  const modes: { session: PermissionMode } = { session: "acceptEdits" };
  const notes: any[] = [];
  const warnings: string[] = [];
  const fired: { prompt: string; at: string; origin: any; mostMode: PermissionMode | undefined }[] = [];
  const inbox = new Inbox();
  const told: string[] = [];
  const tasks = createTasks({
    watchers: { ended: ({ id, status, endKnown }) => void told.push(`${id} ${status}${endKnown ? "" : ", notice"}`) },
    now: () => state.now,
  });
  let timer: { at: number; fire: () => void } | undefined;
  let ids = project === undefined ? 0 : 256;
  const schedules = new SessionSchedules({
    place: { id: "session", dir: "", path: null },
    outbox: { note: (entry: unknown) => void notes.push(entry) } as ScheduleParts["outbox"],
    inbox,
    runState: {
      get running() {
        return state.running;
      },
    } as ScheduleParts["runState"],
    now: () => state.now,
    newId: () => `${(++ids).toString(16).padStart(8, "0")}-`,
    project: folder,
    tasks,
    whyNotDurable: () => state.whyNot,
    modeOf: (owner) => (owner === undefined ? modes.session : "dontAsk"),
    warn: (text) => void warnings.push(text),
    zone: createZone(zone),
    startTimer: (ms, fire) => {
      timer = { at: state.now + ms, fire };
      return () => (timer = undefined);
    },
  });
  /** The loop of a session: runs what is in the inbox, then waits again. */
  const work = () => {
    for (let next = inbox.shift(); next?.prompt; next = inbox.shift()) {
      const { message, origin, mostMode } = next.prompt;
      const at = new Date(state.now).toISOString().slice(5, 16);
      fired.push({ prompt: message.content as string, at, origin, mostMode });
    }
    schedules.idle();
  };
  /** Moves the clock. The computer is awake: timers run when they are due. */
  const pass = async (ms: number) => {
    const end = state.now + ms;
    while (timer && timer.at <= end) {
      const { at, fire } = timer;
      timer = undefined;
      state.now = Math.max(state.now, at);
      state.ticks++;
      fire();
      // A firing takes some turns: it may be claimed on disk.
      for (let turn = 0; turn < 50 && timer === undefined && inbox.waiting === 0; turn++) await Promise.resolve();
      const isFiring = inbox.waiting > 0;
      work();
      for (let turn = 0; turn < 50 && isFiring && timer === undefined; turn++) await Promise.resolve();
    }
    state.now = end;
  };
  /** The computer sleeps: no timer runs, and afterwards the clock shows another time. */
  const sleep = (ms: number) => {
    state.now += ms;
    if (timer) timer = { ...timer, at: Math.max(timer.at, state.now) };
  };
  return {
    schedules,
    state,
    modes,
    notes,
    warnings,
    fired,
    inbox,
    tasks,
    told,
    pass,
    sleep,
    work,
    folder,
    timer: () => timer,
    times: () => fired.map(({ prompt, at }) => `${prompt} ${at}`),
  };
}

const job = (cron: string, more: object = {}) => ({ cron, prompt: "go", recurring: true, durable: false, ...more });

test("a recurring job fires while the session waits, and its prompt says where it comes from", async () => {
  const { schedules, fired, work, pass, notes } = session();
  const created = await schedules.create(job("*/15 * * * *"));
  expect(created).toMatchObject({ id: "00000001", humanSchedule: "Every 15 minutes" });
  expect(created.nextFireAt! - NINE).toBeGreaterThanOrEqual(15 * MINUTE);
  expect(created.nextFireAt! - NINE).toBeLessThanOrEqual(22.5 * MINUTE);
  work();
  await pass(HOUR);
  expect(fired).toHaveLength(3);
  expect(fired[0]!.origin).toEqual({
    kind: "task-notification",
    subkind: "cron",
    taskId: "00000001",
    schedule: "Every 15 minutes",
  });
  expect(notes[0]).toEqual({
    type: "keelson-schedule",
    id: "00000001",
    job: {
      id: "00000001",
      cron: "*/15 * * * *",
      prompt: "go",
      createdAt: NINE,
      permissionMode: "acceptEdits",
      recurring: true,
    },
    sessionId: "session",
  });
  expect(notes.slice(1).map(({ type }) => type)).toEqual(["queue-operation", "queue-operation", "queue-operation"]);
});

test("what is due while a run goes on waits for its end, and comes one at a time", async () => {
  const { schedules, state, times, work, pass, inbox } = session();
  for (const minute of [5, 6, 7])
    await schedules.create(job(`${minute} 9 1 6 *`, { recurring: false, prompt: `at ${minute}` }));
  work();
  state.running = true;
  await pass(20 * MINUTE);
  expect([inbox.waiting, times()]).toEqual([0, []]);
  state.running = false;
  work();
  await pass(999);
  expect(times()).toEqual([]);
  await pass(1);
  expect(times()).toEqual(["at 5 06-01T09:20"]);
  await pass(5_000);
  expect(times()).toEqual(["at 5 06-01T09:20", "at 6 06-01T09:20", "at 7 06-01T09:20"]);
});

test("a prompt of the client comes first", async () => {
  const { schedules, times, work, pass, inbox } = session();
  await schedules.create(job("1 9 1 6 *", { recurring: false }));
  work();
  inbox.push({ type: "user", message: { role: "user", content: "typed" }, parent_tool_use_id: null });
  await pass(2 * MINUTE);
  expect(times()[0]).toStartWith("typed ");
});

test("a session without jobs starts no timer, and one with a job looks once a second", async () => {
  const { schedules, state, work, pass, timer } = session();
  work();
  expect(timer()).toBeUndefined();
  const { id } = await schedules.create(job("0 12 * * *"));
  expect(timer()).toBeUndefined();
  work();
  await pass(MINUTE);
  expect(state.ticks).toBe(60);
  await schedules.delete(id);
  await pass(MINUTE);
  expect([state.ticks, timer()]).toEqual([61, undefined]);
});

test("after sleep, a recurring job fires once, and one that fires once is not lost", async () => {
  const { schedules, times, work, pass, sleep } = session();
  await schedules.create(job("*/10 * * * *", { prompt: "often" }));
  await schedules.create(job("7 13 1 6 *", { prompt: "once", recurring: false }));
  work();
  await pass(MINUTE);
  sleep(2 * DAY);
  await pass(5_000);
  expect(times()).toEqual(["often 06-03T09:01", "once 06-03T09:01"]);
  await pass(12 * MINUTE);
  expect(times()).toHaveLength(3);
});

test("a clock that changes: the time of day stays", async () => {
  const start = Date.parse("2026-10-23T22:00Z");
  const { schedules, fired, work, pass } = session({ now: start, zone: "Europe/Berlin" });
  await schedules.create(job("20 9 * * *"));
  work();
  await pass(2 * DAY);
  const late = Number(fired[0]!.at.slice(-2)) - 20;
  const shown = (hour: string) => `${hour}:${String(20 + late).padStart(2, "0")}`;
  expect(fired.map(({ at }) => at)).toEqual([`10-24T${shown("07")}`, `10-25T${shown("08")}`]);
});

test("after seven days, a recurring job fires for the last time, and the transcript says that it is over", async () => {
  const { schedules, fired, notes, work, pass, sleep } = session();
  await schedules.create(job("0 */12 * * *"));
  work();
  for (let half = 0; half < 20; half++) {
    await pass(2_000);
    sleep(DAY / 2);
  }
  expect(fired).toHaveLength(14);
  expect(notes.filter(({ type }) => type === "keelson-schedule").at(-1)).toEqual({
    type: "keelson-schedule",
    id: "00000001",
    sessionId: "session",
  });
  expect(await schedules.list()).toEqual({ jobs: [] });
});

test("a resume continues the jobs: what was missed fires once, and what expired is dropped", async () => {
  const saved = (id: string, cron: string, more: object = {}) => ({
    id,
    cron,
    prompt: id,
    createdAt: NINE - HOUR,
    recurring: true,
    ...more,
  });
  const { schedules, times, work, pass } = session({ now: NINE + 3 * DAY });
  schedules.restore(
    [
      saved("hourly", "0 * * * *"),
      saved("once", "7 10 1 6 *", { recurring: false }),
      saved("later", "7 10 9 6 *", { recurring: false }),
      saved("old", "0 * * * *", { createdAt: NINE - 5 * DAY }),
      saved("broken", "nope"),
    ],
    NINE,
  );
  work();
  await pass(10_000);
  expect(times().toSorted()).toEqual(["hourly 06-04T09:00", "once 06-04T09:00"]);
  const { jobs } = await schedules.list();
  expect(jobs.map(({ id }) => id)).toEqual(["hourly", "later"]);
});

test.each([
  ["bad", "Invalid cron expression 'bad'. Expected 5 fields: M H DoM Mon DoW."],
  ["0 9 * * MON", "Invalid cron expression '0 9 * * MON'. Expected 5 fields: M H DoM Mon DoW."],
  ["@daily", "Invalid cron expression '@daily'. Expected 5 fields: M H DoM Mon DoW."],
  ["0 0 31 2 *", "Cron expression '0 0 31 2 *' does not match any calendar date in the next year."],
])("'%s' is refused as in the reference", async (cron, message) => {
  expect(session().schedules.checkNew(cron)).rejects.toThrow(message);
});

test("there are at most 50 jobs, in the session and the file together", async () => {
  const { schedules } = session();
  for (let at = 0; at < 50; at++) {
    await schedules.checkNew("0 9 * * *");
    await schedules.create(job("0 9 * * *", { durable: at < 2 }));
  }
  expect(schedules.checkNew("0 9 * * *")).rejects.toThrow("There are already 50 scheduled jobs");
  const { jobs } = await schedules.list();
  await schedules.delete(jobs[0]!.id);
  await schedules.checkNew("0 9 * * *");
});

const wakeup = (delayMs: number, text: string) => ({
  delayMs,
  prompt: text,
  reason: `${text} reason`,
  toolUseId: "call",
});

test("one wake-up waits at a time; it fires once, or is cancelled", async () => {
  const { schedules, fired, times, told, work, pass, inbox } = session();
  expect(await schedules.wake(wakeup(90_000, "first"))).toEqual({ id: "w00000001", at: NINE + 90_000 });
  await schedules.wake(wakeup(120_000, "second"));
  work();
  await pass(HOUR);
  expect(times()).toEqual(["second 06-01T09:02"]);
  expect(fired[0]!.origin).toEqual({ kind: "task-notification", subkind: "wakeup", taskId: "w00000002" });
  await schedules.wake(wakeup(60_000, "third"));
  await schedules.cancelWake();
  work();
  await pass(HOUR);
  // What the model did itself, or is told by the prompt, needs no notice.
  expect(told).toEqual(["w00000001 killed", "w00000002 completed", "w00000003 killed"]);
  inbox.close();
  expect([await schedules.wake(wakeup(60_000, "late")), times().length]).toEqual([undefined, 1]);
});

test("a resume continues a wake-up that was pending when the session ended; one that is over, or long past, is not", async () => {
  const first = session();
  await first.schedules.wake(wakeup(90_000, "replaced"));
  await first.schedules.wake(wakeup(120_000, "Look again"));
  const pending = { id: "w00000002", at: NINE + 120_000, prompt: "Look again", reason: "Look again reason" };
  first.schedules.close();
  expect(first.notes).toEqual([
    expect.objectContaining({ id: "w00000001", wakeup: expect.any(Object) }),
    { type: "keelson-schedule", id: "w00000001", sessionId: "session" },
    {
      type: "keelson-schedule",
      id: "w00000002",
      wakeup: { ...pending, toolUseId: "call", permissionMode: "acceptEdits" },
      sessionId: "session",
    },
  ]);
  const { wakeup: noted } = first.notes[2];

  const again = session({ now: NINE + HOUR });
  again.schedules.restore([], NINE, noted);
  expect(again.tasks.list()).toMatchObject([{ id: "w00000002", type: "wakeup", status: "running" }]);
  again.work();
  await again.pass(10_000);
  expect(again.times()).toEqual(["Look again 06-01T10:00"]);
  expect(again.notes[0]).toEqual({ type: "keelson-schedule", id: "w00000002", sessionId: "session" });

  const late = session({ now: NINE + 2 * DAY });
  late.schedules.restore([], NINE, noted);
  const closed = session();
  closed.inbox.close();
  closed.schedules.restore([], NINE, noted);
  expect([late.tasks.list(), closed.tasks.list()]).toEqual([[], []]);
});

test("a wake-up is a row of the task table: listed, and stopped like any task", async () => {
  const { schedules, times, tasks, told, work, pass } = session();
  await schedules.wake(wakeup(90_000, "Look again"));
  const row = {
    id: "w00000001",
    type: "wakeup",
    description: "Look again reason",
    prompt: "Look again",
    toolUseId: "call",
    outputPath: "",
    ambient: true,
    inBackground: true,
  };
  expect(tasks.list()).toMatchObject([{ ...row, status: "running" }]);
  expect(schedules.hookFields()).toEqual({
    session_crons: [{ id: "w00000001", schedule: "1 9 1 6 *", recurring: false, prompt: "Look again" }],
  });
  work();
  expect(await tasks.stop("w00000001")).toBe(true);
  await pass(HOUR);
  expect([times(), told, schedules.hookFields()]).toEqual([[], ["w00000001 killed, notice"], { session_crons: [] }]);
  await schedules.wake({ ...wakeup(60_000, "Two\nlines"), reason: " " });
  expect(tasks.list().at(-1)).toMatchObject({ description: "Two", status: "running" });
  schedules.close();
  expect(tasks.list().at(-1)).toMatchObject({ description: "Two", status: "killed" });
});

test("nothing fires once the input has ended, or after the end", async () => {
  for (const end of ["input", "session"]) {
    const { schedules, fired, work, pass, inbox } = session();
    await schedules.create(job("* * * * *"));
    work();
    if (end === "input") inbox.close();
    else schedules.close();
    await pass(HOUR);
    work();
    expect(fired).toEqual([]);
  }
});

test("hooks are told of the jobs of the session, with long texts cut", async () => {
  const { schedules } = session();
  expect(schedules.hookFields()).toEqual({ session_crons: [] });
  await schedules.create(job("0 9 * * *", { prompt: "x".repeat(2_000) }));
  await schedules.create(job("0 9 * * *", { durable: true }));
  expect(schedules.hookFields()).toEqual({
    session_crons: [
      { id: "00000001", schedule: "0 9 * * *", recurring: true, prompt: `${"x".repeat(1_000)}… [+1000 chars]` },
    ],
  });
});

test("another conversation begins without the jobs of this one", async () => {
  const { schedules, fired, notes, work, pass } = session();
  await schedules.create(job("* * * * *"));
  await schedules.create(job("* * * * *", { durable: true, prompt: "kept" }));
  await schedules.wake(wakeup(60_000, "wake"));
  schedules.clear();
  work();
  await pass(3 * MINUTE);
  expect(new Set(fired.map(({ prompt }) => prompt))).toEqual(new Set(["kept"]));
  // A resume of the first conversation finds its job and its wake-up.
  expect(notes.filter(({ type }) => type === "keelson-schedule")).toHaveLength(2);
});

const fileIn = (folder: string) => join(folder, ".claude", "scheduled_tasks.json");
const tasksIn = (folder: string) => JSON.parse(readFileSync(fileIn(folder), "utf8")).tasks;

test("of two sessions of a project, one fires each of its jobs", async () => {
  const one = session();
  const two = session({ project: one.folder });
  await one.schedules.create(job("7 9 1 6 *", { durable: true, recurring: false, prompt: "once" }));
  await two.schedules.create(job("*/20 * * * *", { durable: true, prompt: "often" }));
  for (let minute = 0; minute < 90; minute++) {
    for (const each of [one, two]) {
      each.work();
      await each.pass(MINUTE);
    }
  }
  const prompts = [...one.fired, ...two.fired].map(({ prompt }) => prompt);
  expect(prompts.filter((prompt) => prompt === "once")).toHaveLength(1);
  expect(prompts.filter((prompt) => prompt === "often")).toHaveLength(4);
  expect(tasksIn(one.folder)).toMatchObject([{ prompt: "often", lastFiredAt: expect.any(Number) }]);
});

test("jobs of a folder that is not trusted are listed, and do not fire until it is; nor after it no longer is", async () => {
  const { schedules, state, fired, work, pass } = session();
  state.whyNot = "this folder is not trusted";
  const created = await schedules.create(job("* * * * *", { durable: true }));
  expect(created).toMatchObject({ durable: true, inactive: "this folder is not trusted" });
  expect(created.nextFireAt).toBeUndefined();
  await schedules.create(job("0 12 * * *"));
  work();
  await pass(10 * MINUTE);
  expect(fired).toEqual([]);
  state.whyNot = undefined;
  await pass(2 * MINUTE);
  const some = fired.length;
  expect(some).toBeGreaterThan(0);
  state.whyNot = "this folder is not trusted";
  await pass(10 * MINUTE);
  expect(fired).toHaveLength(some);
});

test("a broken file is reported once and left, and the other jobs go on", async () => {
  const { schedules, folder, warnings, fired, work, pass } = session();
  mkdirSync(join(folder, ".claude"));
  writeFileSync(fileIn(folder), "{");
  await schedules.create(job("* * * * *"));
  work();
  await pass(5 * MINUTE);
  expect(fired.length).toBeGreaterThanOrEqual(4);
  const problem = `${fileIn(folder)} is not a JSON object with a list "tasks"; fix or remove it`;
  expect(warnings).toEqual([`${problem}; its scheduled jobs do not fire`]);
  expect((await schedules.list()).problem).toBe(problem);
  expect(schedules.create(job("* * * * *", { durable: true }))).rejects.toThrow(problem);
  expect(readFileSync(fileIn(folder), "utf8")).toBe("{");
});

test("a session with 10,000 jobs in its project's file looks at the one that is due", async () => {
  const { schedules, folder, fired, work, pass, state } = session();
  mkdirSync(join(folder, ".claude"));
  const tasks = Array.from({ length: 10_000 }, (_, at) => ({
    id: at.toString(16).padStart(8, "0"),
    cron: at === 5_000 ? "7 9 1 6 *" : `${at % 60} ${at % 8} 2 6 *`,
    prompt: `job ${at}`,
    createdAt: NINE,
    recurring: false,
  }));
  writeFileSync(fileIn(folder), JSON.stringify({ tasks }));
  work();
  await pass(10 * MINUTE);
  expect(fired.map(({ prompt }) => prompt)).toEqual(["job 5000"]);
  expect(state.ticks).toBeLessThan(610);
  expect((await schedules.list()).jobs).toHaveLength(9_999);
});

test("a job fires with at most the mode it was made in, and one that does not say with at most the usual one", async () => {
  const { schedules, modes, fired, work, pass, folder } = session();
  const once = (minute: number, prompt: string) => job(`${minute} 9 1 6 *`, { recurring: false, prompt });
  await schedules.create(once(5, "own"));
  await schedules.create(once(6, "of an agent"), "a0123456789abcdef");
  modes.session = "bypassPermissions";
  await schedules.create({ ...once(7, "durable"), durable: true });
  await schedules.wake({ delayMs: 8 * MINUTE, prompt: "wake", reason: "", toolUseId: "t" });
  const old = { id: "0000aaaa", cron: "9 9 1 6 *", prompt: "old", createdAt: NINE, recurring: false };
  schedules.restore(
    [old, { ...old, id: "0000bbbb", cron: "10 9 1 6 *", prompt: "odd", permissionMode: "all" as any }],
    NINE,
  );
  modes.session = "default";
  work();
  await pass(20 * MINUTE);
  expect(fired.map(({ prompt, mostMode }) => [prompt, mostMode])).toEqual([
    ["own", "acceptEdits"],
    ["of an agent", "dontAsk"],
    ["durable", "bypassPermissions"],
    ["wake", "bypassPermissions"],
    ["old", "default"],
    ["odd", "default"],
  ]);
  expect(readFileSync(join(folder, ".claude/scheduled_tasks.json"), "utf8")).toContain('"tasks": []');
});
