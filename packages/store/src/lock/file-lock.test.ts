import { expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exclusiveFile } from "./exclusive-file.ts";
import { withFileLock } from "./file-lock.ts";
import { loadFlock } from "./flock.ts";
import { flockAttempts } from "./locked-file.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "keelson-lock-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

test("a lock that a process held when it was killed is free", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const hold = `const { withFileLock } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
    await withFileLock(${JSON.stringify(path)}, () => { console.log("held"); Bun.sleepSync(600_000); });`;
  const holder = Bun.spawn([process.execPath, "-e", hold], { stdout: "pipe" });
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("held\n");
  let entered = false;
  const waiting = withFileLock(path, () => (entered = true));
  await Bun.sleep(20);
  expect(entered).toBe(false);
  holder.kill("SIGKILL");
  expect(await waiting).toBe(true);
});

/** A process that locks a file it can only read, and does not let go. */
async function stranger(path: string) {
  const hold = `const { openSync } = require("node:fs");
    const { loadFlock } = await import(${JSON.stringify(join(import.meta.dir, "flock.ts"))});
    const flock = await loadFlock();
    console.log(flock(openSync(${JSON.stringify(path)}, "r")) ? "held" : "busy");
    setInterval(() => {}, 600_000);`;
  const holder = Bun.spawn([process.execPath, "-e", hold], { stdout: "pipe" });
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("held\n");
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
  const count = `const { withFileLock } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
    const { readFileSync, writeFileSync } = require("node:fs");
    for (let turn = 0; turn < 20; turn++)
      await withFileLock(${JSON.stringify(path)}, () =>
        writeFileSync(${JSON.stringify(counter)}, String(Number(readFileSync(${JSON.stringify(counter)}, "utf8")) + 1)));`;
  const waiting = Array.from({ length: 5 }, () => Bun.spawn([process.execPath, "-e", count]));
  expect(await Promise.all(waiting.map(({ exited }) => exited))).toEqual([0, 0, 0, 0, 0]);
  expect([readFileSync(counter, "utf8"), locked.holder.exitCode]).toEqual(["100", null]);
  expect(readdirSync(at.path).toSorted()).toEqual([".lock", "counter"]);
});

test("a lock is not taken from a process that works under it, however long", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const hold = `const { withFileLock } = await import(${JSON.stringify(join(import.meta.dir, "file-lock.ts"))});
    await withFileLock(${JSON.stringify(path)}, () => { console.log("held"); Bun.sleepSync(600_000); });`;
  const holder = Bun.spawn([process.execPath, "-e", hold], { stdout: "pipe" });
  await holder.stdout.getReader().read();
  const { ino } = statSync(path);
  const flock = (await loadFlock())!;
  const attempt = flockAttempts(flock);
  for (const until = performance.now() + 2_500; performance.now() < until; await Bun.sleep(50)) {
    expect([attempt(path), statSync(path).ino]).toEqual([undefined, ino]);
  }
  holder.kill("SIGKILL");
  await holder.exited;
  using held = attempt(path);
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

test("without flock, a file is the lock, and an old one is taken away", async () => {
  using at = folder();
  const path = join(at.path, ".lock");
  const held = exclusiveFile(path);
  expect(held).toBeDefined();
  expect(exclusiveFile(path)).toBeUndefined();
  held![Symbol.dispose]();
  writeFileSync(`${path}.held`, "");
  expect(exclusiveFile(path)).toBeUndefined();
  utimesSync(`${path}.held`, new Date(0), new Date(0));
  expect(await withFileLock(path, () => "mine", exclusiveFile)).toBe("mine");
  expect(existsSync(`${path}.held.taking`)).toBe(false);
});
