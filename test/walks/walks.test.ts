// The walks in ARCHITECTURE.md are true: each is made to happen, and every file on its list must have run a function.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome } from "@keelson/testkit";

const root = join(import.meta.dir, "../..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const section = page.slice(page.indexOf("\n## Walks\n"), page.indexOf("\n## Two rules\n"));
const walks = section
  .split("\n### ")
  .slice(1)
  .map((text) => ({ name: text.slice(0, text.indexOf("\n")), files: filesIn(text) }));

test("ARCHITECTURE.md has the walks that a newcomer needs", () => {
  expect(walks.map(({ name }) => name)).toEqual([
    "One prompt",
    "One prompt at the terminal",
    "One permission question through the SDK",
    "One hook",
    "One call of an MCP tool",
    "One typed skill",
    "One scheduled job",
    "One subagent",
    "One compaction",
    "One resume",
  ]);
});

test.each(walks)("walk: $name", async ({ name, files }) => {
  expect(files.length).toBeGreaterThan(4);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const reached = await reachedIn(name);
  expect(files.filter((file) => !reached.has(file))).toEqual([]);
});

/** `engine/run/run.ts` in a list item is packages/engine/src/run/run.ts. */
function filesIn(text: string): string[] {
  const items = text.split("\n").filter((line) => /^(\d+\.|   )/.test(line));
  const names = items.flatMap((line) => Array.from(line.matchAll(/`(\w+)\/([\w/.-]+\.ts)`/g)));
  return names.map(([, name, path]) => `packages/${name}/src/${path}`);
}

/** The files of which at least one function ran. */
async function reachedIn(name: string): Promise<Set<string>> {
  using home = temporaryHome();
  const coverage = join(home.root, "coverage");
  const argv = ["test", "--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverage}`, "./test/walks/walk.ts"];
  const run = Bun.spawn([process.execPath, ...argv], {
    cwd: root,
    env: { ...process.env, WALK: name },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stderr, code] = await Promise.all([run.stderr.text(), run.exited]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const records = readFileSync(join(coverage, "lcov.info"), "utf8").split("end_of_record");
  const reached = records.filter((record) => Number(/^FNH:(\d+)$/m.exec(record)?.[1] ?? 0) > 0);
  return new Set(reached.map((record) => /^SF:(.+)$/m.exec(record)?.[1] ?? ""));
}
