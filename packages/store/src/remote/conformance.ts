// Checks that every session store must pass, which anyone can run on their own store. They need no test framework: a
// failed check throws. Each uses its own project key, so a store may keep entries from other checks. Long because it is
// one table.

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { SessionKey, SessionStore, SessionStoreEntry } from "./session-store.ts";
import { foldSessionSummary } from "./summary.ts";

export interface ConformanceCheck {
  readonly name: string;
  /** Skipped if the store does not have the optional method the check is about. */
  run(): Promise<"passed" | "skipped">;
}

type Check = (given: Given) => Promise<void>;
type Optional = "listSessions" | "listSessionSummaries" | "delete" | "listSubkeys";

interface Given {
  readonly store: SessionStore & Required<Pick<SessionStore, Optional>>;
  readonly has: (method: Optional) => boolean;
  readonly project: string;
  /** The key of a session in the project. */
  key(sessionId?: string, subpath?: string): SessionKey;
}

/**
 * @example
 * for (const check of sessionStoreConformance(() => new MyStore())) test(check.name, () => check.run());
 */
export function sessionStoreConformance(makeStore: () => SessionStore | Promise<SessionStore>): ConformanceCheck[] {
  return CHECKS.map(([name, needs, check]) => ({
    name,
    async run() {
      const store = (await makeStore()) as Given["store"];
      const has = (method: Optional) => typeof store[method] === "function";
      if (!needs.every(has)) return "skipped";
      const project = `conformance-${randomUUID()}`;
      const key: Given["key"] = (sessionId = "session", subpath) => ({
        projectKey: project,
        sessionId,
        ...(subpath === undefined ? {} : { subpath }),
      });
      await check({ store, has, project, key });
      return "passed";
    },
  }));
}

const entry = (n: number, more: object = {}): SessionStoreEntry => ({ type: "x", n, ...more });
const withUuid = (uuid: string, n = 0) => entry(n, { uuid });

const CHECKS: readonly (readonly [name: string, needs: readonly Optional[], check: Check])[] = [
  [
    "load() returns what append() was given, in order",
    [],
    async ({ store, key }) => {
      const entries = [withUuid("b", 1), withUuid("a", 2)];
      await store.append(key(), entries);
      same(await store.load(key()), entries);
    },
  ],
  [
    "load() is null for a session or subpath that was never written",
    [],
    async ({ store, key }) => {
      same(await store.load(key()), null);
      await store.append(key(), [withUuid("a")]);
      same(await store.load(key("session", "subagents/agent-1")), null);
      same(await store.load(key("other")), null);
    },
  ],
  [
    "append() keeps the order of calls",
    [],
    async ({ store, key }) => {
      await store.append(key(), [withUuid("z", 1)]);
      await store.append(key(), [withUuid("a", 2), withUuid("m", 3)]);
      await store.append(key(), [withUuid("b", 4)]);
      same(await numbersIn(store, key()), [1, 2, 3, 4]);
    },
  ],
  [
    "append() of nothing does nothing",
    [],
    async ({ store, has, key, project }) => {
      await store.append(key(), []);
      same(await store.load(key()), null);
      if (has("listSessions")) same(await store.listSessions(project), []);
      await store.append(key(), [entry(1)]);
      await store.append(key(), []);
      same(await numbersIn(store, key()), [1]);
    },
  ],
  [
    "append() skips an entry whose uuid already exists",
    [],
    async ({ store, key }) => {
      await store.append(key(), [withUuid("a", 1), withUuid("b", 2)]);
      await store.append(key(), [withUuid("a", 1), withUuid("b", 2)]);
      await store.append(key(), [withUuid("b", 2), withUuid("c", 3), withUuid("c", 3)]);
      same(await store.load(key()), [withUuid("a", 1), withUuid("b", 2), withUuid("c", 3)]);
    },
  ],
  [
    "append() keeps every entry without a uuid",
    [],
    async ({ store, key }) => {
      await store.append(key(), [entry(1), entry(1)]);
      await store.append(key(), [entry(1)]);
      same(await store.load(key()), [entry(1), entry(1), entry(1)]);
    },
  ],
  [
    "the same uuid in another session, subpath or project is a different entry",
    [],
    async ({ store, key, project }) => {
      const keys = [key(), key("other"), key("session", "subagents/agent-1"), { ...key(), projectKey: `${project}-2` }];
      for (const [n, each] of keys.entries()) await store.append(each, [withUuid("a", n)]);
      same(await Promise.all(keys.map((each) => numbersIn(store, each))), [[0], [1], [2], [3]]);
    },
  ],
  [
    "entries come back unchanged, whatever they contain",
    [],
    async ({ store, key }) => {
      const odd = [
        entry(0, { text: 'quotes " and \\ and \n newlines \r\n and \u2028 and \u0000 zero' }),
        entry(1, { text: "héllo 👋 \ud83d\udc4b", lonely: "\ud800" }),
        entry(2, { nothing: null, yes: true, no: false, many: [1, 1.5, -0.25, 1e21], empty: [{}, [], ""] }),
        entry(3, { nested: { "a.b": { $c: { "": "empty key" } } }, "': DROP": "it's; --" }),
        entry(4, { long: "x".repeat(300_000) }),
      ];
      await store.append(key(), odd);
      same(await store.load(key()), odd);
    },
  ],
  [
    "append() takes a thousand entries at once",
    [],
    async ({ store, key }) => {
      const numbers = Array.from({ length: 1_100 }, (_, n) => n);
      await store.append(
        key(),
        numbers.map((n) => withUuid(`uuid-${n}`, n)),
      );
      same(await numbersIn(store, key()), numbers);
    },
  ],
  [
    "append() stores a copy of what it was given",
    [],
    async ({ store, key }) => {
      const given = [entry(1, { deep: { value: "kept" } })];
      await store.append(key(), given);
      given[0]!["deep"] = "changed";
      const loaded = await store.load(key());
      (loaded![0]!["deep"] as Record<string, unknown>)["value"] = "changed";
      same(await store.load(key()), [entry(1, { deep: { value: "kept" } })]);
    },
  ],
  [
    "similar keys are kept apart",
    ["listSessions"],
    async ({ store, key, project }) => {
      const keys = ["s1", "s10", "s_", "s%", "S%", "a:b", "a/b", "..", "__proto__", "{x}", "sp ace", "ü"].map((id) =>
        key(id),
      );
      const subs = [key("a", "b"), key("a", "b:c"), key("a", "b/c"), key("a", "../a"), key("a", "__subkeys")];
      for (const [n, each] of [...keys, ...subs].entries()) await store.append(each, [withUuid("same", n)]);
      for (const [n, each] of [...keys, ...subs].entries()) same(await numbersIn(store, each), [n]);
      const listed = (await store.listSessions(project)).map(({ sessionId }) => sessionId);
      same(listed.toSorted(), keys.map(({ sessionId }) => sessionId).toSorted());
    },
  ],
  [
    "concurrent appends lose nothing and keep each writer's order",
    [],
    async ({ store, key }) => {
      const writers = Array.from({ length: 8 }, (_, writer) => writer);
      await Promise.all(
        writers.map(async (writer) => {
          for (let n = 0; n < 10; n++) await store.append(key(), [entry(n, { writer, uuid: `${writer}-${n}` })]);
        }),
      );
      const loaded = (await store.load(key())) ?? [];
      const byWriter = writers.map((writer) => loaded.filter((each) => each["writer"] === writer).map(({ n }) => n));
      same(
        byWriter,
        writers.map(() => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
      );
    },
  ],
  [
    "a batch keeps its order while others append",
    [],
    async ({ store, key }) => {
      const batches = Array.from({ length: 6 }, (_, batch) =>
        Array.from({ length: 20 }, (_, n) => entry(n, { batch, uuid: `${batch}-${n}` })),
      );
      await Promise.all(batches.map((batch) => store.append(key(), batch)));
      const loaded = (await store.load(key())) ?? [];
      for (const [index] of batches.entries()) {
        const numbers = loaded.filter((each) => each["batch"] === index).map(({ n }) => n);
        same(
          numbers,
          Array.from({ length: 20 }, (_, n) => n),
        );
      }
    },
  ],
  [
    "listSessions() lists the sessions of one project, with the time in milliseconds",
    ["listSessions"],
    async ({ store, key, project }) => {
      await store.append(key("a"), [entry(1)]);
      await store.append(key("b"), [entry(1)]);
      await store.append({ ...key("c"), projectKey: `${project}-2` }, [entry(1)]);
      const sessions = await store.listSessions(project);
      same(sessions.map(({ sessionId }) => sessionId).toSorted(), ["a", "b"]);
      for (const { mtime } of sessions)
        check(isMilliseconds(mtime), `mtime ${mtime} is not in milliseconds since 1970`);
      same(await store.listSessions(`${project}-unknown`), []);
    },
  ],
  [
    "listSessions() does not list subpaths",
    ["listSessions"],
    async ({ store, key, project }) => {
      await store.append(key("main"), [entry(1)]);
      await store.append(key("main", "subagents/agent-1"), [entry(1)]);
      same(
        (await store.listSessions(project)).map(({ sessionId }) => sessionId),
        ["main"],
      );
    },
  ],
  [
    "listSessions() shows a later time after a later append",
    ["listSessions"],
    async ({ store, key, project }) => {
      await store.append(key(), [entry(1)]);
      const [before] = await store.listSessions(project);
      await store.append(key(), [entry(2)]);
      const [after] = await store.listSessions(project);
      check(after!.mtime >= before!.mtime, `mtime went back from ${before!.mtime} to ${after!.mtime}`);
    },
  ],
  [
    "listSubkeys() lists the subpaths of one session, not the session itself",
    ["listSubkeys"],
    async ({ store, key }) => {
      same(await store.listSubkeys(key("nobody")), []);
      await store.append(key(), [entry(1)]);
      same(await store.listSubkeys(key()), []);
      await store.append(key("session", "subagents/agent-2"), [entry(1)]);
      await store.append(key("session", "subagents/agent-1"), [entry(1)]);
      await store.append(key("session", "subagents/agent-1"), [entry(2)]);
      await store.append(key("session-2", "subagents/agent-x"), [entry(1)]);
      same((await store.listSubkeys(key())).toSorted(), ["subagents/agent-1", "subagents/agent-2"]);
    },
  ],
  [
    "delete() of a missing session is not an error",
    ["delete"],
    async ({ store, key }) => {
      await store.delete(key("nobody"));
      await store.delete(key("nobody", "subagents/agent-1"));
    },
  ],
  [
    "delete() of a session also deletes its subpaths and nothing else",
    ["delete"],
    async ({ store, has, key, project }) => {
      const subs = [key("session", "subagents/agent-1"), key("session", "subagents/workflows/run 1/agent-2")];
      const others = [
        key("session-2"),
        key("session-2", "subagents/agent-1"),
        { ...key(), projectKey: `${project}-2` },
      ];
      for (const each of [key(), ...subs, ...others]) await store.append(each, [withUuid("a", 1)]);
      await store.delete(key());
      for (const each of [key(), ...subs]) same(await store.load(each), null);
      for (const each of others) same(await numbersIn(store, each), [1]);
      if (has("listSubkeys")) same(await store.listSubkeys(key()), []);
      if (has("listSessions")) {
        same(
          (await store.listSessions(project)).map(({ sessionId }) => sessionId),
          ["session-2"],
        );
      }
    },
  ],
  [
    "delete() of a subpath deletes only that subpath",
    ["delete"],
    async ({ store, has, key }) => {
      const [first, second] = [key("session", "subagents/agent-1"), key("session", "subagents/agent-2")];
      for (const each of [key(), first, second]) await store.append(each, [entry(1)]);
      await store.delete(first);
      same(await store.load(first), null);
      same([await numbersIn(store, second), await numbersIn(store, key())], [[1], [1]]);
      if (has("listSubkeys")) same(await store.listSubkeys(key()), ["subagents/agent-2"]);
    },
  ],
  [
    "a deleted session can be written again, with the same uuids",
    ["delete"],
    async ({ store, key }) => {
      for (const each of [key(), key("session", "subagents/agent-1")]) await store.append(each, [withUuid("a", 1)]);
      await store.delete(key());
      for (const each of [key(), key("session", "subagents/agent-1")]) {
        await store.append(each, [withUuid("a", 2)]);
        same(await numbersIn(store, each), [2]);
      }
    },
  ],
  [
    "listSessionSummaries() returns what foldSessionSummary() produced",
    ["listSessionSummaries"],
    async ({ store, has, key, project }) => {
      const first = [
        {
          type: "user",
          uuid: "u1",
          timestamp: "2026-01-01T00:00:00.000Z",
          message: { role: "user", content: "hello" },
        },
        { type: "custom-title", customTitle: "first title" },
      ];
      const second = [{ type: "custom-title", customTitle: "second title" }];
      await store.append(key(), first);
      await store.append(key(), second);
      await store.append(key("session", "subagents/agent-1"), [{ type: "custom-title", customTitle: "not this" }]);
      await store.append({ ...key(), projectKey: `${project}-2` }, [entry(1)]);
      const summaries = await store.listSessionSummaries(project);
      const expected = foldSessionSummary(undefined, key(), [...first, ...second]);
      same(
        summaries.map(({ sessionId, data }) => ({ sessionId, data })),
        [{ sessionId: "session", data: expected.data }],
      );
      check(isMilliseconds(summaries[0]!.mtime), `mtime ${summaries[0]!.mtime} is not in milliseconds since 1970`);
      if (has("listSessions"))
        same(await store.listSessions(project), [{ sessionId: "session", mtime: summaries[0]!.mtime }]);
      same(await store.listSessionSummaries(`${project}-unknown`), []);
    },
  ],
  [
    "listSessionSummaries() includes concurrent appends",
    ["listSessionSummaries"],
    async ({ store, key, project }) => {
      const entries = [
        { type: "custom-title", customTitle: "title" },
        { type: "tag", tag: "tag" },
        { type: "last-prompt", lastPrompt: "prompt" },
        { type: "ai-title", aiTitle: "generated" },
        { type: "summary", summary: "summary" },
        { type: "system", uuid: "s", cwd: "/home/u", gitBranch: "main" },
      ];
      await Promise.all(entries.map((each) => store.append(key(), [each])));
      const [summary] = await store.listSessionSummaries(project);
      const { isSidechain: _, ...data } = summary!.data;
      same(data, {
        customTitle: "title",
        tag: "tag",
        lastPrompt: "prompt",
        aiTitle: "generated",
        summaryHint: "summary",
        cwd: "/home/u",
        gitBranch: "main",
      });
    },
  ],
  [
    "listSessionSummaries() does not list a deleted session",
    ["listSessionSummaries", "delete"],
    async ({ store, key, project }) => {
      await store.append(key(), [{ type: "custom-title", customTitle: "old" }]);
      await store.delete(key());
      same(await store.listSessionSummaries(project), []);
      await store.append(key(), [{ type: "tag", tag: "new" }]);
      same(
        (await store.listSessionSummaries(project)).map(({ data }) => data["customTitle"]),
        [undefined],
      );
    },
  ],
];

async function numbersIn(store: SessionStore, key: SessionKey): Promise<unknown[] | null> {
  return (await store.load(key))?.map(({ n }) => n) ?? null;
}

// Seconds since 1970 would be a date in January 1970.
const isMilliseconds = (mtime: unknown) => typeof mtime === "number" && Number.isFinite(mtime) && mtime > 1e12;

function same(actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`Expected ${shown(expected)}\nbut got  ${shown(actual)}`);
}

function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 2_000) ?? String(value);
