import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProgressUntil } from "./in-progress.ts";
import { SessionIndex } from "./session-index.ts";

interface Scratch extends Disposable {
  readonly configDir: string;
  /** Writes a transcript; its path. */
  write(number: number, title: string, folder?: string): string;
}

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

function scratch(): Scratch {
  const configDir = realpathSync(mkdtempSync(join(tmpdir(), "keelson-index-")));
  return {
    configDir,
    write(number, title, folder = "-p") {
      const path = join(configDir, "projects", folder, `${idOf(number)}.jsonl`);
      mkdirSync(join(path, ".."), { recursive: true });
      const prompt = { type: "user", message: { role: "user", content: title }, cwd: "/p", uuid: idOf(number) };
      writeFileSync(path, `${JSON.stringify({ parentUuid: null, ...prompt })}\n`);
      utimesSync(path, number, number);
      return path;
    },
    [Symbol.dispose]: () => rmSync(configDir, { recursive: true, force: true }),
  };
}

async function titles(index: SessionIndex): Promise<string[]> {
  return (await index.list()).map(({ title }) => title);
}

/** Watching says when something has changed; until then it is what it was. */
async function until(index: SessionIndex, wanted: readonly string[]): Promise<void> {
  while (JSON.stringify(await titles(index)) !== JSON.stringify(wanted)) await new Promise(setImmediate);
}

test("the list follows what is written, in folders that come later, too", async () => {
  using place = scratch();
  const index = new SessionIndex(place.configDir);
  expect(await titles(index)).toEqual([]);
  place.write(1, "First");
  await until(index, ["First"]);
  const second = place.write(2, "Second", "-q");
  await until(index, ["Second", "First"]);
  place.write(1, "First again");
  await until(index, ["Second", "First again"]);
  rmSync(second);
  await until(index, ["First again"]);
  rmSync(join(place.configDir, "projects"), { recursive: true });
  await until(index, []);
  place.write(3, "Third");
  await until(index, ["Third"]);
  index.close();
});

test("a session with an owner is marked; links and other files are no sessions", async () => {
  using place = scratch();
  const path = place.write(1, "First");
  writeFileSync(path.replace(/jsonl$/, "owner"), "{}");
  symlinkSync(path, join(path, "..", `${idOf(2)}.jsonl`));
  writeFileSync(join(path, "..", "notes.jsonl"), "{}\n");
  const index = new SessionIndex(place.configDir);
  expect((await index.list()).map(({ id, hasOwner }) => [id, hasOwner])).toEqual([[idOf(1), true]]);
  index.close();
});

test("what has not changed is the same object, and a watcher calls when something has", async () => {
  using place = scratch();
  place.write(1, "First");
  place.write(2, "Second");
  const index = new SessionIndex(place.configDir);
  const [second, first] = await index.list();
  expect([await index.find(idOf(1)), await index.find(idOf(3))]).toEqual([first, undefined]);
  const changed = new Promise<void>((resolve) => (index.changed = resolve));
  const path = place.write(1, "First again");
  await changed;
  await until(index, ["Second", "First again"]);
  expect((await index.list())[0]).toBe(second!);
  writeFileSync(path.replace(/jsonl$/, "owner"), "{}");
  while (!(await index.find(idOf(1)))?.hasOwner) await new Promise(setImmediate);
  const list = await index.list();
  expect([list[0] === second, list[1]?.hasOwner, await index.list()]).toEqual([true, true, list]);
  index.close();
});

test("ten thousand sessions are read once", async () => {
  using place = scratch();
  for (let number = 1; number <= 10_000; number++) place.write(number, `Session ${number}`, `-p${number % 50}`);
  const index = new SessionIndex(place.configDir);
  const first = performance.now();
  expect((await index.list()).length).toBe(10_000);
  const whole = performance.now() - first;
  const again = performance.now();
  await index.list();
  const next = performance.now() - again;
  // Nothing has changed, so no file is looked at.
  expect(next).toBeLessThan(whole / 5);
  place.write(10_001, "The newest", "-p1");
  while ((await index.list())[0]?.title !== "The newest") await new Promise(setImmediate);
  index.close();
});

test("a change in a folder of ten thousand looks at what has changed alone", async () => {
  using place = scratch();
  for (let number = 1; number <= 10_000; number++) place.write(number, `Session ${number}`);
  const index = new SessionIndex(place.configDir);
  await index.list();
  let whole = Infinity;
  for (let round = 0; round < 5; round++) {
    index.readAgain();
    const began = performance.now();
    await index.list();
    whole = Math.min(whole, performance.now() - began);
  }
  let fastest = Infinity;
  for (let round = 1; round <= 20; round++) {
    place.write(20_000 + round, `Round ${round}`);
    for (;;) {
      const began = performance.now();
      const [newest] = await index.list();
      if (newest?.title === `Round ${round}`) {
        fastest = Math.min(fastest, performance.now() - began);
        break;
      }
      await new Promise(setImmediate);
    }
  }
  expect(fastest).toBeLessThan(whole / 1.5);
  index.close();
});

const at = (ms: number) => new Date(ms).toISOString();
const NOW = Date.parse("2026-11-19T12:00:00Z");
const user = (seconds: number) => ({ type: "user", message: { content: "x" }, timestamp: at(NOW - seconds * 1_000) });
const assistant = (seconds: number, stop_reason: string | null) => ({
  type: "assistant",
  message: { content: [], stop_reason },
  timestamp: at(NOW - seconds * 1_000),
});

test.each([
  ["a prompt without an answer", [user(5)], true],
  ["an answer that is not over", [user(9), assistant(5, null)], true],
  ["a result of a tool that is new", [assistant(20, null), user(5)], true],
  ["an answer that is over", [user(9), assistant(5, "end_turn")], false],
  ["a result behind it", [assistant(5, null), { type: "result", timestamp: at(NOW) }], false],
  ["an answer that is a minute old", [assistant(60, null)], false],
  ["a prompt that is a minute old", [user(61)], false],
  ["an old answer and something new without a time", [assistant(60, null), { type: "summary", summary: "x" }], false],
  ["an answer of a subagent", [assistant(30, "end_turn"), { ...assistant(5, null), isSidechain: true }], false],
  ["nothing", [], false],
  ["a torn line", [user(5), "{"], true],
])("inProgressUntil() says whether someone works in it: %s", (_, lines, expected) => {
  using place = scratch();
  const path = place.write(1, "x");
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  expect((inProgressUntil(path) ?? 0) > NOW).toBe(expected);
});
