import { expect, test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..", "..", "..");

test("the example in the README runs", async () => {
  using home = temporaryHome();
  const readme = await Bun.file(join(import.meta.dir, "..", "README.md")).text();
  const code = /```ts\n(.*?)```/s.exec(readme)![1]!;
  const built = join(root, "dist", "keelson");
  // No model is configured, so the program's offline model answers.
  const program = process.env["KEELSON_BIN"] ?? (existsSync(built) ? built : join(root, "scripts", "keelson.mjs"));
  const env = { ...home.env, KEELSON_BIN: program };
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", code], { cwd: import.meta.dir, env });
  expect([stdout.toString(), stderr.toString()]).toEqual(["success\n", ""]);
});
