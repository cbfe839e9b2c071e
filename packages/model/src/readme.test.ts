import { expect, test } from "bun:test";
import { join } from "node:path";

test("the example in the README runs", async () => {
  const folder = join(import.meta.dir, "..");
  const example = /```ts\n([\s\S]*?)```/.exec(await Bun.file(join(folder, "README.md")).text())![1]!;
  const program = Bun.spawn([process.execPath, "run", "-"], {
    cwd: folder,
    stdin: Buffer.from(example),
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([program.stdout.text(), program.stderr.text()]);
  expect([await program.exited, errors]).toEqual([0, ""]);
  expect(out).toContain("I am Keelson's built-in offline model");
  expect(out).toEndWith("cost: 0\n");
});
