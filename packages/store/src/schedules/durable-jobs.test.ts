import { afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDurableJobs } from "./durable-jobs.ts";
import { isRunning, processStart } from "@keelson/disk/process-identity";
import { jobOwner } from "./job-owner.ts";

const projects: string[] = [];
const project = (tasks?: unknown) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "keelson-schedules-")));
  projects.push(folder);
  if (tasks !== undefined) writeFile(folder, JSON.stringify({ tasks }));
  return folder;
};
const fileIn = (folder: string) => join(folder, ".claude", "scheduled_tasks.json");
const writeFile = (folder: string, text: string) => {
  mkdirSync(join(folder, ".claude"), { recursive: true });
  writeFileSync(fileIn(folder), text);
};
const contentOf = (folder: string) => JSON.parse(readFileSync(fileIn(folder), "utf8"));
afterEach(() => {
  for (const folder of projects.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const us = () => jobOwner("session-1");
const job = (id: string, more: object = {}) => ({
  id,
  cron: "0 9 * * *",
  prompt: `prompt ${id}`,
  createdAt: 1_000,
  recurring: true,
  ...more,
});
const owned = (pid: number, start: string) => ({
  createdBySessionId: "another",
  createdByPid: pid,
  createdByProcStart: start,
});

/** The id and start of a process that has ended. */
async function deadOwner() {
  const child = Bun.spawn(["sleep", "0"]);
  await child.exited;
  return owned(child.pid, "1");
}

test("a job is written as the reference writes it, and nothing is left beside it", async () => {
  const folder = project();
  const store = openDurableJobs(folder, us);
  expect([store.read(), store.stamp()]).toEqual([{ jobs: [] }, ""]);
  await store.add(job("0a1b2c3d"));
  const { pid, procStart } = us();
  const task = {
    ...job("0a1b2c3d"),
    createdBySessionId: "session-1",
    createdByPid: pid,
    createdByProcStart: procStart,
  };
  expect(readFileSync(fileIn(folder), "utf8")).toBe(`${JSON.stringify({ tasks: [task] }, null, 2)}\n`);
  expect(readdirSync(join(folder, ".claude"))).toEqual(["scheduled_tasks.json"]);
  expect(store.read()).toEqual({ jobs: [{ ...job("0a1b2c3d"), owner: { sessionId: "session-1", pid, procStart } }] });
  const stamp = store.stamp();
  expect([await store.remove("nope"), store.stamp() === stamp]).toEqual([false, true]);
  expect([await store.remove("0a1b2c3d"), store.stamp() === stamp]).toEqual([true, false]);
  expect(contentOf(folder)).toEqual({ tasks: [] });
});

test("tasks and fields of others are kept, and tasks that cannot be read are not used", async () => {
  const odd = [7, { id: "no-cron" }, job("a/b"), job("x", { prompt: 7 }), job("y", { createdAt: "now" })];
  const folder = project();
  writeFile(
    folder,
    JSON.stringify({ version: 2, tasks: [...odd, job("1", { extra: true }), job("1", { prompt: "twice" })] }),
  );
  chmodSync(fileIn(folder), 0o600);
  const store = openDurableJobs(folder, us);
  expect(store.read()).toEqual({ jobs: [job("1")] });
  await store.add(job("2", { recurring: false }));
  const after = contentOf(folder);
  expect([after.version, after.tasks.slice(0, 7)]).toEqual([
    2,
    [...odd, job("1", { extra: true }), job("1", { prompt: "twice" })],
  ]);
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
});

test.each([
  ["not JSON", "{ tasks: ", 'is not a JSON object with a list "tasks"; fix or remove it'],
  ["another shape", '{"tasks":{}}', 'is not a JSON object with a list "tasks"; fix or remove it'],
  ["too large", " ".repeat(4 * 1024 * 1024 + 1), "is larger than 4 MiB"],
])("a file that is %s is reported and left as it is", async (_, text, problem) => {
  const folder = project();
  writeFile(folder, text);
  const store = openDurableJobs(folder, us);
  expect(store.read()).toEqual({ jobs: [], problem: `${fileIn(folder)} ${problem}` });
  expect(store.add(job("1"))).rejects.toThrow(`${fileIn(folder)} ${problem}`);
  expect(store.remove("1")).rejects.toThrow(problem);
  expect(readFileSync(fileIn(folder), "utf8")).toBe(text);
});

test("nothing is read or written through a link", async () => {
  const outside = project([job("1")]);
  const before = readFileSync(fileIn(outside), "utf8");
  const linkedFile = project();
  mkdirSync(join(linkedFile, ".claude"));
  symlinkSync(fileIn(outside), fileIn(linkedFile));
  const linkedFolder = project();
  symlinkSync(join(outside, ".claude"), join(linkedFolder, ".claude"));
  for (const [folder, why] of [
    [linkedFile, "is a link, which is not followed"],
    [linkedFolder, "is behind a link, which is not followed"],
  ] as const) {
    const store = openDurableJobs(folder, us);
    expect(store.read()).toEqual({ jobs: [], problem: `${fileIn(folder)} ${why}` });
    expect(store.add(job("2"))).rejects.toThrow(why);
    expect(store.claim(job("1"), { now: 1, isOver: true })).rejects.toThrow(why);
  }
  const notFile = project();
  mkdirSync(fileIn(notFile), { recursive: true });
  expect(openDurableJobs(notFile, us).read().problem).toEndWith("is not a regular file");
  // A lock that leads elsewhere is not written through either.
  const linkedLock = project([]);
  symlinkSync(join(outside, "new"), `${fileIn(linkedLock)}.lock`);
  lutimesSync(`${fileIn(linkedLock)}.lock`, 1, 1);
  await openDurableJobs(linkedLock, us).add(job("3"));
  expect([existsSync(join(outside, "new")), readFileSync(fileIn(outside), "utf8")]).toEqual([false, before]);
});

test("a firing is claimed once, and the last one removes the job", async () => {
  const folder = project([job("1"), job("2", { recurring: false })]);
  const [mine, theirs] = [openDurableJobs(folder, us), openDurableJobs(folder, us)];
  const [known] = mine.read().jobs;
  expect(await mine.claim(known!, { now: 5_000, isOver: false })).toBe(true);
  // The other session read the file before.
  expect(await theirs.claim(known!, { now: 5_001, isOver: false })).toBe(false);
  expect(contentOf(folder).tasks[0]).toMatchObject({ lastFiredAt: 5_000, createdBySessionId: "session-1" });
  const [again, once] = theirs.read().jobs;
  expect(again).toMatchObject({ id: "1", lastFiredAt: 5_000 });
  expect(await theirs.claim(again!, { now: 9_000, isOver: true })).toBe(true);
  expect(await theirs.claim(once!, { now: 9_000, isOver: true })).toBe(true);
  expect(await mine.claim(once!, { now: 9_000, isOver: true })).toBe(false);
  expect(contentOf(folder)).toEqual({ tasks: [] });
});

test("the job of a process that runs is left to it, and one of a process that is gone is taken over", async () => {
  const neighbour = Bun.spawn(["sleep", "600"]);
  try {
    const start = processStart(neighbour.pid)!;
    const folder = project([
      job("1", owned(neighbour.pid, start)),
      // The same id, used again.
      job("2", owned(neighbour.pid, /^\d+$/.test(start) ? "1" : "Thu Jan  1 00:00:00 1970")),
      job("3", await deadOwner()),
      job("4", owned(-1, "")),
      job("5", owned(neighbour.pid, /^\d+$/.test(start) ? "Mon Nov 16 2026" : "1")),
    ]);
    const store = openDurableJobs(folder, us);
    const claims: boolean[] = [];
    for (const each of store.read().jobs) claims.push(await store.claim(each, { now: 9, isOver: false }));
    expect(claims).toEqual([false, true, true, true, false]);
    expect(contentOf(folder).tasks.map((task: any) => task.createdByPid === process.pid)).toEqual(claims);
  } finally {
    neighbour.kill();
    await neighbour.exited;
  }
});

test("isRunning() knows this process, and not one that never was", () => {
  expect([isRunning(us()), isRunning({ pid: 0, procStart: "" }), isRunning({ pid: 2 ** 31, procStart: "" })]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a lock that was left behind is broken", async () => {
  const folder = project([]);
  const lock = `${fileIn(folder)}.lock`;
  writeFileSync(lock, "whoever");
  utimesSync(lock, 1, 1);
  await openDurableJobs(folder, us).add(job("1"));
  expect([contentOf(folder).tasks.length, lstatSync(lock, { throwIfNoEntry: false })]).toEqual([1, undefined]);
});

/** Adds jobs, and claims all that it finds, in a process of its own. Prints the ids it claimed. */
const worker = (folder: string, name: string) => `
  import { openDurableJobs } from ${JSON.stringify(join(import.meta.dir, "durable-jobs.ts"))};
  import { jobOwner } from ${JSON.stringify(join(import.meta.dir, "job-owner.ts"))};
  const store = openDurableJobs(${JSON.stringify(folder)}, () => jobOwner("${name}"));
  const job = { cron: "0 9 * * *", prompt: "p", createdAt: 1, recurring: false };
  const shared = store.read().jobs.filter(({ id }) => id.startsWith("shared"));
  for (let at = 0; at < 10; at++) await store.add({ ...job, id: "${name}-" + at });
  for (const each of shared) if (await store.claim(each, { now: 2, isOver: true })) console.log(each.id);
`;

test("several processes lose no job and claim none twice", async () => {
  const shared = Array.from({ length: 30 }, (_, at) => job(`shared-${at}`, { recurring: false }));
  const folder = project(shared);
  const names = ["a", "b", "c", "d"];
  const processes = names.map((name) =>
    Bun.spawn([process.execPath, "-e", worker(folder, name)], { stderr: "inherit" }),
  );
  const claimed = (await Promise.all(processes.map(({ stdout }) => new Response(stdout).text())))
    .join("")
    .trim()
    .split("\n");
  expect(claimed.toSorted()).toEqual(shared.map(({ id }) => id).toSorted());
  const added = names.flatMap((name) => Array.from({ length: 10 }, (_, at) => `${name}-${at}`));
  expect(
    contentOf(folder)
      .tasks.map(({ id }: any) => id)
      .toSorted(),
  ).toEqual(added.toSorted());
  expect(readdirSync(join(folder, ".claude"))).toEqual(["scheduled_tasks.json"]);
});
