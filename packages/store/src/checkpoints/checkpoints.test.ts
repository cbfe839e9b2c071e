import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openCheckpoints, NO_CHECKPOINT, type Checkpoints, type FileRestore } from "./checkpoints.ts";
import { keyOf } from "./backups.ts";
import { pruneFileHistory } from "./prune.ts";
import type { FileHistoryEntry } from "@keelson/protocol";
import { SESSION } from "../samples.test-support.ts";

/** A project, the file-history entries of its transcript, and a tool that writes files. */
function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-checkpoints-")));
  const cwd = join(root, "p");
  mkdirSync(cwd);
  const entries: FileHistoryEntry[] = [];
  const warnings: string[] = [];
  const at = (name: string) => join(cwd, name);
  const open = () =>
    openCheckpoints({
      configDir: join(root, ".claude"),
      sessionId: SESSION,
      cwd,
      past: { entries: [...entries], unproven: new Set() },
      append: (entry) => void entries.push(entry),
      now: () => 0,
      warn: (text) => void warnings.push(text),
    });
  let history = open();
  return {
    root,
    cwd,
    at,
    entries,
    warnings,
    dir: join(root, ".claude", "file-history", SESSION),
    get history(): Checkpoints {
      return history;
    },
    resume: () => void (history = open()),
    rewind: (
      uuid: string,
      { dryRun = false, refusal = async (_: FileRestore): Promise<string | undefined> => undefined } = {},
    ) => history.rewind(uuid, { dryRun, refusal }),
    edit(name: string, text: string) {
      history.before(at(name), "assistant");
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
      history.wrote(at(name), Buffer.from(text));
    },
    read: (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const whole = { canRewind: true, skippedLinks: 0 };

test("entries and copies have the format of the reference", () => {
  using w = world();
  writeFileSync(w.at("w.txt"), "alpha\n");
  w.history.prompt("u1");
  w.edit("w.txt", "beta\n");
  w.edit("new.txt", "new\n");
  w.history.prompt("u2");

  const time = "1970-01-01T00:00:00.000Z";
  const key = keyOf(w.at("w.txt"));
  const place = { backupTime: time, realParentDir: w.cwd };
  // Other programs ignore what is added: what the copy must be, and the mode of the file.
  const copyOf = (text: string) => ({
    hash: new Bun.CryptoHasher("sha256").update(text).digest("base64url"),
    mode: statSync(w.at("w.txt")).mode & 0o777,
  });
  const first = { backupFileName: `${key}@v1`, version: 1, ...place, ...copyOf("alpha\n") };
  const absent = { backupFileName: null, version: 1, ...place };
  expect(w.entries.filter(({ type }) => type !== "keelson-file-written")).toEqual([
    {
      type: "file-history-snapshot",
      messageId: "u1",
      snapshot: { messageId: "u1", trackedFileBackups: {}, timestamp: time },
      isSnapshotUpdate: false,
    },
    {
      type: "file-history-delta",
      messageId: "assistant",
      snapshotMessageId: "u1",
      trackingPath: "w.txt",
      backup: first,
      timestamp: time,
    },
    {
      type: "file-history-delta",
      messageId: "assistant",
      snapshotMessageId: "u1",
      trackingPath: "new.txt",
      backup: absent,
      timestamp: time,
    },
    {
      type: "file-history-snapshot",
      messageId: "u2",
      snapshot: {
        messageId: "u2",
        trackedFileBackups: {
          "w.txt": { backupFileName: `${key}@v2`, version: 2, ...place, ...copyOf("beta\n") },
          "new.txt": { backupFileName: `${keyOf(w.at("new.txt"))}@v1`, version: 1, ...place, ...copyOf("new\n") },
        },
        timestamp: time,
      },
      isSnapshotUpdate: false,
    },
  ]);
  expect(readFileSync(join(w.dir, `${key}@v1`), "utf8")).toBe("alpha\n");
  expect(statSync(w.dir).mode & 0o777).toBe(0o700);
});

test("rewinding to the second prompt, then to the first, restores the files from before each", async () => {
  using w = world();
  writeFileSync(w.at("w.txt"), "alpha\n");
  w.history.prompt("u1");
  w.edit("w.txt", "beta\n");
  w.history.prompt("u2");
  w.edit("w.txt", "gamma\ndelta\n");
  w.edit("made/new.txt", "new\n");

  const changed = { ...whole, filesChanged: [w.at("w.txt"), w.at("made/new.txt")], insertions: 1, deletions: 3 };
  expect(await w.rewind("u2", { dryRun: true })).toEqual(changed);
  expect(w.read("w.txt")).toBe("gamma\ndelta\n");
  expect(await w.rewind("u2")).toEqual(changed);
  expect([w.read("w.txt"), w.read("made/new.txt")]).toEqual(["beta\n", undefined]);
  expect(await w.rewind("u1")).toEqual({ ...whole, filesChanged: [w.at("w.txt")], insertions: 1, deletions: 1 });
  expect(w.read("w.txt")).toBe("alpha\n");
  expect(await w.rewind("u1")).toEqual({ ...whole, filesChanged: [], insertions: 0, deletions: 0 });
});

test("a rewind works across a resume", async () => {
  using w = world();
  writeFileSync(w.at("a"), "1");
  w.history.prompt("u1");
  w.edit("a", "2");
  w.resume();
  w.history.prompt("u2");
  w.edit("a", "3");
  w.resume();
  expect((await w.rewind("u2")).filesChanged).toEqual([w.at("a")]);
  expect(w.read("a")).toBe("2");
  expect((await w.rewind("u1")).canRewind).toBe(true);
  expect(w.read("a")).toBe("1");
});

test("a file first changed after a prompt is restored to its state before that change", async () => {
  using w = world();
  writeFileSync(w.at("late"), "old");
  w.history.prompt("u1");
  w.history.prompt("u2");
  w.edit("late", "new");
  await w.rewind("u1");
  expect(w.read("late")).toBe("old");
});

test("an unknown prompt cannot be rewound to", async () => {
  using w = world();
  const refused = {
    canRewind: false,
    error: NO_CHECKPOINT,
    filesChanged: [],
    insertions: 0,
    deletions: 0,
    skippedLinks: 0,
  };
  expect(await w.rewind("nobody")).toEqual(refused);
});

test("a change from outside is reported, before and after, and a copy is kept", async () => {
  using w = world();
  writeFileSync(w.at("a"), "old\n");
  writeFileSync(w.at("b"), "old\n");
  w.history.prompt("u1");
  w.edit("a", "ours\n");
  w.edit("b", "ours\n");
  w.resume();
  writeFileSync(w.at("a"), "theirs\n");

  expect((await w.rewind("u1", { dryRun: true })).externallyChanged).toEqual([{ path: w.at("a") }]);
  const [named] = (await w.rewind("u1")).externallyChanged!;
  expect(named).toEqual({ path: w.at("a"), copy: expect.stringContaining(w.dir) });
  expect(readFileSync(named!.copy!, "utf8")).toBe("theirs\n");
  expect(w.read("a")).toBe("old\n");
  // Our own rewind is not a change from outside.
  w.history.prompt("u2");
  w.edit("a", "again\n");
  expect(await w.rewind("u2")).not.toHaveProperty("externallyChanged");
});

test("a deleted file is restored and reported", async () => {
  using w = world();
  writeFileSync(w.at("a"), "old\n");
  w.history.prompt("u1");
  w.edit("a", "ours\n");
  unlinkSync(w.at("a"));
  expect(await w.rewind("u1")).toEqual({
    ...whole,
    filesChanged: [w.at("a")],
    insertions: 1,
    deletions: 0,
    externallyChanged: [{ path: w.at("a") }],
  });
  expect(w.read("a")).toBe("old\n");
});

test("links are not followed, in place of a file or in its path", async () => {
  using w = world();
  const victim = join(w.root, "victim");
  writeFileSync(victim, "precious");
  mkdirSync(w.at("d"));
  writeFileSync(w.at("d/a"), "old");
  writeFileSync(w.at("b"), "old");
  w.history.prompt("u1");
  w.edit("d/a", "new");
  w.edit("b", "new");
  renameSync(w.at("d"), w.at("moved"));
  symlinkSync(w.at("moved"), w.at("d"));
  unlinkSync(w.at("b"));
  symlinkSync(victim, w.at("b"));

  expect(await w.rewind("u1")).toMatchObject({ canRewind: true, skippedLinks: 2, filesChanged: [] });
  expect([readFileSync(victim, "utf8"), w.read("moved/a")]).toEqual(["precious", "new"]);
});

test("a link is not tracked, and a rewind reports it", async () => {
  using w = world();
  writeFileSync(w.at("real"), "x");
  symlinkSync(w.at("real"), w.at("link"));
  w.history.prompt("u1");
  w.history.before(w.at("link"), "assistant");
  expect(w.entries).toHaveLength(1);
  expect((await w.rewind("u1")).notKept).toEqual([w.at("link")]);
  expect(w.warnings).toHaveLength(1);
});

test("the same bytes are stored once, for one file and for several", () => {
  using w = world();
  for (const name of ["a", "b", "c"]) writeFileSync(w.at(name), "same");
  w.history.prompt("u1");
  for (const name of ["a", "b", "c"]) w.edit(name, `${name} changed`);
  w.history.prompt("u2");
  w.edit("a", "same");
  w.resume();
  w.history.prompt("u3");

  const copies = readdirSync(w.dir);
  const inodes = new Set(copies.map((name) => statSync(join(w.dir, name)).ino));
  expect([copies.length, inodes.size]).toEqual([6, 4]);
  const last = w.entries.findLast(({ type }) => type === "file-history-snapshot") as any;
  expect(last.snapshot.trackedFileBackups["a"].backupFileName).toBe(`${keyOf(w.at("a"))}@v1`);
});

test("a file is restored with its mode", async () => {
  using w = world();
  writeFileSync(w.at("run.sh"), "#!/bin/sh\n");
  chmodSync(w.at("run.sh"), 0o755);
  w.history.prompt("u1");
  w.edit("run.sh", "changed\n");
  unlinkSync(w.at("run.sh"));
  await w.rewind("u1");
  expect(statSync(w.at("run.sh")).mode & 0o777).toBe(0o755);
});

test("a copy that is gone stops the rewind before anything changes", async () => {
  using w = world();
  writeFileSync(w.at("a"), "old a");
  writeFileSync(w.at("b"), "old b");
  w.history.prompt("u1");
  w.edit("a", "new a");
  w.edit("b", "new b");
  unlinkSync(join(w.dir, `${keyOf(w.at("b"))}@v1`));
  expect(await w.rewind("u1")).toMatchObject({ canRewind: false, error: expect.stringContaining("is gone") });
  expect([w.read("a"), w.read("b")]).toEqual(["new a", "new b"]);
});

test("a copy that cannot be kept does not stop the edit", async () => {
  using w = world();
  mkdirSync(dirname(w.dir), { recursive: true });
  writeFileSync(w.dir, "in the way");
  writeFileSync(w.at("a"), "old");
  w.history.prompt("u1");
  w.edit("a", "new");
  expect(w.read("a")).toBe("new");
  expect(await w.rewind("u1")).toMatchObject({ canRewind: true, filesChanged: [], notKept: [w.at("a")] });
});

test("entries that point outside are skipped", async () => {
  using w = world();
  const backup = { backupFileName: "../../outside", version: 1, backupTime: "", realParentDir: w.cwd };
  const absent = { backupFileName: null, version: 1, backupTime: "" };
  writeFileSync(join(w.root, "outside"), "stays");
  w.entries.push(
    {
      type: "file-history-snapshot",
      messageId: "u1",
      snapshot: { messageId: "u1", trackedFileBackups: { a: backup, "../outside": absent }, timestamp: "" },
      isSnapshotUpdate: false,
    },
    { type: "file-history-delta" } as never,
    { type: "file-history-snapshot", messageId: "u2", snapshot: null } as never,
  );
  w.resume();
  expect(await w.rewind("u1")).toMatchObject({ canRewind: true, filesChanged: [] });
  expect(readFileSync(join(w.root, "outside"), "utf8")).toBe("stays");
});

test("the last hundred prompts can be rewound to; older ones are dropped with their copies", async () => {
  using w = world();
  for (let number = 0; number <= 101; number++) {
    writeFileSync(w.at("a"), `version ${number}`);
    w.history.prompt(`u${number}`);
    if (number === 0) w.edit("a", "first");
  }
  expect((await w.rewind("u0", { dryRun: true })).error).toBe(NO_CHECKPOINT);
  expect((await w.rewind("u2", { dryRun: true })).canRewind).toBe(true);
  // What the file was at first is kept.
  expect(readdirSync(w.dir)).toHaveLength(101);
  expect(w.history.originals().map(({ was }) => String(was))).toEqual(["version 0"]);
});

test("pruneFileHistory() removes the copies of old sessions and no other files", () => {
  using w = world();
  const root = dirname(w.dir);
  const other = "22222222-2222-4222-8222-222222222222";
  const mixed = "33333333-3333-4333-8333-333333333333";
  const young = "44444444-4444-4444-8444-444444444444";
  for (const id of [SESSION, other, mixed, young, "not-a-session"]) {
    mkdirSync(join(root, id), { recursive: true });
    writeFileSync(join(root, id, "0123456789abcdef@v1"), "x");
  }
  writeFileSync(join(root, mixed, "notes.txt"), "mine");
  for (const id of [SESSION, other, mixed, "not-a-session"]) utimesSync(join(root, id), 0, 0);

  const now = Date.now();
  const options = { configDir: join(w.root, ".claude"), days: 30, keep: SESSION, now };
  expect(pruneFileHistory(options)).toEqual([other]);
  expect(readdirSync(root).sort()).toEqual([SESSION, mixed, young, "not-a-session"].sort());
  expect(readFileSync(join(root, mixed, "notes.txt"), "utf8")).toBe("mine");
});

test("files that may not be restored stay as they are, the others are restored, and a preview says the same", async () => {
  using w = world();
  for (const name of ["a", "b"]) writeFileSync(w.at(name), "old\n");
  w.history.prompt("u1");
  for (const name of ["a", "b", "new"]) w.edit(name, "new\n");
  const asked: unknown[] = [];
  const refusal = async ({ path, bytes }: FileRestore) => {
    asked.push([path, bytes === undefined ? undefined : Buffer.from(bytes).toString()]);
    return path === w.at("a") ? undefined : "not yours";
  };
  const refused = [w.at("b"), w.at("new")].map((path) => ({ path, reason: "not yours" }));
  const result = { ...whole, filesChanged: [w.at("a")], insertions: 1, deletions: 1, refused };
  expect(await w.rewind("u1", { dryRun: true, refusal })).toEqual(result);
  expect([w.read("a"), w.read("b"), w.read("new")]).toEqual(["new\n", "new\n", "new\n"]);
  expect(await w.rewind("u1", { refusal })).toEqual(result);
  expect([w.read("a"), w.read("b"), w.read("new")]).toEqual(["old\n", "new\n", "new\n"]);
  expect(asked.slice(3)).toEqual([
    [w.at("a"), "old\n"],
    [w.at("b"), "old\n"],
    [w.at("new"), undefined],
  ]);
  expect(await w.rewind("u1", { refusal })).toMatchObject({
    canRewind: false,
    error: `Nothing was restored. "${w.at("b")}": not yours; "${w.at("new")}": not yours`,
  });
});

test.each([
  ["other bytes", (copy: string) => writeFileSync(copy, "evil\n")],
  ["a link to another file", (copy: string) => (unlinkSync(copy), symlinkSync("/etc/hostname", copy))],
])("a copy that was replaced by %s restores nothing", async (_, attack) => {
  using w = world();
  writeFileSync(w.at("a"), "old\n");
  w.history.prompt("u1");
  w.edit("a", "new\n");
  attack(join(w.dir, `${keyOf(w.at("a"))}@v1`));
  for (const resume of [() => {}, () => w.resume()]) {
    resume();
    expect((await w.rewind("u1")).canRewind).toBe(false);
    expect(w.read("a")).toBe("new\n");
  }
});

test("a missing folder is not created behind a link", async () => {
  using w = world();
  mkdirSync(w.at("sub/deep"), { recursive: true });
  writeFileSync(w.at("sub/deep/a"), "old\n");
  w.history.prompt("u1");
  w.edit("sub/deep/a", "new\n");
  rmSync(w.at("sub"), { recursive: true });
  mkdirSync(join(w.root, "outside"));
  symlinkSync(join(w.root, "outside"), w.at("sub"));
  expect(await w.rewind("u1")).toMatchObject({ filesChanged: [], skippedLinks: 1 });
  expect(readdirSync(join(w.root, "outside"))).toEqual([]);
});

test("of a file that was not saved in an editor, the unsaved text comes back", async () => {
  using w = world();
  writeFileSync(w.at("a"), "saved\n");
  w.history.prompt("one");
  w.history.before(w.at("a"), "assistant", Buffer.from("typed\n"));
  w.history.before(w.at("new"), "assistant", Buffer.from("never saved\n"));
  for (const name of ["a", "new"]) {
    writeFileSync(w.at(name), "changed\n");
    w.history.wrote(w.at(name), Buffer.from("changed\n"));
  }
  w.history.prompt("two");
  w.edit("a", "changed again\n");
  expect(await w.rewind("two")).toMatchObject({ ...whole, filesChanged: [w.at("a")] });
  expect(w.read("a")).toBe("changed\n");
  expect(await w.rewind("one")).toMatchObject({ ...whole, filesChanged: [w.at("a"), w.at("new")] });
  expect([w.read("a"), w.read("new")]).toEqual(["typed\n", "never saved\n"]);
});
