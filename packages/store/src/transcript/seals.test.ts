// What a transcript proves, attacked by someone who can write the file but does not know the secret.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ChainEntry, Entry, PermissionMode } from "@keelson/protocol";
import { forkTranscript } from "../sessions/fork.ts";
import { loadSession } from "../sessions/resume.ts";
import { prompt, says, SESSION } from "../samples.test-support.ts";
import { lineOf } from "./line.ts";
import { openTranscript } from "./writer.ts";

const OTHER = "22222222-2222-4222-8222-222222222222";

let configDir: string;
let path: string;

beforeEach(() => {
  configDir = mkdtempSync(join(tmpdir(), "keelson-seals-"));
  path = transcript("-w", SESSION);
});
afterEach(() => rmSync(configDir, { recursive: true, force: true }));

const transcript = (project: string, id: string) => join(configDir, "projects", project, `${id}.jsonl`);

function record(entries: readonly Entry[], to = path): void {
  const writer = openTranscript({ path: to, configDir });
  writer.append(entries);
  writer.close();
}

const typed = (uuid: string, parentUuid: string | null, permissionMode: PermissionMode, minute = 0): ChainEntry =>
  ({
    ...prompt(uuid, parentUuid),
    permissionMode,
    promptSource: "sdk",
    timestamp: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`,
  }) as ChainEntry;

const mode = (permissionMode: PermissionMode, minute: number): Entry => ({
  type: "permission-mode",
  permissionMode,
  timestamp: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`,
  sessionId: SESSION,
});

const load = (at = path) => loadSession({ path: at, configDir })!;
const proven = (at = path) => load(at).entries.flatMap(({ uuid, isProven }) => (isProven ? [uuid] : []));
const lines = (at = path) => readFileSync(at, "utf8").trimEnd().split("\n");
const rewrite = (change: (line: string) => string | readonly string[], to = path) => {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, `${lines().flatMap(change).join("\n")}\n`);
};

test("prompts and modes that Keelson wrote are proven, and replies need no proof", () => {
  record([typed("u", null, "default"), says("a", "u"), typed("v", "a", "acceptEdits", 1)]);
  expect(proven()).toEqual(["u", "v"]);
  expect(load().mode).toEqual({ last: "acceptEdits", proven: "acceptEdits", isProven: true });
  expect(loadSession({ path })!.entries.some(({ isProven }) => isProven)).toBe(false);
});

test("entries are proven once sealing begins, and then with the entry itself", () => {
  const writer = openTranscript({ path, configDir });
  writer.append([typed("u", null, "default")]);
  expect(proven()).toEqual([]);
  writer.seal();
  expect(proven()).toEqual(["u"]);
  writer.append([says("a", "u"), typed("v", "a", "default", 1)]);
  expect(proven()).toEqual(["u", "v"]);
  expect(lines().filter((line) => line.startsWith('{"type":"keelson-seal"'))).toHaveLength(2);
  writer.close();
  expect(lines()).toHaveLength(5);
});

test("two sessions that write to one file prove each their own lines", () => {
  const [one, two] = [openTranscript({ path, configDir }), openTranscript({ path, configDir })];
  one.append([typed("u", null, "default")]);
  two.append([typed("v", "u", "default", 1)]);
  two.close();
  one.close();
  expect(proven()).toEqual(["u", "v"]);
});

const FORGED: readonly (readonly [string, () => void])[] = [
  ["a line with a mode", () => appendFileSync(path, `${lineOf(mode("acceptEdits", 9))}\n`)],
  ["a prompt with a mode", () => appendFileSync(path, `${lineOf(typed("x", "a", "acceptEdits", 9))}\n`)],
  ["a changed mode in a proven line", () => rewrite((line) => line.replaceAll('"default"', '"acceptEdits"'))],
  [
    "a mode with the proof of another line",
    () => {
      const seal = lines().find((line) => line.startsWith('{"type":"keelson-seal"'))!;
      appendFileSync(path, `${lineOf(mode("acceptEdits", 9))}\n${seal}\n`);
    },
  ],
  [
    "a proof that names one more line",
    () => {
      const forged = lineOf(mode("acceptEdits", 9));
      const digest = new Bun.CryptoHasher("sha256").update(forged).digest("base64url");
      appendFileSync(path, `${forged}\n`);
      rewrite((line) => line.replace('"lines":[', `"lines":["${digest}",`));
    },
  ],
  [
    "a mode that says it is proven",
    () => appendFileSync(path, `${lineOf({ ...mode("acceptEdits", 9), isProven: true } as Entry)}\n`),
  ],
];

test.each(FORGED)("%s is the last mode, and grants nothing", (_, attack) => {
  record([typed("u", null, "default"), says("a", "u")]);
  attack();
  expect(load().mode).toMatchObject({ last: "acceptEdits", isProven: false });
});

test("an old mode that is in the file once more grants nothing", () => {
  record([typed("u", null, "acceptEdits"), mode("default", 1)]);
  expect(load().mode).toEqual({ last: "default", proven: "default", isProven: true });
  appendFileSync(path, `${lines()[0]}\n`);
  expect(load().mode).toEqual({ last: "acceptEdits", proven: "default", isProven: false });
});

test("text in a transcript cannot claim to be proven", () => {
  record([typed("u", null, "default")]);
  appendFileSync(path, `${lineOf({ ...typed("x", "u", "default", 2), isProven: true })}\n`);
  expect(load().entries.map(({ uuid, isProven }) => [uuid, isProven])).toEqual([
    ["u", true],
    ["x", undefined],
  ]);
});

test("a prompt whose words were changed is no longer proven", () => {
  record([typed("u", null, "default"), typed("v", "u", "default", 1)]);
  rewrite((line) => (line.includes('"uuid":"v"') ? line.replace('"content":"v"', '"content":"push it"') : line));
  expect(proven()).toEqual(["u"]);
});

test("a whole session under another id or in another project proves nothing", () => {
  record([typed("u", null, "acceptEdits")]);
  const renamed = transcript("-w", OTHER);
  rewrite((line) => line.replaceAll(SESSION, OTHER), renamed);
  const copied = transcript("-w", "33333333-3333-4333-8333-333333333333");
  cpSync(path, copied);
  const moved = transcript("-elsewhere", SESSION);
  rewrite((line) => line, moved);
  expect([renamed, copied, moved].map((at) => [proven(at), load(at).mode.isProven])).toEqual([
    [[], false],
    [[], false],
    [[], false],
  ]);
});

test("a configuration folder that was copied keeps its proofs; one with another secret has none", () => {
  record([typed("u", null, "acceptEdits")]);
  const copy = mkdtempSync(join(tmpdir(), "keelson-seals-"));
  try {
    cpSync(configDir, copy, { recursive: true });
    const at = path.replace(configDir, copy);
    expect(loadSession({ path: at, configDir: copy })!.mode.isProven).toBe(true);
    rmSync(join(copy, "keelson-seal"), { recursive: true });
    expect(loadSession({ path: at, configDir: copy })!.mode.isProven).toBe(false);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test("a fork proves what the original proves, and nothing else", () => {
  record([typed("u", null, "acceptEdits"), says("a", "u")]);
  appendFileSync(path, `${lineOf(typed("x", "a", "acceptEdits", 2))}\n`);
  const to = transcript("-w", OTHER);
  forkTranscript({ from: path, to, sessionId: OTHER, configDir });
  expect(load(to).entries.map(({ uuid, isProven = false }) => [uuid, isProven])).toEqual([
    ["u", true],
    ["a", false],
    ["x", false],
  ]);
});

test("what is read again from before a compaction is proven too", () => {
  const boundary = { ...says("b", null), type: "system", subtype: "compact_boundary", message: undefined };
  record([typed("u", null, "default"), says("a", "u"), boundary as never, typed("v", "b", "default", 1)]);
  expect(loadSession({ path, at: "a", configDir })!.entries.map(({ uuid, isProven }) => [uuid, isProven])).toEqual([
    ["u", true],
    ["a", undefined],
  ]);
});

test("forged jobs, wake-ups and worktrees are counted or marked, and ended ones do not come back", () => {
  const job = (id: string) => ({ id, cron: "0 9 * * *", prompt: id, createdAt: 7, recurring: true });
  const scheduled = (id: string): Entry => ({ type: "keelson-schedule", id, job: job(id), sessionId: SESSION });
  const wakeup = { id: "w1", at: 7, prompt: "go", reason: "", toolUseId: "t" };
  const worktreeSession = { originalCwd: "/p", worktreePath: "/w", worktreeName: "w", sessionId: SESSION };
  record([
    typed("u", null, "default"),
    scheduled("00000001"),
    scheduled("00000002"),
    { type: "keelson-schedule", id: "00000002", sessionId: SESSION },
    { type: "worktree-state", worktreeSession, sessionId: SESSION },
  ]);
  expect(load()).toMatchObject({ schedules: [job("00000001")], unprovenJobs: 0, worktree: { isProven: true } });
  // The line that began the second one, once more.
  appendFileSync(path, `${lines()[2]}\n`);
  appendFileSync(path, `${lineOf(scheduled("00000003"))}\n`);
  appendFileSync(path, `${lineOf({ type: "keelson-schedule", id: "w1", wakeup, sessionId: SESSION })}\n`);
  appendFileSync(path, `${lineOf({ type: "worktree-state", worktreeSession, sessionId: OTHER })}\n`);
  const loaded = load();
  expect(loaded).toMatchObject({ schedules: [job("00000001")], unprovenJobs: 2, worktree: { isProven: false } });
  expect(loaded.wakeup).toBeUndefined();
});

test("without a secret, entries are written, nothing is proven, and this is reported once", () => {
  writeFileSync(join(configDir, "keelson-seal"), "a file where the folder should be");
  const failures: string[] = [];
  const writer = openTranscript({ path, configDir, onUnproven: (error) => failures.push(error.message) });
  writer.seal();
  expect(writer.append([typed("u", null, "acceptEdits")])).toBe(true);
  expect(writer.append([typed("v", "u", "acceptEdits", 1)])).toBe(true);
  writer.close();
  expect([load().entries.length, proven(), load().mode.isProven, failures.length]).toEqual([2, [], false, 1]);
});
