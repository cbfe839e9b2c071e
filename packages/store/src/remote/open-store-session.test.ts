import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSession, readEntries, sessionAt } from "../past.ts";
import { projectKeyOf } from "./key.ts";
import { InMemorySessionStore } from "./kinds/memory.ts";
import { openStoreSession, type MirrorErrorMessage, type StoreSessionOptions } from "./open-store-session.ts";
import type { SessionStoreEntry } from "./session-store.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-store-session-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const [SESSION, OTHER] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const time = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();

function said(n: number, more: object = {}): SessionStoreEntry {
  const envelope = { parentUuid: n === 1 ? null : `u${n - 1}`, isSidechain: false, uuid: `u${n}`, timestamp: time(n) };
  const message = { role: n % 2 === 1 ? "user" : "assistant", content: [{ type: "text", text: `text ${n}` }] };
  return { type: message.role, message, sessionId: SESSION, cwd: "/home/u/p", ...envelope, ...more };
}

function world() {
  const home = mkdtempSync(join(root, "home-"));
  const cwd = join(home, "work");
  mkdirSync(cwd);
  const store = new InMemorySessionStore();
  const key = { projectKey: projectKeyOf(cwd), sessionId: SESSION };
  const errors: MirrorErrorMessage[] = [];
  const env = { HOME: home };
  const open = (more: Partial<StoreSessionOptions> = {}) =>
    openStoreSession({ store, cwd, env, onMirrorError: (error) => errors.push(error), wait: async () => {}, ...more });
  return { home, cwd, store, key, errors, open, claude: join(home, ".claude") };
}

const linesOf = (...entries: SessionStoreEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

test("a new session needs nothing special, and its lines go to the store", async () => {
  const { store, key, open, claude } = world();
  const joined = await open();
  const filePath = join(claude, "projects", key.projectKey, `${SESSION}.jsonl`);

  expect([joined.env, joined.resume]).toEqual([{}, undefined]);
  expect(await joined.take({ type: "assistant" })).toBe(false);
  expect(await joined.take({ type: "transcript_mirror", filePath, entries: [said(1)] })).toBe(true);
  expect(await joined.take({ type: "transcript_mirror", filePath: 7 })).toBe(true);
  await joined.close();
  expect(store.getEntries(key)).toEqual([said(1)]);
});

test("a session from the store can be resumed, including subagents, and its files are removed afterwards", async () => {
  const { store, key, open } = world();
  const title = { type: "custom-title", customTitle: "My work", sessionId: SESSION };
  const long = said(3, { toolUseResult: "x".repeat(200_000) });
  await store.append(key, [said(1), said(2), title, long]);
  const subpath = "subagents/agent-a1";
  await store.append({ ...key, subpath }, [
    said(1, { isSidechain: true, agentId: "a1" }),
    { type: "agent_metadata", agentType: "Explore", finished: false },
    { type: "agent_metadata", agentType: "Explore", finished: true },
  ]);
  await store.append({ ...key, subpath: "../../../../escaped" }, [said(1)]);

  const joined = await open({ resume: SESSION });
  const configDir = joined.env["CLAUDE_CONFIG_DIR"]!;
  const project = join(configDir, "projects", key.projectKey);
  const path = join(project, `${SESSION}.jsonl`);

  expect(joined.resume).toBe(SESSION);
  expect(loadSession({ path })?.entries.map(({ uuid }) => uuid)).toEqual(["u1", "u2", "u3"]);
  expect(sessionAt(path)?.customTitle).toBe("My work");
  expect(JSON.parse(readFileSync(join(project, SESSION, "subagents", "agent-a1.meta.json"), "utf8"))).toEqual({
    agentType: "Explore",
    finished: true,
  });
  expect([...readEntries(join(project, SESSION, "subagents", "agent-a1.jsonl"))]).toHaveLength(1);
  expect(readdirSync(project).toSorted()).toEqual([SESSION, `${SESSION}.jsonl`]);
  await joined.close();
  expect(existsSync(configDir)).toBe(false);
});

test("the user's settings are included, but the refresh token is not", async () => {
  const { home, store, key, open, claude } = world();
  mkdirSync(join(claude, "skills", "deploy"), { recursive: true });
  writeFileSync(join(claude, "skills", "deploy", "SKILL.md"), "deploy");
  writeFileSync(join(claude, "settings.json"), '{"permissions":{"deny":["Read(./.env)"]}}');
  writeFileSync(join(claude, ".credentials.json"), '{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"}}');
  writeFileSync(join(home, ".claude.json"), '{"projects":{}}');
  await store.append(key, [said(1)]);

  const joined = await open({ resume: SESSION });
  const read = (...path: string[]) => readFileSync(join(joined.env["CLAUDE_CONFIG_DIR"]!, ...path), "utf8");
  expect({
    settings: read("settings.json"),
    credentials: read(".credentials.json"),
    trust: read(".claude.json"),
    skill: read("skills", "deploy", "SKILL.md"),
  }).toEqual({
    settings: '{"permissions":{"deny":["Read(./.env)"]}}',
    credentials: '{"claudeAiOauth":{"accessToken":"a"}}',
    trust: '{"projects":{}}',
    skill: "deploy",
  });
  await joined.close();
  expect(readFileSync(join(claude, "skills", "deploy", "SKILL.md"), "utf8")).toBe("deploy");
});

test("continue uses the newest conversation of the folder, if there is one", async () => {
  const { store, key, open } = world();
  expect((await open({ continue: true })).resume).toBeUndefined();
  await store.append({ ...key, sessionId: OTHER }, [said(1)]);
  await store.append(key, [said(1)]);
  await store.append({ ...key, sessionId: "33333333-3333-4333-8333-333333333333" }, [said(1, { isSidechain: true })]);
  await store.append({ ...key, sessionId: "../../x" }, [said(1)]);

  const joined = await open({ continue: true });
  expect(joined.resume).toBe(SESSION);
  await joined.close();
});

test("a session the store does not have is left to the program", async () => {
  const { open } = world();
  const joined = await open({ resume: SESSION });
  expect([joined.env, joined.resume]).toEqual([{}, undefined]);
  expect((await open({ resume: "../../etc/passwd" })).resume).toBeUndefined();
});

test("a store that fails or does not answer when asked for a session is an error", async () => {
  const { open, store } = world();
  const failing = {
    ...store,
    append: async () => {},
    load: async () => Promise.reject(new Error("connection refused")),
  };
  const silent = { append: async () => {}, load: () => new Promise<null>(() => {}) };

  await expect(open({ store: failing, resume: SESSION })).rejects.toThrow("connection refused");
  await expect(open({ store: silent, resume: SESSION, loadTimeoutMs: 5 })).rejects.toThrow(
    `SessionStore.load() for session ${SESSION} did not answer within 5 ms`,
  );
});

test("entries of a resumed session that a store did not accept are saved among the user's own", async () => {
  const { store, key, open, errors, claude } = world();
  await store.append(key, [said(1), said(2)]);
  const down = { load: store.load.bind(store), append: async () => Promise.reject(new Error("connection refused")) };
  const saved = join(claude, "projects", key.projectKey, `${SESSION}.jsonl`);

  const joined = await open({ store: down, resume: SESSION });
  const filePath = join(joined.env["CLAUDE_CONFIG_DIR"]!, "projects", key.projectKey, `${SESSION}.jsonl`);
  appendFileSync(filePath, linesOf(said(3)));
  await joined.take({ type: "transcript_mirror", filePath, entries: [said(3)] });
  await joined.close();

  expect([...readEntries(saved)].map((entry) => "uuid" in entry && entry.uuid)).toEqual(["u1", "u2", "u3"]);
  expect(existsSync(filePath)).toBe(false);
  expect(errors.map(({ subtype, error, key }) => ({ subtype, error, key }))).toEqual([
    { subtype: "mirror_error", error: "connection refused; the entries are kept and will be retried", key },
    {
      subtype: "mirror_error",
      error: `connection refused; the entries are in "${saved}"; send them with importSessionToStore()`,
      key,
    },
  ]);
});

test("saved entries are added to a local copy of the same session, none twice", async () => {
  const { store, key, open, claude } = world();
  const project = join(claude, "projects", key.projectKey);
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${SESSION}.jsonl`), linesOf(said(1)));
  await store.append(key, [said(1), said(2)]);
  const down = { load: store.load.bind(store), append: async () => Promise.reject(new Error("down")) };

  const joined = await open({ store: down, resume: SESSION });
  const filePath = join(joined.env["CLAUDE_CONFIG_DIR"]!, "projects", key.projectKey, `${SESSION}.jsonl`);
  const title = { type: "custom-title", customTitle: "New", sessionId: SESSION };
  appendFileSync(filePath, linesOf(said(3), title));
  await joined.take({ type: "transcript_mirror", filePath, entries: [said(3), title] });
  await joined.close();

  const lines = [...readEntries(join(project, `${SESSION}.jsonl`))];
  expect(lines.map((entry) => ("uuid" in entry ? entry.uuid : entry.type))).toEqual(["u1", "u2", "u3", "custom-title"]);
});

test("entries that reached the store late do not make an old branch the newest", async () => {
  const { store, key, open } = world();
  const call = (n: number, parent: string) => said(n, { parentUuid: parent, type: "assistant" });
  // u3 came late: unsorted, it would look like the newest leaf.
  await store.append(key, [
    said(1),
    call(2, "u1"),
    said(4, { parentUuid: "u5" }),
    said(5, { parentUuid: "u2", timestamp: time(3) }),
  ]);

  const joined = await open({ resume: SESSION });
  const path = join(joined.env["CLAUDE_CONFIG_DIR"]!, "projects", key.projectKey, `${SESSION}.jsonl`);
  expect(loadSession({ path })?.entries.map(({ uuid }) => uuid)).toEqual(["u1", "u2", "u5", "u4"]);
  await joined.close();
});
