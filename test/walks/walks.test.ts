// The walks in ARCHITECTURE.md are true: each is made to happen, and its files must have run in the order of the list.

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
  .map((text) => ({ name: text.slice(0, text.indexOf("\n")), items: itemsIn(text) }));

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

test.each(walks)("walk: $name", async ({ name, items }) => {
  const files = [...new Set(items.flat())];
  expect(files.length).toBeGreaterThan(4);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(notInOrder(items, await ranIn(name, files))).toEqual([]);
});

test("a file that did not run, and one that ran only before the item above it, are found", () => {
  const order = ["a", "b", "c", "b", "d"];
  expect(notInOrder([["a"], ["c", "b"], ["d"]], order)).toEqual([]);
  expect(notInOrder([["a"], ["d"], ["c"], ["x"]], order)).toEqual([
    "c did not run after item 2, but before it",
    "x did not run",
  ]);
});

/** The files of each numbered item. `engine/run/run.ts` in one is packages/engine/src/run/run.ts. */
function itemsIn(text: string): readonly (readonly string[])[] {
  const items: string[][] = [];
  for (const line of text.split("\n")) {
    if (/^\d+\./.test(line)) items.push([]);
    else if (!line.startsWith("   ")) continue;
    for (const [, name, path] of line.matchAll(/`(\w+)\/([\w/.-]+\.ts)`/g))
      items.at(-1)?.push(`packages/${name}/src/${path}`);
  }
  return items;
}

/**
 * Complaints about files that did not run after the item above theirs. Most ran before, too: what an open session consists of is
 * made before it is used, so the first run of all says nothing. The files of one item may run in any order.
 */
function notInOrder(items: readonly (readonly string[])[], order: readonly string[]): string[] {
  let above = -1;
  return items.flatMap((files, at) => {
    const times = files.map((file) => order.indexOf(file, above + 1));
    const late = files.filter((_, index) => times[index]! < 0);
    // One that is missing does not make the items below it wrong.
    above = Math.min(...times.filter((time) => time >= 0), ...(late.length === files.length ? [above] : []));
    return late.map((file) =>
      order.includes(file) ? `${file} did not run after item ${at}, but before it` : `${file} did not run`,
    );
  });
}

/** The files of which a function ran, in that order, each as often as it ran after another one. */
async function ranIn(name: string, files: readonly string[]): Promise<readonly string[]> {
  using home = temporaryHome();
  const order = join(home.root, "order");
  const argv = ["test", "--preload=./test/walks/record-order.ts", "./test/walks/walk.ts"];
  const run = Bun.spawn([process.execPath, ...argv], {
    cwd: root,
    env: { ...process.env, WALK: name, WALK_FILES: files.join("\n"), WALK_ORDER: order },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stderr, code] = await Promise.all([run.stderr.text(), run.exited]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return readFileSync(order, "utf8").split("\n");
}
