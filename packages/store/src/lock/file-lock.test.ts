import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exclusiveFile } from "./exclusive-file.ts";
import { withFileLock } from "./file-lock.ts";

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
