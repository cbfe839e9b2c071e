import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "./program/home.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test("the example in the README is a test that passes", async () => {
  using home = temporaryHome();
  const [, example] = (await Bun.file(here("../README.md")).text()).match(/```ts\n([\s\S]*?)```/)!;
  home.write("example.test.ts", example!);
  symlinkSync(here("../../../node_modules"), join(home.project, "node_modules"));

  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test", "example.test.ts"], {
    cwd: home.project,
    env: home.env,
  });

  expect(stderr.toString()).toContain("1 pass");
  expect(exitCode).toBe(0);
});
