import { expect, test } from "bun:test";
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exclusiveFile } from "./exclusive-file.ts";
import { FileLockedError, withFileLock, type FileLockOptions } from "./file-lock.ts";
import { loadFlock } from "./flock.ts";
import { flockAttempts } from "./locked-file.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "keelson-lock-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** A process that works under the lock until it is killed. */
async function working(path: string) {
  return holding(`const { withFileLock } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
    await withFileLock(${JSON.stringify(path)}, () => { console.log("held"); Bun.sleepSync(600_000); });`);
}

/** A process that runs a program, once it has said that it holds the lock. */
async function holding(program: string) {
  const holder = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("held\n");
  return holder;
}

test("a lock that a process held when it was killed is free", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const holder = await working(path);
  let entered = false;
  const waiting = withFileLock(path, () => (entered = true));
  await Bun.sleep(20);
  expect(entered).toBe(false);
  holder.kill("SIGKILL");
  expect(await waiting).toBe(true);
});

/** A program that adds one to a number in a file, twenty times, under the lock. */
const counting = (path: string, counter: string, options: FileLockOptions = {}) => `
  const { withFileLock } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
  const { readFileSync, writeFileSync } = require("node:fs");
  const count = () =>
    writeFileSync(${JSON.stringify(counter)}, String(Number(readFileSync(${JSON.stringify(counter)}, "utf8")) + 1));
  for (let turn = 0; turn < 20; turn++)
    await withFileLock(${JSON.stringify(path)}, count, ${JSON.stringify(options)});`;

/** A process that locks a file it can only read, and does not let go. */
async function stranger(path: string) {
  const holder = await holding(`const { openSync } = require("node:fs");
    const { loadFlock } = await import(${JSON.stringify(join(import.meta.dir, "flock.ts"))});
    const flock = await loadFlock();
    console.log(flock(openSync(${JSON.stringify(path)}, "r")) ? "held" : "busy");
    setInterval(() => {}, 600_000);`);
  return {
    holder,
    async [Symbol.asyncDispose]() {
      holder.kill("SIGKILL");
      await holder.exited;
    },
  };
}

test("a process that locks the file and does no work under the lock cannot keep the others waiting", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  await withFileLock(path, () => undefined);
  await using locked = await stranger(path);
  // Each of these is a process that waits: they replace the file once, and do their work one after the other.
  const counter = join(at.path, "counter");
  writeFileSync(counter, "0");
  const waiting = Array.from({ length: 5 }, () => Bun.spawn([process.execPath, "-e", counting(path, counter)]));
  expect(await Promise.all(waiting.map(({ exited }) => exited))).toEqual([0, 0, 0, 0, 0]);
  expect([readFileSync(counter, "utf8"), locked.holder.exitCode]).toEqual(["100", null]);
  expect(readdirSync(at.path).toSorted()).toEqual([".lock", "counter"]);
});

test("a lock is not taken from a process that works under it, however long", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const holder = await working(path);
  const { ino } = statSync(path);
  const flock = (await loadFlock())!;
  const attempt = flockAttempts(flock);
  for (const until = performance.now() + 2_500; performance.now() < until; await Bun.sleep(50)) {
    expect([attempt(path, {}), statSync(path).ino]).toEqual([undefined, ino]);
  }
  holder.kill("SIGKILL");
  await holder.exited;
  using held = attempt(path, {});
  expect(held).toBeDefined();
});

test("work that fails frees the lock", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const failing = () => {
    throw new Error("no");
  };
  expect(withFileLock(path, failing)).rejects.toThrow("no");
  expect(await withFileLock(path, () => "next")).toBe("next");
});

test("without flock, a file is the lock, and the old one of a process that is gone is removed", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const held = exclusiveFile(path, {});
  expect(held).toBeDefined();
  expect(exclusiveFile(path, {})).toBeUndefined();
  held![Symbol.dispose]();
  writeFileSync(`${path}.held`, "");
  expect(exclusiveFile(path, {})).toBeUndefined();
  utimesSync(`${path}.held`, new Date(0), new Date(0));
  writeFileSync(`${path}.held.taking`, "");
  utimesSync(`${path}.held.taking`, new Date(0), new Date(0));
  expect(await withFileLock(path, () => "mine", {}, exclusiveFile)).toBe("mine");
  expect(readdirSync(at.path)).toEqual([]);
});

test("without flock, a lock is not taken from a process that works for long", () => {
  using at = folder();
  const path = join(at.path, ".lock");
  using _held = exclusiveFile(path, {});
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(`${path}.held`, aMinuteAgo, aMinuteAgo);
  expect([exclusiveFile(path, {}), exclusiveFile(path, {})]).toEqual([undefined, undefined]);
});

test("on a file system that cannot lock files, a file is the lock", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const attempt = flockAttempts(() => false);
  const names = await withFileLock(path, () => readdirSync(at.path), {}, attempt);
  expect([names.toSorted(), readdirSync(at.path)]).toEqual([[".lock", ".lock.held"], [".lock"]]);
});

test("a temporary lock leaves no file, holds while its work waits, and is for one at a time", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  let inside = 0;
  const work = async (turn: number) => {
    expect([++inside, existsSync(path)]).toEqual([1, true]);
    await Bun.sleep(turn % 3);
    inside--;
  };
  await Promise.all(
    Array.from({ length: 20 }, (_, turn) => withFileLock(path, () => work(turn), { isTemporary: true })),
  );
  expect(readdirSync(at.path)).toEqual([]);
});

test("processes that take turns at a temporary lock lose nothing", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const counter = join(at.path, "counter");
  writeFileSync(counter, "0");
  const runs = Array.from({ length: 4 }, () =>
    Bun.spawn([process.execPath, "-e", counting(path, counter, { isTemporary: true })]),
  );
  expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  expect([readFileSync(counter, "utf8"), readdirSync(at.path)]).toEqual(["80", ["counter"]]);
});

test("what is in the place of a temporary lock and is old is removed, and not written through", async () => {
  using at = folder();
  const [path, outside] = [join(at.path, ".lock"), join(at.path, "outside")];
  symlinkSync(outside, path);
  lutimesSync(path, new Date(0), new Date(0));
  expect(await withFileLock(path, () => "mine", { isTemporary: true })).toBe("mine");
  expect(readdirSync(at.path)).toEqual([]);
});

test("the folder that another program locks with is waited for, and left alone", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  mkdirSync(path);
  const locking = (patienceMs?: number) => withFileLock(path, () => "mine", { isTemporary: true, patienceMs });
  await expect(locking(20)).rejects.toThrow(FileLockedError);
  rmdirSync(path);
  expect(await locking()).toBe("mine");
});

test("the folder of another program that no longer touches it is removed, unless something is in it", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  mkdirSync(join(path, "kept"), { recursive: true });
  utimesSync(path, new Date(0), new Date(0));
  const locking = (patienceMs?: number) => withFileLock(path, () => "mine", { isTemporary: true, patienceMs });
  await expect(locking(20)).rejects.toThrow(FileLockedError);
  rmdirSync(join(path, "kept"));
  utimesSync(path, new Date(0), new Date(0));
  expect(await locking()).toBe("mine");
});

test("a lock of another container is not taken for a stranger's", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  await withFileLock(path, () => undefined);
  await using _locked = await stranger(path);
  // The id of no process here, from a place where ids are others.
  writeFileSync(path, "4194304 pid:[1]\n");
  const { ino } = statSync(path);
  const locking = withFileLock(path, () => undefined, { patienceMs: 2_500 });
  await expect(locking).rejects.toThrow("is locked by another process");
  expect(statSync(path).ino).toBe(ino);
});
