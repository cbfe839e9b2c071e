import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTaskList, type SharedTasks, type TaskDraft } from "./task-list.ts";

function world() {
  const dir = mkdtempSync(join(tmpdir(), "keelson-tasks-"));
  const problems: string[] = [];
  const open = (name = "list") => openTaskList(dir, name, (problem) => problems.push(problem));
  return {
    dir,
    open,
    problems,
    folder: join(dir, "tasks", "list"),
    text: (name: string) => readFileSync(join(dir, "tasks", "list", name), "utf8"),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
}

const draft = (subject: string): TaskDraft => ({ subject, description: `About ${subject}` });

async function add(tasks: SharedTasks, ...subjects: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const subject of subjects) {
    const id = await tasks.reserve();
    await tasks.add(id, draft(subject));
    ids.push(id);
  }
  return ids;
}

test("a task is one file that people can read", async () => {
  using at = world();
  const tasks = at.open();
  const id = await tasks.reserve();
  await tasks.add(id, { ...draft("First"), activeForm: "Doing it", metadata: { kind: "bug" } });
  expect(at.text("1.json")).toBe(`{
  "id": "1",
  "subject": "First",
  "description": "About First",
  "activeForm": "Doing it",
  "status": "pending",
  "blocks": [],
  "blockedBy": [],
  "metadata": {
    "kind": "bug"
  }
}
`);
  expect(readdirSync(at.folder).sort()).toEqual([".highwatermark", ".lock", "1.json"]);
});

test("an id is not used again while the list remembers the highest one", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a", "b");
  await tasks.change("2", { status: "deleted" });
  expect(await tasks.reserve()).toBe("3");
  rmSync(join(at.folder, ".highwatermark"));
  expect(await tasks.reserve()).toBe("2");
  await add(tasks, "c");
  writeFileSync(join(at.folder, "4.json"), at.text("3.json").replace('"id": "3"', '"id": "4"'));
  expect(await tasks.reserve()).toBe("5");
});

test("changes say which fields and which status they changed", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a", "b");
  const change = { status: "in_progress", owner: "me", subject: "A", metadata: { x: 1, y: null } } as const;
  expect(await tasks.change("1", change)).toMatchObject({
    kind: "changed",
    fields: ["subject", "owner", "metadata", "status"],
    statusChange: { from: "pending", to: "in_progress" },
    task: { subject: "A", description: "About a", owner: "me", metadata: { x: 1 } },
  });
  expect(await tasks.change("1", change)).toMatchObject({ kind: "changed", fields: [] });
  expect(await tasks.change("1", { metadata: { x: null }, owner: "" })).toMatchObject({
    fields: ["owner", "metadata"],
  });
  expect(tasks.get("1")).not.toHaveProperty("metadata");
  expect(tasks.get("1")).not.toHaveProperty("owner");
  expect(await tasks.change("7", { subject: "x" })).toEqual({ kind: "absent" });
  expect(await tasks.change("../1", { subject: "x" })).toEqual({ kind: "absent" });
});

test("a dependency is on both sides, and goes with its task", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a", "b", "c");
  expect(await tasks.change("1", { addBlocks: ["2", "3"] })).toMatchObject({ fields: ["blocks"] });
  expect(await tasks.change("3", { addBlockedBy: ["2"] })).toMatchObject({ fields: ["blockedBy"] });
  expect(tasks.all().map(({ blocks, blockedBy }) => [blocks, blockedBy])).toEqual([
    [["2", "3"], []],
    [["3"], ["1"]],
    [[], ["1", "2"]],
  ]);
  expect(JSON.parse(at.text("3.json"))).toMatchObject({ blockedBy: ["1", "2"] });
  await tasks.change("2", { status: "deleted" });
  expect(JSON.parse(at.text("3.json"))).toMatchObject({ blockedBy: ["1"] });
  expect(JSON.parse(at.text("1.json"))).toMatchObject({ blocks: ["3"] });
});

test("cycles and unknown tasks are refused, and nothing is changed", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a", "b", "c");
  await tasks.change("1", { addBlocks: ["2"] });
  await tasks.change("2", { addBlocks: ["3"] });
  const refused = (why: string) => ({ kind: "refused", why }) as const;
  expect(await tasks.change("3", { subject: "x", addBlocks: ["1"] })).toEqual(refused("Task #3 already waits for #1"));
  expect(await tasks.change("1", { addBlockedBy: ["1"] })).toEqual(refused("Task #1 cannot wait for itself"));
  expect(await tasks.change("1", { addBlocks: ["9"] })).toEqual(refused("Task #9 does not exist"));
  expect(await tasks.change("1", { addBlocks: ["../../x"] })).toEqual(refused("Task #../../x does not exist"));
  await add(tasks, "d");
  const both = await tasks.change("4", { addBlocks: ["1"], addBlockedBy: ["3"] });
  expect(both).toEqual(refused("Task #3 already waits for #4"));
  expect(tasks.get("3")).toMatchObject({ subject: "c", blocks: [] });
});

test("half a dependency, left by a process that was killed, counts and is completed", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a", "b");
  const second = { ...JSON.parse(at.text("2.json")), blockedBy: ["1", "8"] };
  writeFileSync(join(at.folder, "2.json"), JSON.stringify(second));
  expect((await tasks.claim("x"))?.id).toBe("1");
  expect(await tasks.claim("y")).toBeUndefined();
  await tasks.change("1", { status: "completed" });
  expect(JSON.parse(at.text("1.json")).blocks).toEqual(["2"]);
  expect((await tasks.claim("y"))?.id).toBe("2");
});

test("a member of a team takes only what is free, and has what it starts", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a", "b");
  await tasks.change("1", { addBlocks: ["2"] });
  const start = { status: "in_progress" } as const;
  expect(await tasks.change("2", start, { by: "x" })).toEqual({ kind: "refused", why: "Task #2 is blocked by #1" });
  expect(await tasks.change("1", start, { by: "x" })).toMatchObject({
    task: { owner: "x" },
    fields: ["owner", "status"],
  });
  expect(await tasks.change("1", start, { by: "y" })).toEqual({ kind: "refused", why: "Task #1 belongs to x" });
  expect(await tasks.change("1", { owner: "y" }, { by: "y" })).toEqual({
    kind: "refused",
    why: "Task #1 belongs to x",
  });
  expect(await tasks.change("1", { owner: "y" }, { by: "team-lead" })).toMatchObject({ task: { owner: "y" } });
  expect(await tasks.release("y")).toMatchObject([{ id: "1", status: "in_progress" }]);
  expect(tasks.get("1")).toMatchObject({ status: "pending" });
  expect((await tasks.claim("z"))?.owner).toBe("z");
});

test("files that are not tasks are left out and reported once, and links are not followed", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a");
  const outside = join(at.dir, "outside.json");
  writeFileSync(outside, at.text("1.json").replace('"id": "1"', '"id": "2"'));
  symlinkSync(outside, join(at.folder, "2.json"));
  writeFileSync(join(at.folder, "3.json"), "{");
  writeFileSync(join(at.folder, "4.json"), at.text("1.json"));
  mkdirSync(join(at.folder, "5.json"));
  for (let look = 0; look < 2; look++) expect(tasks.all().map(({ id }) => id)).toEqual(["1"]);
  expect(at.problems.map((text) => text.match(/\d\.json" is not a task/)?.[0].slice(0, 6))).toEqual([
    "2.json",
    "3.json",
    "4.json",
    "5.json",
  ]);
  expect(await tasks.reserve()).toBe("6");
});

test("nothing is written through a link, wherever it is", async () => {
  using at = world();
  const outside = join(at.dir, "outside");
  mkdirSync(outside);
  mkdirSync(join(at.dir, "tasks"));
  symlinkSync(outside, join(at.dir, "tasks", "list"));
  expect(() => at.open()).toThrow("is reached through a link");
  expect(() => at.open("../outside")).toThrow('"../outside" cannot be the name of a folder');
  expect(() => at.open("..")).toThrow("cannot be the name");
  const tasks = at.open("other");
  symlinkSync(join(outside, "lock"), join(at.dir, "tasks", "other", ".lock"));
  expect(tasks.reserve()).rejects.toThrow();
  expect(readdirSync(outside)).toEqual([]);
});

test("20,000 tasks are listed, and one of them is changed", async () => {
  using at = world();
  const tasks = at.open();
  await add(tasks, "a");
  const text = at.text("1.json");
  for (let id = 2; id <= 20_000; id++)
    writeFileSync(join(at.folder, `${id}.json`), text.replace('"id": "1"', `"id": "${id}"`));
  expect(tasks.all().length).toBe(20_000);
  expect(await tasks.change("20000", { addBlockedBy: ["1"] })).toMatchObject({ fields: ["blockedBy"] });
  expect((await tasks.claim("x"))?.id).toBe("1");
});

/** Processes that share a list, some of which are killed at random. */
function stress(at: ReturnType<typeof world>, work: "create" | "claim") {
  const log = join(at.dir, "log");
  const script = fileURLToPath(import.meta.resolve("./stress-worker.test-support.ts"));
  const start = (owner: string) =>
    Bun.spawn([process.execPath, script, at.dir, "list", owner, log, work], { stdout: "inherit", stderr: "inherit" });
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { start, lines };
}

test("tasks created by many processes at once have different ids", async () => {
  using at = world();
  const { start, lines } = stress(at, "create");
  const workers = ["a", "b", "c", "d"].map(start);
  expect(await Promise.all(workers.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  const ids = lines().map((line) => line.split(" ")[1]!);
  expect(ids.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 100 }, (_, at) => String(at + 1)));
  expect(at.open().all().length).toBe(100);
});

test("each task is done once, whoever is killed", async () => {
  using at = world();
  const tasks = at.open();
  const ids = await add(tasks, ...Array.from({ length: 60 }, (_, at) => `task ${at}`));
  for (const id of ids.slice(10)) await tasks.change(id, { addBlockedBy: [String(Number(id) - 10)] });
  const { start, lines } = stress(at, "claim");
  let kills = 0;
  const member = async (name: string): Promise<void> => {
    for (let life = 1; ; life++) {
      const owner = `${name}${life}`;
      const worker = start(owner);
      // Once it works, four lives of each member end at some moment of their work.
      const doomed = life <= 4;
      if (doomed) {
        while (worker.exitCode === null && !lines().some((line) => line.startsWith(`${owner} `))) await Bun.sleep(1);
        await Bun.sleep(Math.random() * 10);
        worker.kill("SIGKILL");
      }
      const code = await worker.exited;
      await tasks.release(owner);
      if (code === 0) return;
      kills++;
    }
  };
  await Promise.all(["a", "b", "c"].map(member));

  expect(kills).toBeGreaterThan(0);
  expect(tasks.all().map(({ status }) => status)).toEqual(ids.map(() => "completed"));
  const ends = lines().flatMap((line) => line.match(/ends (\d+)/)?.[1] ?? []);
  expect(new Set(ends).size).toBe(ends.length);
  // A killed process may not have noted its last task.
  expect(ends.length).toBeGreaterThanOrEqual(ids.length - kills);
});
