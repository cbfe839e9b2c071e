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
    const seen = ["system init", "assistant ", "assistant ", "user ", "user ", "assistant ", "result success", ""];
    expect([stdout.toString(), stderr.toString()]).toEqual([seen.join("\n"), ""]);
  } finally {
    rmSync(TMPDIR, { recursive: true, force: true });
  }
});
