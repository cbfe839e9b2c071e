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
import { openMailboxes, type Mail } from "./mailbox.ts";
import {
  createTeam,
  openTeam,
  prepareTeamFolders,
  removeTeamFiles,
  TEAM_LEAD,
  teamLedBy,
  type TeamConfig,
} from "./team-file.ts";
import { hasForeignTasks, markTasks, removeForeignTasks, removeTasks, tasksLeftBy } from "./team-tasks.ts";
import { openTaskList } from "../task-list/task-list.ts";

function world() {
  const dir = mkdtempSync(join(tmpdir(), "keelson-team-"));
  const problems: string[] = [];
  return {
    dir,
    problems,
    boxes: () => openMailboxes(dir, (problem) => problems.push(problem)),
    text: (name: string) => readFileSync(join(dir, name), "utf8"),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
}

const mail = (id: string, text = id): Omit<Mail, "read"> => ({
  id,
  from: "a",
  text,
  timestamp: "2026-01-01T00:00:00Z",
});

test("a message is unread until it is marked, and sent once however often it is tried", async () => {
  using at = world();
  const boxes = at.boxes();
  await boxes.send("b", { ...mail("1"), summary: "One", color: "blue" });
  await boxes.send("b", mail("1"));
  await boxes.send("b", mail("2"));
  expect(boxes.unread("b").map(({ id }) => id)).toEqual(["1", "2"]);
  await boxes.markRead("b", ["1"]);
  expect(boxes.unread("b").map(({ id }) => id)).toEqual(["2"]);
  expect(JSON.parse(at.text("b.json"))).toEqual([
    { id: "1", from: "a", text: "1", timestamp: "2026-01-01T00:00:00Z", summary: "One", color: "blue", read: true },
    { id: "2", from: "a", text: "2", timestamp: "2026-01-01T00:00:00Z", read: false },
  ]);
  expect(boxes.send("../b", mail("3"))).rejects.toThrow("cannot be the name of a member");
});

test("messages of other programs are read, and what is no message is dropped and reported once", async () => {
  using at = world();
  const boxes = at.boxes();
  const theirs = { from: "x", text: "hello", timestamp: "t", read: false };
  writeFileSync(join(at.dir, "b.json"), JSON.stringify([theirs, 7, { from: "x" }, { ...theirs, text: 1 }]));
  const [first, ...others] = boxes.unread("b");
  expect([first!.text, others]).toEqual(["hello", []]);
  await boxes.markRead("b", [first!.id]);
  expect(boxes.unread("b")).toEqual([]);
  expect(at.problems.length).toBe(1);
});

test("a mailbox that cannot be read is set aside, and a link is not followed", async () => {
  using at = world();
  const boxes = at.boxes();
  writeFileSync(join(at.dir, "b.json"), "[{");
  await boxes.send("b", mail("1"));
  expect(boxes.unread("b").length).toBe(1);
  expect(readdirSync(at.dir).filter((name) => name.startsWith("b.json.set-aside-")).length).toBe(1);
  writeFileSync(join(at.dir, "outside"), "[]");
  symlinkSync(join(at.dir, "outside"), join(at.dir, "c.json"));
  await boxes.send("c", mail("1"));
  expect(at.text("outside")).toBe("[]");
});

test.each([
  ["100,000 messages", 100_000, 20],
  ["100 MB", 1_000, 100_000],
])(
  "a mailbox that was flooded with %s is delivered in parts: nothing is lost, and the order stays",
  async (_, count, length) => {
    using at = world();
    const boxes = at.boxes();
    const flood = Array.from({ length: count }, (_, number) => ({
      ...mail(`m${number}`, `${number} `.padEnd(length, "x")),
      read: false,
    }));
    writeFileSync(join(at.dir, "b.json"), JSON.stringify(flood));
    const got: string[] = [];
    let hasSent = false;
    for (let part = boxes.unread("b"); part.length > 0; part = boxes.unread("b")) {
      expect(part.length).toBeLessThanOrEqual(100);
      expect(part.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(200_000);
      got.push(...part.map(({ id }) => id));
      await boxes.markRead(
        "b",
        part.map(({ id }) => id),
      );
      if (!hasSent) await boxes.send("b", mail("late"));
      hasSent = true;
    }
    expect(got).toEqual([...flood.map(({ id }) => id), "late"]);
    expect(readdirSync(at.dir).filter((name) => !name.startsWith("."))).toEqual(["b.json"]);
    expect(at.problems).toEqual([]);
  },
);

test("a message of 20 MB comes in parts, and a split that was interrupted doubles nothing", async () => {
  using at = world();
  const boxes = at.boxes();
  const long = { ...mail("long", "y".repeat(20 * 1024 * 1024)), read: false };
  const flood = JSON.stringify([{ ...mail("first"), read: false }, long, { ...mail("last"), read: false }]);
  writeFileSync(join(at.dir, "b.json"), flood);
  expect(boxes.unread("b").map(({ id }) => id)).toEqual(["first"]);
  expect(boxes.unread("b", new Set(["first"])).map(({ id }) => id)).toEqual(["long.1", "long.2", "long.3"]);
  await boxes.markRead("b", ["first"]);
  // The parts were written, and the process was killed before it emptied the file.
  writeFileSync(join(at.dir, "b.json"), flood.replace('"id":"first"', '"id":"second"'));
  await boxes.send("b", mail("late"));
  const got: Mail[] = [];
  for (let part = boxes.unread("b"); part.length > 0; part = boxes.unread("b")) {
    got.push(...part);
    await boxes.markRead(
      "b",
      part.map(({ id }) => id),
    );
  }
  const count = Math.ceil(long.text.length / 50_000);
  const parts = Array.from({ length: count }, (_, number) => `long.${number + 1}`);
  expect(got.map(({ id }) => id)).toEqual([...parts, "last", "second", "late"]);
  expect(
    got
      .slice(0, count)
      .map(({ text }) => text.slice(text.indexOf("\n") + 1))
      .join(""),
  ).toBe(long.text);
});

test.each([["a FIFO"], ["a folder"]])("%s in the place of a mailbox is set aside", async (what) => {
  using at = world();
  const path = join(at.dir, "b.json");
  if (what === "a folder") mkdirSync(path);
  else expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  const boxes = at.boxes();
  expect(boxes.unread("b")).toEqual([]);
  await boxes.send("b", mail("1"));
  expect(boxes.unread("b").map(({ id }) => id)).toEqual(["1"]);
});

test("a full mailbox forgets what was read, and refuses more than that", async () => {
  using at = world();
  const boxes = at.boxes();
  const long = "x".repeat(200_000);
  for (let number = 0; number < 20; number++) await boxes.send("b", mail(`r${number}`, long));
  expect(boxes.send("b", mail("more", long))).rejects.toThrow('The mailbox of "b" is full');
  await boxes.markRead("b", ["r0", "r1"]);
  await boxes.send("b", mail("more", long));
  const unread = (JSON.parse(at.text("b.json")) as Mail[]).filter(({ read }) => !read);
  expect(boxes.unread("b")).toEqual(unread.slice(0, 1));
  expect(unread.map(({ id }) => id)).toEqual([...Array.from({ length: 18 }, (_, at) => `r${at + 2}`), "more"]);
  expect(boxes.send("b", mail("long", `${long}x`))).rejects.toThrow("longer than 200000");
});

test("nothing is lost or doubled by processes that write at once and readers that are killed", async () => {
  using at = world();
  const script = fileURLToPath(import.meta.resolve("./stress-member.test-support.ts"));
  const log = (name: string) => join(at.dir, `${name}.log`);
  const lines = (name: string) => (existsSync(log(name)) ? readFileSync(log(name), "utf8").trim().split("\n") : []);
  const start = (name: string, role: string) =>
    Bun.spawn([process.execPath, script, at.dir, name, log(role), role], { stdout: "inherit", stderr: "inherit" });
  const writers = ["a", "b", "c"].map((name) => start(name, "write"));
  const writing = Promise.all(writers.map(({ exited }) => exited));
  let kills = 0;
  let isWritten = false;
  void writing.then(() => (isWritten = true));
  for (let last = false; !last;) {
    last = isWritten;
    const reader = start("r", "read");
    const before = lines("read").length;
    while (lines("read").length === before && at.boxes().unread("reader").length > 0) await Bun.sleep(1);
    if (last) while (at.boxes().unread("reader").length > 0) await Bun.sleep(1);
    reader.kill("SIGKILL");
    await reader.exited;
    kills++;
  }
  expect(await writing).toEqual([0, 0, 0]);
  const sent = lines("write");
  expect(sent.length).toBe(90);
  const all = JSON.parse(at.text("reader.json")) as Mail[];
  expect(all.map(({ id }) => id).toSorted()).toEqual(sent.toSorted());
  expect(all.every(({ read }) => read)).toBe(true);
  expect(new Set(lines("read"))).toEqual(new Set(sent));
  expect(kills).toBeGreaterThan(0);
});

test("a mailbox that grows and shrinks while it is read is always a mailbox", async () => {
  using at = world();
  const replacing = `
    import { replaceOwnFile } from "@keelson/disk/replace-file";
    const mails = (count) => JSON.stringify(Array.from({ length: count }, (_, at) => (${JSON.stringify(mail("m"))})));
    const texts = [mails(1), mails(500)];
    for (let round = 0; round < 600; round++) replaceOwnFile(process.argv[1], texts[round % 2]);
  `;
  const writer = Bun.spawn([process.execPath, "-e", replacing, join(at.dir, "b.json")], { cwd: import.meta.dir });
  const boxes = at.boxes();
  while (writer.exitCode === null) {
    for (let times = 0; times < 50; times++) boxes.unread("b");
    await new Promise(setImmediate);
  }
  expect([writer.exitCode, at.problems]).toEqual([0, []]);
});

const config: TeamConfig = {
  name: "fix",
  createdAt: 1,
  leadAgentId: "team-lead@fix",
  leadSessionId: "s",
  members: [
    {
      agentId: "team-lead@fix",
      name: TEAM_LEAD,
      agentType: "team-lead",
      joinedAt: 1,
      cwd: "/",
      backend: "lead",
      isActive: true,
    },
  ],
};

test("a team has one file, which changes as a whole, and is removed", async () => {
  using at = world();
  const file = (await createTeam(at.dir, config))!;
  expect(await createTeam(at.dir, config)).toBeUndefined();
  await file.change((team) => ({ ...team, members: [...team.members, { ...team.members[0]!, name: "b" }] }));
  await file.changeMember("b", { isActive: false, ended: "crashed" });
  expect(
    openTeam(at.dir, "fix")!
      .read()!
      .members.map(({ name, ended }) => [name, ended]),
  ).toEqual([
    [TEAM_LEAD, undefined],
    ["b", "crashed"],
  ]);
  expect(openTeam(at.dir, "other")).toBeUndefined();
  mkdirSync(join(at.dir, "tasks", "fix"), { recursive: true });
  removeTeamFiles(file.folder);
  removeTeamFiles(file.folder);
  removeTasks(at.dir, "fix");
  expect([existsSync(join(at.dir, "teams", "fix")), existsSync(join(at.dir, "tasks", "fix"))]).toEqual([false, false]);
  await file.changeMember("b", { isActive: true });
  expect(existsSync(file.path)).toBe(false);
});

test("a file that someone damages does not end the team, and the next change writes it anew", async () => {
  using at = world();
  const file = (await createTeam(at.dir, config))!;
  for (const text of ["", "{", "[]", '{"name": "fix"}']) {
    writeFileSync(file.path, text);
    expect(file.read()).toEqual(config);
    // Only who knew the team before can say what it was.
    expect(openTeam(at.dir, "fix")).toBeUndefined();
    expect(await createTeam(at.dir, config, () => true)).toBeUndefined();
    await file.changeMember(TEAM_LEAD, { pid: 7 });
    expect(openTeam(at.dir, "fix")?.read()?.members[0]?.pid).toBe(7);
    await file.change(() => config);
  }
});

test("a name is taken over only with the consent of its caller, and with empty mailboxes", async () => {
  using at = world();
  await createTeam(at.dir, config);
  const boxes = openMailboxes(join(at.dir, "teams/fix/inboxes"), () => {});
  await boxes.send("b", mail("1"));
  const next = { ...config, leadSessionId: "other" };
  expect(await createTeam(at.dir, next, (old) => old?.leadSessionId !== "s")).toBeUndefined();
  expect(boxes.unread("b")).toHaveLength(1);
  expect((await createTeam(at.dir, next, (old) => old?.leadSessionId === "s"))?.read()).toEqual(next);
  expect(boxes.unread("b")).toEqual([]);
});

test("of sessions that want one name at once, one gets it, even while its former lead leaves", async () => {
  using at = world();
  for (let round = 0; round < 20; round++) {
    const former = (await createTeam(at.dir, config))!;
    const wanted = Array.from({ length: 5 }, (_, at) => ({ ...config, leadSessionId: `session ${at}` }));
    const [made] = await Promise.all([
      Promise.all(
        wanted.map((each) => createTeam(at.dir, each, (old) => old?.leadSessionId !== "s" && old === undefined)),
      ),
      Promise.resolve().then(() => removeTeamFiles(former.folder)),
    ]);
    const winners = made.filter((file) => file !== undefined);
    expect(winners.length).toBeLessThanOrEqual(1);
    if (winners.length === 0) expect(openTeam(at.dir, "fix")).toBeUndefined();
    else expect(winners[0]!.read()?.leadSessionId).toStartWith("session");
    for (const { folder } of winners) removeTeamFiles(folder);
  }
});

test("a session finds the team that it leads, and the tasks that it left", async () => {
  using at = world();
  mkdirSync(join(at.dir, "teams"));
  symlinkSync("/tmp", join(at.dir, "teams", "a-link"));
  await createTeam(at.dir, config);
  await createTeam(at.dir, { ...config, name: "other", leadSessionId: "t" });
  expect([teamLedBy(at.dir, "t")?.read()?.name, teamLedBy(at.dir, "u")]).toEqual(["other", undefined]);

  const list = openTaskList(at.dir, "fix", () => {});
  await list.add(await list.reserve(), { subject: "One", description: "" });
  expect([tasksLeftBy(at.dir, "s"), hasForeignTasks(at.dir, "fix", "t")]).toEqual([undefined, false]);
  markTasks(at.dir, "fix", "s");
  expect([tasksLeftBy(at.dir, "s"), tasksLeftBy(at.dir, "t")]).toEqual(["fix", undefined]);
  expect([hasForeignTasks(at.dir, "fix", "s"), hasForeignTasks(at.dir, "fix", "t")]).toEqual([false, true]);
  await list.change("1", { status: "completed" });
  expect(hasForeignTasks(at.dir, "fix", "t")).toBe(false);
  removeForeignTasks(at.dir, "fix", "s");
  expect(list.all()).toHaveLength(1);
  removeForeignTasks(at.dir, "fix", "t");
  expect(existsSync(list.folder)).toBe(false);
});

test("what a killed lead had begun to remove is removed later", () => {
  using at = world();
  mkdirSync(join(at.dir, "teams", ".ended-1"), { recursive: true });
  prepareTeamFolders(at.dir);
  expect(readdirSync(join(at.dir, "teams"))).toEqual([]);
});
