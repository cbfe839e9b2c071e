import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Entry } from "@keelson/protocol";
import { firstPromptIn } from "./first-prompt.ts";
import { lineOf } from "../transcript/line.ts";
import { projectDir, projectKey } from "../paths.ts";
import { prompt, says } from "../samples.test-support.ts";
import { findSession, listStoredSessions, newestSession } from "./list.ts";

const configDir = mkdtempSync(join(tmpdir(), "keelson-sessions-"));
afterAll(() => rmSync(configDir, { recursive: true, force: true }));

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const titled = (n: number, customTitle: string): Entry => ({ type: "custom-title", customTitle, sessionId: id(n) });

function session(dir: string, name: string, modified: number, ...entries: (Entry | string)[]): string {
  const path = join(dir, `${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, entries.map((entry) => (typeof entry === "string" ? entry : lineOf(entry)) + "\n").join(""));
  utimesSync(path, modified, modified);
  return path;
}

test("listStoredSessions() lists sessions newest first and no other files", () => {
  const dir = projectDir({ configDir, cwd: "/list" });
  const path = session(dir, id(1), 1_000, prompt("u1", null, "first question"), says("a1", "u1"));
  session(dir, id(2), 3_000, prompt("u1", null, "asked"), titled(2, "Old"), titled(2, "New"), {
    type: "tag",
    tag: "t",
    sessionId: id(2),
  });
  session(dir, id(3), 2_000, '{"type":"ai-title","aiTitle":"Generated"}', prompt("u1", null));
  session(dir, id(4), 4_000);
  session(dir, id(5), 4_000, { ...prompt("u1", null), isSidechain: true } as Entry);
  session(dir, "notes", 4_000, prompt("u1", null));
  mkdirSync(join(dir, `${id(6)}.jsonl`));

  const sessions = listStoredSessions(dir);
  expect(sessions.map(({ id, title, tag }) => [id, title, tag])).toEqual([
    [id(2), "New", "t"],
    [id(3), "Generated", undefined],
    [id(1), "first question", undefined],
  ]);
  expect(sessions[2]).toEqual({
    id: id(1),
    path,
    title: "first question",
    topic: "first question",
    customTitle: undefined,
    firstPrompt: "first question",
    lastPrompt: undefined,
    tag: undefined,
    cwd: "/home/u/p",
    gitBranch: "master",
    entrypoint: "sdk-cli",
    worktree: undefined,
    modified: 1_000_000,
    size: sessions[2]!.size,
  });
  expect(newestSession({ configDir, cwd: "/list" })?.id).toBe(id(2));
  expect(newestSession({ configDir, cwd: "/nothing/here" })).toBeUndefined();
});

test.each([10, 9_000, 20_000])(
  "newestSession() leaves out what is no session, also after a line of %d characters",
  (length) => {
    const place = { configDir, cwd: `/newest-${length}` };
    const dir = projectDir(place);
    const long = JSON.stringify({ type: "queue-operation", content: "x".repeat(length) });
    const asked = prompt("u1", null, "y".repeat(length));
    session(dir, id(1), 1_000, long, asked);
    session(dir, id(2), 2_000, long, { ...asked, teamName: "t" } as Entry);
    session(dir, id(3), 3_000, { ...asked, isSidechain: true } as Entry, long);
    expect(newestSession(place)?.id).toBe(id(1));
    session(dir, id(4), 4_000, "not JSON");
    expect(newestSession(place)?.id).toBe(id(4));
    expect(listStoredSessions(dir).map((each) => each.id)).toEqual([id(4), id(1)]);
  },
);

test("a list reads only both ends of a large file", () => {
  const dir = projectDir({ configDir, cwd: "/large" });
  const filler = says("a", "u", "x".repeat(300_000));
  session(dir, id(1), 1, prompt("u", null, "asked"), titled(1, "Early"), filler, titled(1, "Late"));
  session(dir, id(2), 2, filler, titled(2, "Hidden"), filler);
  expect(listStoredSessions(dir).map(({ title, cwd }) => [title, cwd])).toEqual([
    ["", "/home/u/p"],
    ["Late", "/home/u/p"],
  ]);
});

test("findSession() finds a session by id or by title", () => {
  const place = { configDir, cwd: "/find" };
  const dir = projectDir(place);
  const path = session(dir, id(1), 1, prompt("u", null), titled(1, "One"));
  session(dir, id(2), 2, prompt("u", null), titled(2, "Both"));
  session(dir, id(3), 3, prompt("u", null), titled(3, "Both"));
  session(dir, id(4), 4);
  expect(findSession(place, id(1))).toEqual({ kind: "found", id: id(1), path });
  expect(findSession(place, "one")).toEqual({ kind: "found", id: id(1), path });
  expect(findSession(place, "Both")).toEqual({
    kind: "ambiguous",
    ids: [id(3), id(2)],
    message: `Several conversations are named "Both"; resume one by its session ID:\n${id(3)}\n${id(2)}`,
  });
  for (const wanted of [id(4), id(9)]) {
    expect(findSession(place, wanted)).toEqual({
      kind: "missing",
      message: `No conversation found with session ID: ${wanted}`,
    });
  }
  for (const wanted of ["nobody", "", "../find"]) {
    expect(findSession(place, wanted)).toEqual({
      kind: "missing",
      message: `No conversation in this folder is named "${wanted}"; to choose one, run: keelson --resume`,
    });
  }
});

test("a file in place of the folder has no sessions", () => {
  const place = { configDir, cwd: "/blocked" };
  writeFileSync(projectDir(place), "in the way");
  expect(findSession(place, id(1)).kind).toBe("missing");
  expect(newestSession(place)).toBeUndefined();
});

test("a long directory is also found under the name of an older hash", () => {
  const place = { configDir, cwd: `/${"long/".repeat(60)}` };
  const older = join(configDir, "projects", `${projectKey(place.cwd).slice(0, 200)}-oldhash`);
  const path = session(older, id(1), 1, prompt("u", null));
  expect(findSession(place, id(1))).toEqual({ kind: "found", id: id(1), path });
  expect(newestSession(place)?.id).toBe(id(1));
});

test("firstPromptIn() skips entries that are not prompts", () => {
  const lines = (...texts: string[]) => texts.map((text) => lineOf(prompt("u", null, text)));
  const noise = ["<local-command-stdout>x</local-command-stdout>", "[Request interrupted by user]"];
  const command = "<command-name>/init</command-name><command-message>init</command-message>";
  expect(firstPromptIn(lines(...noise, command, "do it\nnow"))).toBe("do it now");
  expect(firstPromptIn(lines(...noise, command))).toBe("/init");
  expect(firstPromptIn([lineOf({ ...prompt("u", null, "meta"), isMeta: true } as Entry), "{torn"])).toBeUndefined();
  expect(firstPromptIn(lines("x".repeat(300)))).toBe(`${"x".repeat(200)}…`);
});
