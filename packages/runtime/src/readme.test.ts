import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

test("the example in the README runs", async () => {
  const readme = await Bun.file(join(import.meta.dir, "..", "README.md")).text();
  const code = /```ts\n(.*?)```/s.exec(readme)![1]!;
  const TMPDIR = mkdtempSync(join(tmpdir(), "keelson-readme-test-"));
  try {
    const env = { ...process.env, TMPDIR };
    const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", code], { cwd: import.meta.dir, env });
    // The first reply has two calls; the result of one may come before the other.
    const lines = stdout.toString().trimEnd().split("\n");
    expect([lines[0], lines.slice(1, 5).sort(), lines.slice(5)]).toEqual([
      "system init",
      ["assistant ", "assistant ", "user ", "user "],
      ["assistant ", "result success"],
    ]);
    expect(stderr.toString()).toBe("");
  } finally {
    rmSync(TMPDIR, { recursive: true, force: true });
  }
});
