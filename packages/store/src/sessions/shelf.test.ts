import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry } from "@keelson/protocol";
import { projectDir } from "../paths.ts";
import { prompt, says } from "../samples.test-support.ts";
import { lineOf } from "../transcript/line.ts";
import { StoredSessions } from "./stored-sessions.ts";
import { nameSession, previewSession, searchSessionTexts, sessionsToResume } from "./shelf.ts";

const configDir = mkdtempSync(join(tmpdir(), "keelson-shelf-"));
afterAll(() => rmSync(configDir, { recursive: true, force: true }));

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

function session(cwd: string, n: number, ...entries: (Entry | object)[]): string {
  const dir = projectDir({ configDir, cwd });
  const path = join(dir, `${id(n)}.jsonl`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, entries.map((entry) => `${lineOf(entry as Entry)}\n`).join(""));
  utimesSync(path, n, n);
  return path;
}
const answer = (uuid: string, parent: string, text: string) => {
  const entry = says(uuid, parent) as any;
  return { ...entry, message: { ...entry.message, content: [{ type: "text", text }] } };
};

test("sessionsToResume() lists those of a folder or of all folders, newest first, with their worktree", async () => {
  const worktree = { originalCwd: "/one", worktreePath: "/one/.claude/worktrees/w", worktreeName: "w" };
  session("/one", 1, prompt("u1", null, "older"));
  session("/one", 3, prompt("u1", null, "newer"), {
    type: "worktree-state",
    worktreeSession: worktree,
    sessionId: id(3),
  });
  session("/two", 2, prompt("u1", null, "elsewhere"));
  const place = { configDir, cwd: "/one" };
  const shown = async (options?: { allProjects: boolean }) =>
    (await sessionsToResume(place, options)).map(({ title, worktree: tree }) => [title, tree]);
  expect(await shown()).toEqual([
    ["newer", "w"],
    ["older", undefined],
  ]);
  expect(await shown({ allProjects: true })).toEqual([
    ["newer", "w"],
    ["elsewhere", undefined],
    ["older", undefined],
  ]);
});

test("searchSessionTexts() finds what was said, not how it is stored", async () => {
  const said = session("/s", 1, prompt("u1", null, "hello"), answer("a1", "u1", 'The "Zebra" says moo\nloudly, ÉLAN'));
  session("/s", 2, prompt("u1", null, "hello"), {
    ...prompt("u2", "u1"),
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "a zebra in a file" }] },
  });
  const all = await sessionsToResume({ configDir, cwd: "/s" });
  const find = async (words: string) =>
    (await searchSessionTexts(words, all, new AbortController().signal)).map(({ path }) => path);
  expect(await find('LOUDLY "zebra"')).toEqual([said]);
  expect(await find("hello moo")).toEqual([said]);
  expect(await find("élan")).toEqual([said]);
  expect(await find("assistant")).toEqual([]);
  expect(await find("hello")).toHaveLength(2);
  // An id is found by its beginning, and a number not by chance.
  expect(await find("00000000-0000-4000")).toHaveLength(2);
  expect(await find("4000")).toEqual([]);
  expect(await searchSessionTexts("hello", all, AbortSignal.abort())).toEqual([]);
});

test("previewSession() shows the last prompts and their answers", () => {
  const entries: object[] = [];
  for (let n = 0; n < 9; n++) {
    entries.push(prompt(`u${n}`, n === 0 ? null : `a${n - 1}`, `ask ${n}\nmore`));
    entries.push(answer(`a${n}`, `u${n}`, `answer ${n}`));
    entries.push({ ...prompt(`m${n}`, `a${n}`, "not typed"), isMeta: true });
  }
  const path = session("/p", 1, ...entries);
  const preview = previewSession(path);
  expect(preview.startsWith("> ask 3\n> more\n\nanswer 3\n\n> ask 4")).toBe(true);
  expect(preview.endsWith("> ask 8\n> more\n\nanswer 8")).toBe(true);
  expect(previewSession("/nowhere")).toBe("");
});

test("nameSession() gives a session a title that lists show", async () => {
  const path = session("/n", 1, prompt("u1", null, "hello"));
  nameSession({ id: id(1), path }, "  My\nname ");
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toBe(
    JSON.stringify({ type: "custom-title", customTitle: "My name", sessionId: id(1) }),
  );
  expect((await sessionsToResume({ configDir, cwd: "/n" }))[0]!.title).toBe("My name");
  expect(() => nameSession({ id: id(1), path }, " ")).toThrow("The title is empty");
});

test("only the rows that are wanted are read for the number of their messages, and once until they change", async () => {
  const cwd = "/counted";
  const older = session(cwd, 11, prompt("u1", null, "one"), says("a1", "u1"));
  const newer = session(cwd, 12, prompt("u1", null, "two"));
  const stored = new StoredSessions({ configDir, cwd });
  const rows = await stored.rows({});
  expect(rows.map(({ sessionId, messageCount }) => [sessionId, messageCount])).toEqual([
    [id(12), undefined],
    [id(11), undefined],
  ]);
  const counts = async (from = 0) =>
    (await stored.counted((await stored.rows({})).slice(from))).map(({ messageCount }) => messageCount);
  expect(await counts(1)).toEqual([2]);
  // Of the same size and time: it is not read again. The other is read for the first time.
  const blank = (path: string, n: number) => {
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"role"', '"elor"'));
    utimesSync(path, n, n);
  };
  blank(older, 11);
  blank(newer, 12);
  expect(await counts()).toEqual([0, 2]);
  utimesSync(older, 13, 13);
  expect(await counts()).toEqual([0, 0]);
});
