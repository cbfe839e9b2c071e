import { expect, test } from "bun:test";
import { join } from "node:path";

test("the example in the README runs", async () => {
  const readme = await Bun.file(join(import.meta.dir, "..", "README.md")).text();
  const code = /```ts\n(.*?)```/s.exec(readme)![1]!;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", code], { cwd: import.meta.dir });
  expect([stdout.toString(), stderr.toString()]).toEqual(["running Bash npm test\ndone Bash npm test\n", ""]);
});
