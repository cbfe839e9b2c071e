import { expect, test } from "bun:test";
import { sessionStoreConformance } from "./conformance.ts";
import { InMemorySessionStore } from "./kinds/memory.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "./session-store.ts";

async function failuresOf(change: (store: InMemorySessionStore) => Partial<SessionStore>): Promise<string[]> {
  const failures: string[] = [];
  const checks = sessionStoreConformance(() => {
    const store = new InMemorySessionStore();
    const methods: SessionStore = {
      append: store.append.bind(store),
      load: store.load.bind(store),
      listSessions: store.listSessions.bind(store),
      listSessionSummaries: store.listSessionSummaries.bind(store),
      delete: store.delete.bind(store),
      listSubkeys: store.listSubkeys.bind(store),
    };
    return { ...methods, ...change(store) };
  });
  for (const check of checks) await check.run().catch(() => failures.push(check.name));
  return failures;
}

const withoutUuid = (entries: SessionStoreEntry[]) =>
  entries.map(({ uuid, ...entry }) => ({ ...entry, id: uuid }) as SessionStoreEntry);
const withUuid = (entries: SessionStoreEntry[] | null) =>
  entries?.map(({ id, ...entry }) => (id === undefined ? entry : { ...entry, uuid: id }) as SessionStoreEntry) ?? null;

const broken: [name: string, change: (store: InMemorySessionStore) => Partial<SessionStore>, caught: string][] = [
  [
    "stores an entry twice",
    (store) => ({
      append: (key: SessionKey, entries) => store.append(key, withoutUuid(entries)),
      load: async (key: SessionKey) => withUuid(await store.load(key)),
    }),
    "append() skips an entry whose uuid already exists",
  ],
  [
    "returns entries sorted by uuid",
    (store) => ({
      load: async (key) =>
        (await store.load(key))?.toSorted((a, b) => ((a.uuid ?? "") < (b.uuid ?? "") ? -1 : 1)) ?? null,
    }),
    "load() returns what append() was given, in order",
  ],
  [
    "confuses separators in keys",
    (store) => {
      const flat = ({ projectKey, sessionId, subpath }: SessionKey) => ({
        projectKey,
        sessionId: [sessionId, subpath].filter(Boolean).join("/"),
      });
      return { append: (key, entries) => store.append(flat(key), entries), load: (key) => store.load(flat(key)) };
    },
    "similar keys are kept apart",
  ],
  [
    "reports seconds",
    (store) => ({
      listSessions: async (project) =>
        (await store.listSessions(project)).map((each) => ({ ...each, mtime: Math.round(each.mtime / 1000) })),
    }),
    "listSessions() lists the sessions of one project, with the time in milliseconds",
  ],
  [
    "leaves subagents behind",
    (store) => ({ delete: async (key) => (key.subpath ? store.delete(key) : undefined) }),
    "delete() of a session also deletes its subpaths and nothing else",
  ],
  [
    "returns an empty list for a missing session",
    (store) => ({ load: async (key) => (await store.load(key)) ?? [] }),
    "load() is null for a session or subpath that was never written",
  ],
];

test.each(broken)("a store that %s is detected", async (_, change, caught) => {
  expect(await failuresOf(change)).toContain(caught);
});

test("a store without the optional methods passes the remaining checks", async () => {
  const outcomes = await Promise.all(
    sessionStoreConformance(() => {
      const store = new InMemorySessionStore();
      return { append: store.append.bind(store), load: store.load.bind(store) };
    }).map((check) => check.run()),
  );
  expect([...new Set(outcomes)].toSorted()).toEqual(["passed", "skipped"]);
});
