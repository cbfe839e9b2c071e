import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { catchUp, claimFolder, resumeRoot, RESUME_PREFIX } from "./catch-up.ts";
import { InMemorySessionStore } from "../kinds/memory.ts";
import type { SessionStoreEntry } from "../session-store.ts";

const key = { projectKey: "-w", sessionId: "11111111-2222-4333-8444-555555555555" };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const said = (n: number): SessionStoreEntry => ({
  parentUuid: n === 1 ? null : `u${n - 1}`,
  type: "user",
  uuid: `u${n}`,
  sessionId: key.sessionId,
  message: { role: "user", content: `said ${n}` },
});
const titled = (customTitle: string): SessionStoreEntry => ({
  type: "custom-title",
  customTitle,
  sessionId: key.sessionId,
});

const temporary = mkdtempSync(join(tmpdir(), "keelson-catch-up-"));
afterAll(() => rmSync(temporary, { recursive: true }));

test("resumeRoot() is where the program keeps its temporary files, whatever the application's folder is", () => {
  const other = realpathSync(mkdtempSync(join(tmpdir(), "keelson-other-")));
  expect(resumeRoot({ TMPDIR: other })).toStartWith(`${other}/`);
  expect(resumeRoot({ TMPDIR: other, CLAUDE_CODE_TMPDIR: temporary })).toStartWith(`${temporary}/`);
  rmSync(other, { recursive: true });
});

const ABANDONED = join(resumeRoot({ CLAUDE_CODE_TMPDIR: temporary })!, RESUME_PREFIX);

function folderWith(entries: readonly SessionStoreEntry[], prefix = join(temporary, "one-")): string {
  const folder = mkdtempSync(prefix);
  folders.push(folder);
  const path = join(folder, "projects", key.projectKey, `${key.sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  return folder;
}

/** What the store has afterwards, and what the session continues with: they are equal. */
async function caughtUp(there: readonly SessionStoreEntry[], local: readonly SessionStoreEntry[]) {
  const store = new InMemorySessionStore();
  if (there.length > 0) await store.append(key, [...there]);
  const env = { CLAUDE_CONFIG_DIR: folderWith(local), CLAUDE_CODE_TMPDIR: temporary };
  const entries = await catchUp({ store, key, entries: there, env, timeoutMs: 1_000 });
  expect((await store.load(key)) ?? []).toEqual([...entries]);
  return entries;
}

test("a store with a prefix gets the rest, and an empty one gets everything", async () => {
  const all = [said(1), said(2), said(3)];
  expect(await caughtUp([said(1)], all)).toEqual(all);
  expect(await caughtUp([], all)).toEqual(all);
  expect(await caughtUp(all, all)).toEqual(all);
});

test("a store that only has entries from before the conversation gets all of it", async () => {
  const mode = (name: string): SessionStoreEntry => ({ type: "mode", mode: name, sessionId: key.sessionId });
  const all = [mode("a"), titled("name"), said(1), mode("b"), said(2), mode("a")];
  expect(await caughtUp([mode("a")], all)).toEqual(all);
  expect(await caughtUp(all.slice(0, 3), all)).toEqual(all);
  expect(await caughtUp(all.slice(0, 4), all)).toEqual(all);
});

test("a session that continued elsewhere is left unchanged", async () => {
  const elsewhere = [said(1), { ...said(2), uuid: "other" }];
  expect(await caughtUp(elsewhere, [said(1), said(2)])).toEqual(elsewhere);
});

test("a name given in the store is not overridden by an old one that the program repeated", async () => {
  const there = [titled("old"), said(1), { ...titled("new"), uuid: "renamed" }];
  const local = [titled("old"), said(1), said(2), titled("old")];
  expect(await caughtUp(there, local)).toEqual([...there, said(2)]);
});

test("what a killed application left in its temporary folder is sent, and the folder is removed", async () => {
  const abandoned = folderWith([said(1), said(2)], ABANDONED);
  const { exitCode, pid } = Bun.spawnSync(["true"]);
  expect(exitCode).toBe(0);
  writeFileSync(join(abandoned, "owner"), String(pid));
  expect(await caughtUp([said(1)], [])).toEqual([said(1), said(2)]);
  expect(existsSync(abandoned)).toBe(false);
});

test("the folder of a running application is left alone", async () => {
  const busy = folderWith([said(1), said(2)], ABANDONED);
  claimFolder(busy);
  expect(await caughtUp([said(1)], [])).toEqual([said(1)]);
  expect(existsSync(busy)).toBe(true);
});

test("a folder outside our own temporary files, where a command may have made it, is not believed", async () => {
  const planted = folderWith([said(1), said(2)], join(temporary, RESUME_PREFIX));
  writeFileSync(join(planted, "owner"), String(Bun.spawnSync(["true"]).pid));
  expect(await caughtUp([said(1)], [])).toEqual([said(1)]);
});

test("a store that refuses the rest is an error, because continuing would leave a gap", async () => {
  const store = {
    load: async () => null,
    append: () => Promise.reject(new Error("the disk is full")),
  };
  const env = { CLAUDE_CONFIG_DIR: folderWith([said(1), said(2)]) };
  const failed = catchUp({ store, key, entries: [said(1)], env, timeoutMs: 1_000 }).catch(String);
  expect(await failed).toContain("the disk is full");
});
