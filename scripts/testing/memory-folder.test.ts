import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { testUnless } from "@keelson/testkit";
import { memoryFolder } from "./memory-folder.ts";

const folder = memoryFolder();
const testHere = testUnless(folder ? null : "no folder can be kept in memory here", test);

testHere("only the command sees what is in the folder, and when it is removed nothing is left", async () => {
  const { path, around, remove } = folder!;
  const script = `echo left > "$1/file"; cat "$1/file"; read -r _; exit 3`;
  const child = Bun.spawn([...around(["sh", "-c", script, "sh", path])], { stdin: "pipe", stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  expect(Buffer.from(value!).toString()).toBe("left\n");
  expect(readdirSync(path)).toEqual([]);
  child.stdin.write("\n");
  await child.stdin.end();
  expect(await child.exited).toBe(3);
  remove();
  expect(existsSync(path)).toBe(false);
});
