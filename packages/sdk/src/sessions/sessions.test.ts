import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadSession, readEntries } from "@keelson/store/past";
import { InMemorySessionStore, projectKeyOf, type SessionStore, type SessionStoreEntry } from "@keelson/store/remote";
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
} from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-sdk-sessions-"));
const before = process.env["CLAUDE_CONFIG_DIR"];
let config: string;
let dir: string;

beforeAll(() => {
  config = join(root, "config");
  process.env["CLAUDE_CONFIG_DIR"] = config;
});
afterAll(() => {
  if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"];
  else process.env["CLAUDE_CONFIG_DIR"] = before;
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(config, { recursive: true, force: true });
  dir = mkdtempSync(join(root, "project-"));
});

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const uuid = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;
const time = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
const SESSION = id(1);

/** Odd numbers are prompts, even ones are replies. */
function said(n: number, more: object = {}): SessionStoreEntry {
  const isPrompt = n % 2 === 1;
  const content = isPrompt ? `question ${n}` : [{ type: "text", text: `answer ${n}` }];
  return {
    parentUuid: n === 1 ? null : uuid(n - 1),
    isSidechain: false,
    type: isPrompt ? "user" : "assistant",
    message: { role: isPrompt ? "user" : "assistant", content },
    uuid: uuid(n),
    timestamp: time(n),
    userType: "external",
    entrypoint: "cli",
    cwd: "/home/u/p",
    sessionId: SESSION,
    version: "2.1.325",
    gitBranch: "main",
    ...more,
  };
}

const notice = (n: number) =>
  said(n, { type: "system", subtype: "informational", content: "noted", message: undefined });

function fileOf(sessionId: string, { of = dir, subpath = "" } = {}): string {
  return join(config, "projects", projectKeyOf(of), `${sessionId}${subpath && `/${subpath}`}.jsonl`);
}

function write(path: string, ...entries: (SessionStoreEntry | string)[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    entries.map((entry) => `${typeof entry === "string" ? entry : JSON.stringify(entry)}\n`).join(""),
  );
  return path;
}

const session = (sessionId: string, modified: number, ...entries: SessionStoreEntry[]) =>
  utimesSync(write(fileOf(sessionId), ...entries), modified, modified);

/** The same session in a file and in a store: every function that reads must return the same. */
async function inBoth(...entries: SessionStoreEntry[]): Promise<{ where: string; sessionStore?: SessionStore }[]> {
  write(fileOf(SESSION), ...entries);
  const sessionStore = new InMemorySessionStore();
  await sessionStore.append({ projectKey: projectKeyOf(dir), sessionId: SESSION }, entries);
  return [{ where: "file" }, { where: "store", sessionStore }];
}

test("listSessions() lists the sessions of a folder, newest first, page by page", async () => {
  session(id(1), 1_000, said(1), said(2), { type: "custom-title", customTitle: "Named", sessionId: id(1) });
  session(id(2), 3_000, said(1, { entrypoint: "sdk-ts" }), { type: "tag", tag: "t", sessionId: id(2) });
  session(id(3), 2_000, said(1), { type: "last-prompt", lastPrompt: "last asked", sessionId: id(3) });
  session(id(4), 4_000, { type: "mode", mode: "normal", sessionId: id(4) });
  write(fileOf(id(5), { of: root }), said(1));

  const common = { firstPrompt: "question 1", gitBranch: "main", cwd: "/home/u/p", createdAt: Date.parse(time(1)) };
  const sized = (n: number) => ({ fileSize: statSync(fileOf(id(n))).size });
  const [second, third, first] = [
    { sessionId: id(2), summary: "question 1", lastModified: 3_000_000, ...sized(2), tag: "t", ...common },
    { sessionId: id(3), summary: "last asked", lastModified: 2_000_000, ...sized(3), ...common },
    { sessionId: id(1), summary: "Named", customTitle: "Named", lastModified: 1_000_000, ...sized(1), ...common },
  ];
  expect(await listSessions({ dir })).toEqual([second, third, first]);
  expect(await listSessions({ dir, limit: 1, offset: 1 })).toEqual([third]);
  expect(await listSessions({ dir, includeProgrammatic: false, limit: 1 })).toEqual([third]);
  expect((await listSessions()).map(({ sessionId }) => sessionId).toSorted()).toEqual([id(1), id(2), id(3), id(5)]);
  expect(await getSessionInfo(id(3), { dir })).toEqual(third);
});

test("listSessions() finds the sessions of a repository's other worktrees", async () => {
  const tree = mkdtempSync(join(root, "tree-"));
  mkdirSync(join(dir, ".git", "worktrees", "t"), { recursive: true });
  writeFileSync(join(dir, ".git", "worktrees", "t", "gitdir"), `${join(tree, ".git")}\n`);
  writeFileSync(join(dir, ".git", "worktrees", "t", "commondir"), "../..\n");
  writeFileSync(join(tree, ".git"), `gitdir: ${join(dir, ".git", "worktrees", "t")}\n`);
  write(fileOf(id(1)), said(1));
  write(fileOf(id(2), { of: tree }), said(1));
  const ids = async (options: Parameters<typeof listSessions>[0]) =>
    (await listSessions(options)).map(({ sessionId }) => sessionId).toSorted();

  expect(await ids({ dir })).toEqual([id(1), id(2)]);
  expect(await ids({ dir: tree })).toEqual([id(1), id(2)]);
  expect(await ids({ dir, includeWorktrees: false })).toEqual([id(1)]);
  expect(await getSessionMessages(id(2), { dir })).toHaveLength(1);
});

test("listSessions() lists a store by its summaries, or by its entries if those are missing or old", async () => {
  const store = new InMemorySessionStore();
  const projectKey = projectKeyOf(dir);
  await store.append({ projectKey, sessionId: id(1) }, [said(1), said(2)]);
  await store.append({ projectKey, sessionId: id(2) }, [said(1, { entrypoint: "sdk-py" })]);
  await store.append({ projectKey, sessionId: id(3) }, [said(1, { isSidechain: true })]);
  await store.append({ projectKey, sessionId: id(1) }, [{ type: "custom-title", customTitle: "Named" }]);
  let loads = 0;
  const counted: SessionStore = {
    append: store.append.bind(store),
    load: (key) => (loads++, store.load(key)),
    listSessions: store.listSessions.bind(store),
    listSessionSummaries: store.listSessionSummaries.bind(store),
  };
  const titles = async (sessionStore: SessionStore, more = {}) =>
    (await listSessions({ dir, sessionStore, ...more })).map(({ sessionId, summary }) => [sessionId, summary]);

  const expected = [
    [id(1), "Named"],
    [id(2), "question 1"],
  ];
  expect([await titles(counted), loads]).toEqual([expected, 0]);
  expect(await titles(counted, { includeProgrammatic: false })).toEqual(expected.slice(0, 1));
  const { listSessionSummaries: _, ...without } = counted;
  expect([await titles(without), loads]).toEqual([expected, 3]);
  const old = {
    ...counted,
    listSessionSummaries: async () => [{ sessionId: id(1), mtime: 1, data: { customTitle: "Old" } }],
  };
  expect(await titles(old)).toEqual(expected);
  await expect(listSessions({ sessionStore: { append: store.append, load: store.load } })).rejects.toThrow(
    "must have listSessions()",
  );
});

test("getSessionInfo() returns the same from a file and from a store, and undefined for a missing session", async () => {
  for (const { where, ...options } of await inBoth(said(1), { type: "tag", tag: "t", sessionId: SESSION })) {
    const { lastModified, fileSize, ...info } = (await getSessionInfo(SESSION, { dir, ...options }))!;
    expect([where, info]).toEqual([
      where,
      {
        sessionId: SESSION,
        summary: "question 1",
        firstPrompt: "question 1",
        gitBranch: "main",
        cwd: "/home/u/p",
        tag: "t",
        createdAt: Date.parse(time(1)),
      },
    ]);
    expect(lastModified).toBeGreaterThan(1e12);
    expect([await getSessionInfo(id(9), { dir, ...options }), await getSessionInfo("../x", options)]).toEqual([
      undefined,
      undefined,
    ]);
  }
});

test("getSessionMessages() returns the active branch, without the program's own notes", async () => {
  const entries = [
    said(1),
    said(2, { parentUuid: uuid(1) }),
    said(3),
    notice(4),
    said(5, { isMeta: true }),
    said(7, { parentUuid: uuid(5) }),
    said(6, { isSidechain: true, parentUuid: null, timestamp: time(8) }),
    { type: "custom-title", customTitle: "x" },
  ];
  const message = (n: number) => {
    const { type, message, timestamp } = said(n);
    const nobody = { parent_tool_use_id: null, parent_agent_id: null };
    return { type, uuid: uuid(n), session_id: SESSION, message, ...nobody, timestamp };
  };
  for (const { where, ...options } of await inBoth(...entries)) {
    const read = (more = {}) => getSessionMessages(SESSION, { dir, ...options, ...more });
    expect([where, await read()]).toEqual([where, [1, 2, 3, 7].map(message) as never]);
    expect(await read({ offset: 1, limit: 2 })).toEqual([2, 3].map(message) as never);
    expect((await read({ includeSystemMessages: true }))[3]).toEqual({
      ...message(4),
      type: "system",
      message: { subtype: "informational", content: "noted" },
    } as never);
    expect([await getSessionMessages(id(9), options), await getSessionMessages("no id", options)]).toEqual([[], []]);
  }
});

test("subagents are listed with the call and the agent that started them", async () => {
  const inner = "subagents/workflows/run-1/agent-b2";
  const entries = [said(1, { isSidechain: true, agentId: "b2" }), said(2, { isSidechain: true, agentId: "b2" })];
  write(fileOf(SESSION), said(1));
  write(fileOf(SESSION, { subpath: "subagents/agent-a1" }), said(1, { isSidechain: true }));
  write(fileOf(SESSION, { subpath: inner }), ...entries);
  writeFileSync(
    fileOf(SESSION, { subpath: inner }).replace(/\.jsonl$/, ".meta.json"),
    JSON.stringify({ agentType: "Explore", toolUseId: "toolu_1", parentAgentId: "a1" }),
  );
  const sessionStore = new InMemorySessionStore();
  await importSessionToStore(SESSION, sessionStore, { dir });

  for (const options of [{ dir }, { dir, sessionStore }]) {
    expect(await listSubagents(SESSION, options)).toEqual(["a1", "b2"]);
    const messages = await getSubagentMessages(SESSION, "b2", options);
    expect(
      messages.map(({ uuid, parent_tool_use_id, parent_agent_id }) => [uuid, parent_tool_use_id, parent_agent_id]),
    ).toEqual([
      [uuid(1), "toolu_1", "a1"],
      [uuid(2), "toolu_1", "a1"],
    ]);
    expect(await getSubagentMessages(SESSION, "b2", { ...options, offset: 1 })).toEqual(messages.slice(1));
    expect(await getSubagentMessages(SESSION, "../../x", options)).toEqual([]);
  }
  const { append, load } = sessionStore;
  const plain = { append, load: load.bind(sessionStore) };
  await expect(listSubagents(SESSION, { dir, sessionStore: plain })).rejects.toThrow("must have listSubkeys()");
  expect(await getSubagentMessages(SESSION, "a1", { dir, sessionStore: plain })).toHaveLength(1);
});

test("renameSession() and tagSession() add a line, even after one that was cut off", async () => {
  const path = write(fileOf(SESSION), said(1));
  writeFileSync(path, '{"type":"custom-title","customTit', { flag: "a" });
  const sessionStore = new InMemorySessionStore();
  await sessionStore.append({ projectKey: projectKeyOf(dir), sessionId: SESSION }, [said(1)]);
  for (const options of [{ dir }, { dir, sessionStore }]) {
    await renameSession(SESSION, "  My work ", options);
    await tagSession(SESSION, "re\u200blease", options);
    expect(await getSessionInfo(SESSION, options)).toMatchObject({
      customTitle: "My work",
      summary: "My work",
      tag: "release",
    });
    await tagSession(SESSION, null, options);
    expect((await getSessionInfo(SESSION, options))?.tag).toBeUndefined();
    await expect(renameSession(SESSION, "  ", options)).rejects.toThrow("title must be non-empty");
    await expect(tagSession(SESSION, "\u200b", options)).rejects.toThrow("tag must be non-empty (use null to clear)");
    await expect(renameSession("x", "t", options)).rejects.toThrow("Invalid sessionId: x");
  }
  expect(readFileSync(path, "utf8").split("\n").slice(2, 4)).toEqual([
    `{"type":"custom-title","customTitle":"My work","sessionId":"${SESSION}"}`,
    `{"type":"tag","tag":"release","sessionId":"${SESSION}"}`,
  ]);
  await expect(renameSession(id(9), "t")).rejects.toThrow(`Session ${id(9)} not found`);
});

test("deleteSession() deletes the file, the folder next to it, and its copies of files", async () => {
  const history = join(config, "file-history");
  for (const owner of [SESSION, id(8)]) {
    mkdirSync(join(history, owner), { recursive: true });
    writeFileSync(join(history, owner, "0123456789abcdef@v1"), "x");
  }
  const path = write(fileOf(SESSION), said(1));
  const sub = write(fileOf(SESSION, { subpath: "subagents/agent-a1" }), said(1, { isSidechain: true }));
  const sessionStore = new InMemorySessionStore();
  await importSessionToStore(SESSION, sessionStore);

  await deleteSession(SESSION);
  expect([existsSync(path), existsSync(sub)]).toEqual([false, false]);
  expect(readdirSync(history)).toEqual([id(8)]);
  await expect(deleteSession(SESSION)).rejects.toThrow(`Session ${SESSION} not found`);
  await deleteSession(SESSION, { dir, sessionStore });
  expect(sessionStore.size).toBe(0);
});

test("an archived session is listed as archived until it is unarchived", async () => {
  write(fileOf(SESSION), said(1));
  await archiveSession(SESSION, { dir });
  expect((await listSessions({ dir }))[0]?.archived).toBe(true);
  await unarchiveSession(SESSION);
  expect((await listSessions({ dir }))[0]?.archived).toBeUndefined();
  await expect(archiveSession(SESSION, { sessionStore: new InMemorySessionStore() })).rejects.toThrow(
    "cannot be archived",
  );
});

test("forkSession() copies the conversation with new uuids and records where each entry came from", async () => {
  const entries = [
    said(1),
    said(2, { type: "progress" }),
    said(3, { slug: "plan", sourceToolAssistantUUID: uuid(1) }),
    said(4, {
      type: "system",
      subtype: "compact_boundary",
      parentUuid: null,
      logicalParentUuid: uuid(3),
      compactMetadata: { preservedMessages: { anchorUuid: uuid(5), uuids: [uuid(3)] } },
    }),
    said(5, { isCompactSummary: true, parentUuid: uuid(4) }),
    said(6, { isSidechain: true }),
    { type: "file-history-snapshot", messageId: uuid(1) },
    { type: "custom-title", customTitle: "Work", sessionId: SESSION },
  ];
  for (const { where, ...options } of await inBoth(...entries)) {
    const { sessionId } = await forkSession(SESSION, { dir, ...options });
    const copy = (
      options.sessionStore
        ? await options.sessionStore.load({ projectKey: projectKeyOf(dir), sessionId })
        : [...readEntries(fileOf(sessionId))]
    ) as SessionStoreEntry[];
    const names = new Map(
      copy.map((entry) => [(entry["forkedFrom"] as { messageUuid?: string })?.messageUuid, entry.uuid]),
    );
    const [first, third, boundary, summary, title] = copy;

    expect([where, copy.map(({ type }) => type)]).toEqual([where, ["user", "user", "system", "user", "custom-title"]]);
    expect(
      copy.slice(0, 4).every((entry) => entry["sessionId"] === sessionId && !JSON.stringify(entry).includes("slug")),
    ).toBe(true);
    expect([first!["parentUuid"], third!["parentUuid"], summary!["parentUuid"]]).toEqual([
      null,
      first!.uuid,
      boundary!.uuid,
    ]);
    expect(boundary).toMatchObject({
      logicalParentUuid: names.get(uuid(3)),
      compactMetadata: { preservedMessages: { anchorUuid: names.get(uuid(5)), uuids: [names.get(uuid(3))] } },
    });
    expect(first!["forkedFrom"]).toEqual({ sessionId: SESSION, messageUuid: uuid(1) });
    expect(title!["customTitle"]).toBe("Work (fork)");
    expect((await getSessionInfo(sessionId, { dir, ...options }))?.summary).toBe("Work (fork)");
  }
});

test("forkSession() stops at a message, takes a title, and rejects what it cannot do", async () => {
  for (const { where: _, ...options } of await inBoth(said(1), said(2), said(3))) {
    const { sessionId } = await forkSession(SESSION, { dir, ...options, upToMessageId: uuid(2), title: " Half " });
    const messages = await getSessionMessages(sessionId, { dir, ...options });
    expect(messages.map(({ message }) => message)).toEqual([said(1)["message"], said(2)["message"]]);
    expect((await getSessionInfo(sessionId, { dir, ...options }))?.customTitle).toBe("Half");
    const refused = (id: string, more = {}) => forkSession(id, { dir, ...options, ...more });
    await expect(refused(SESSION, { upToMessageId: uuid(9) })).rejects.toThrow(
      `Message ${uuid(9)} not found in session ${SESSION}`,
    );
    await expect(refused(SESSION, { upToMessageId: "x" })).rejects.toThrow("Invalid upToMessageId: x");
    await expect(refused(id(9))).rejects.toThrow(`Session ${id(9)} not found`);
  }
  const { sessionId } = await forkSession(SESSION, { dir });
  expect(statSync(fileOf(sessionId)).mode & 0o777).toBe(0o600);
  expect(loadSession({ path: fileOf(sessionId) })?.entries).toHaveLength(3);
});

test("importSessionToStore() sends a session in batches, and the second time only what is new", async () => {
  const lines = [{ type: "mode", mode: "normal" }, said(1), said(2), { type: "custom-title", customTitle: "A" }];
  write(fileOf(SESSION), ...lines, '{"broken', { type: "api-request-blob", data: "x" });
  const appended: number[] = [];
  const memory = new InMemorySessionStore();
  const store: SessionStore = {
    load: memory.load.bind(memory),
    append: (key, entries) => (appended.push(entries.length), memory.append(key, entries)),
  };
  const key = { projectKey: projectKeyOf(dir), sessionId: SESSION };

  await importSessionToStore(SESSION, store, { batchSize: 3 });
  expect([appended.splice(0), memory.getEntries(key)]).toEqual([[3, 1], lines]);
  await importSessionToStore(SESSION, store);
  expect(appended).toEqual([]);
  const more = [said(3), { type: "custom-title", customTitle: "B" }];
  write(fileOf(SESSION), ...lines, ...more);
  await importSessionToStore(SESSION, store);
  expect([appended, memory.getEntries(key)]).toEqual([[2], [...lines, ...more]]);
  await expect(importSessionToStore(id(9), store)).rejects.toThrow(`Session ${id(9)} not found`);
});

test("importSessionToStore() fills a gap in a store without restoring old titles", async () => {
  const title = (customTitle: string) => ({ type: "custom-title", customTitle });
  write(fileOf(SESSION), title("A"), said(1), title("B"), said(2), said(3), title("C"));
  const store = new InMemorySessionStore();
  const key = { projectKey: projectKeyOf(dir), sessionId: SESSION };
  await store.append(key, [title("A"), said(1), said(3), title("C")]);

  await importSessionToStore(SESSION, store);
  expect(store.getEntries(key)).toEqual([title("A"), said(1), said(3), title("C"), said(2)]);
  expect((await getSessionMessages(SESSION, { dir, sessionStore: store })).map(({ uuid }) => uuid)).toEqual(
    [1, 2, 3].map(uuid),
  );
});
