import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { InMemorySessionStore } from "./kinds/memory.ts";
import { openStoreMirror, type MirrorError, type StoreMirrorOptions } from "./mirror.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "./session-store.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-mirror-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SESSION = "11111111-1111-4111-8111-111111111111";
const key: SessionKey = { projectKey: "-p", sessionId: SESSION };
const numbered = (n: number, size = 0): SessionStoreEntry => ({ type: "x", uuid: `u${n}`, pad: "x".repeat(size) });
const numbersOf = (entries: readonly SessionStoreEntry[] | null) => (entries ?? []).map(({ uuid }) => uuid);

/** The relevant part of the program: it writes lines to a file, then reports them. */
function transcript(subpath?: string, { isHere = true } = {}) {
  const filePath = join(
    mkdtempSync(join(root, "c-")),
    "projects",
    "-p",
    `${SESSION}${subpath ? `/${subpath}` : ""}.jsonl`,
  );
  if (isHere) mkdirSync(dirname(filePath), { recursive: true });
  return {
    filePath,
    frame(...entries: SessionStoreEntry[]) {
      if (isHere) appendFileSync(filePath, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      return { type: "transcript_mirror" as const, filePath, entries };
    },
  };
}

type Mood = "well" | "failing" | "failing late" | "silent";

/** A store in memory whose behavior the test controls. */
function moody(mood: () => Mood) {
  const memory = new InMemorySessionStore();
  const appends: (readonly (string | undefined)[])[] = [];
  const store: SessionStore = {
    load: (each) => memory.load(each),
    async append(each, entries) {
      const now = mood();
      appends.push(numbersOf(entries));
      if (now === "failing") throw new Error("connection refused");
      if (now === "silent") return new Promise(() => {});
      await memory.append(each, entries);
      if (now === "failing late") throw new Error("connection lost");
    },
  };
  return { store, memory, appends };
}

function mirrorOf(store: SessionStore, options: Partial<StoreMirrorOptions> = {}) {
  const errors: MirrorError[] = [];
  const pauses: number[] = [];
  const wait = async (ms: number) => pauses.push(ms);
  const mirror = openStoreMirror({ store, onError: (error) => errors.push(error), wait, ...options });
  return { mirror, errors, pauses };
}

test("batched: entries go to the store at the end of a turn, in one append", async () => {
  const { store, appends } = moody(() => "well");
  const { mirror } = mirrorOf(store);
  const { frame } = transcript();
  await mirror.push(frame(numbered(1)));
  await mirror.push(frame(numbered(2), numbered(3)));
  expect(appends).toEqual([]);

  await mirror.flush();
  expect(appends).toEqual([["u1", "u2", "u3"]]);
  expect(await mirror.close()).toEqual([]);
});

test("batched: a long turn does not wait for its end", async () => {
  const { store, memory } = moody(() => "well");
  const arrived = Promise.withResolvers<void>();
  const watched = {
    ...store,
    append: async (...args: Parameters<SessionStore["append"]>) => (await store.append(...args), arrived.resolve()),
  };
  const { mirror } = mirrorOf(watched);
  const { frame } = transcript();
  for (let n = 0; n < 500; n++) await mirror.push(frame(numbered(n)));

  await arrived.promise;
  expect(memory.getEntries(key)).toHaveLength(500);
});

test("eager: entries go to the store at once, and those that arrive meanwhile are sent together", async () => {
  const { store, appends } = moody(() => "well");
  const { mirror } = mirrorOf(store, { flush: "eager" });
  const { frame } = transcript();
  for (let n = 1; n <= 3; n++) await mirror.push(frame(numbered(n)));

  await mirror.flush();
  expect(appends.flat()).toEqual(["u1", "u2", "u3"]);
  expect(appends.length).toBeGreaterThan(1);
});

test("a subagent's entries and metadata are stored under its own subpath", async () => {
  const { store, memory } = moody(() => "well");
  const { mirror } = mirrorOf(store);
  const { frame } = transcript("subagents/agent-a1");
  await mirror.push(frame(numbered(1), { type: "agent_metadata", agentType: "Explore" }));
  await mirror.close();

  expect(memory.getEntries({ ...key, subpath: "subagents/agent-a1" })).toEqual([
    numbered(1),
    { type: "agent_metadata", agentType: "Explore" },
  ]);
});

test("a failing store is tried three times, reported once, and gets everything when it works again", async () => {
  let mood: Mood = "failing";
  const { store, memory, appends } = moody(() => mood);
  const { mirror, errors, pauses } = mirrorOf(store);
  const { frame, filePath } = transcript();
  await mirror.push(frame(numbered(1)));
  await mirror.flush();
  expect([appends.length, pauses]).toEqual([3, [200, 800]]);

  await mirror.push(frame(numbered(2)));
  await mirror.flush();
  expect(appends.length).toBe(4);
  expect(errors).toEqual([{ key, filePath, error: "connection refused", isFinal: false }]);

  mood = "well";
  expect(await mirror.close()).toEqual([]);
  expect(numbersOf(memory.getEntries(key))).toEqual(["u1", "u2"]);
});

test("a store that does not answer is not tried again at once", async () => {
  let mood: Mood = "silent";
  const { store, memory, appends } = moody(() => mood);
  const { mirror, errors } = mirrorOf(store, { timeoutMs: 5 });
  const { frame } = transcript();
  await mirror.push(frame(numbered(1)));
  await mirror.flush();

  expect(appends.length).toBe(1);
  expect(errors[0]?.error).toBe("SessionStore.append() did not answer within 5 ms");
  mood = "well";
  await mirror.close();
  expect(numbersOf(memory.getEntries(key))).toEqual(["u1"]);
});

test("entries that wait for a failing store do not fill memory: they are read from the file again", async () => {
  let mood: Mood = "failing";
  const { store, memory } = moody(() => mood);
  const { mirror } = mirrorOf(store, { maxWaitingBytes: 10_000 });
  const { frame } = transcript();
  await mirror.push(frame({ type: "mode", mode: "normal" }, numbered(0)));
  await mirror.flush();
  for (let n = 1; n < 100; n++) await mirror.push(frame(numbered(n, 1_000)));

  mood = "well";
  expect(await mirror.close()).toEqual([]);
  expect(memory.getEntries(key)).toEqual([
    { type: "mode", mode: "normal" },
    numbered(0),
    ...Array.from({ length: 99 }, (_, n) => numbered(n + 1, 1_000)),
  ]);
});

test("a slow store gets nothing twice when memory was freed meanwhile", async () => {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { store, appends } = moody(() => "well");
  const slow: SessionStore = {
    load: store.load,
    async append(...args) {
      asked.resolve();
      await held.promise;
      await store.append(...args);
    },
  };
  const { mirror } = mirrorOf(slow, { maxWaitingBytes: 3_000 });
  const { frame } = transcript();
  await mirror.push(frame(...[1, 2].map((n) => numbered(n, 1_000))));
  const flushed = mirror.flush();
  await asked.promise;
  for (const n of [3, 4, 5, 6]) await mirror.push(frame(numbered(n, 1_000)));
  held.resolve();
  await flushed;

  expect(await mirror.close()).toEqual([]);
  expect(appends.flat()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `u${n}`));
});

test("if the file is on another machine, a slow store slows down the reader", async () => {
  const held = Promise.withResolvers<void>();
  const memory = new InMemorySessionStore();
  const asked = Promise.withResolvers<void>();
  const store: SessionStore = {
    load: (each) => memory.load(each),
    async append(...args) {
      asked.resolve();
      await held.promise;
      await memory.append(...args);
    },
  };
  const { mirror } = mirrorOf(store, { maxWaitingBytes: 1_000 });
  const { frame } = transcript(undefined, { isHere: false });
  let isTaken = false;
  const pushed = mirror.push(frame(numbered(1, 2_000))).then(() => (isTaken = true));

  await asked.promise;
  expect(isTaken).toBe(false);
  held.resolve();
  await pushed;
  expect(numbersOf(memory.getEntries(key))).toEqual(["u1"]);
});

test("if the file is on another machine and the store fails, the store keeps a prefix and the rest is reported", async () => {
  let mood: Mood = "well";
  const { store, memory } = moody(() => mood);
  const { mirror } = mirrorOf(store, { maxWaitingBytes: 1_000 });
  const { frame, filePath } = transcript(undefined, { isHere: false });
  await mirror.push(frame(numbered(1)));
  await mirror.flush();
  mood = "failing";
  await mirror.push(frame(numbered(2)));
  await mirror.flush();
  await mirror.push(frame(numbered(3, 2_000)));
  mood = "well";
  await mirror.push(frame(numbered(4)));

  expect(await mirror.close()).toEqual([{ key, filePath, error: "connection refused", isFinal: true }]);
  expect(numbersOf(memory.getEntries(key))).toEqual(["u1"]);
});

test("lines of a file that is not a transcript are reported at the end", async () => {
  const { mirror } = mirrorOf(moody(() => "well").store);
  await mirror.push({ type: "transcript_mirror", filePath: "/elsewhere/x.jsonl", entries: [numbered(1)] });

  expect((await mirror.close()).map(({ error }) => error)).toEqual([
    'Not the path of a transcript: "/elsewhere/x.jsonl"',
  ]);
});

test("whatever a store does, it always has a prefix of each transcript, and in the end all of it", async () => {
  const mood = fc.constantFrom<Mood>("well", "well", "failing", "failing late", "silent");
  const step = fc.record({
    file: fc.nat(2),
    entries: fc.integer({ min: 1, max: 4 }),
    size: fc.nat(400),
    flush: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(mood, { maxLength: 60 }),
      fc.constantFrom("batched" as const, "eager" as const),
      async (steps, moods, flush) => {
        const rest = moods.values();
        let isWell = false;
        const { store, memory } = moody(() => (isWell ? "well" : (rest.next().value ?? "well")));
        const { mirror } = mirrorOf(store, { flush, timeoutMs: 1, maxWaitingBytes: 1_500 });
        const files = [transcript(), transcript("subagents/agent-1"), transcript("subagents/agent-2")];
        const keys: SessionKey[] = [
          key,
          { ...key, subpath: "subagents/agent-1" },
          { ...key, subpath: "subagents/agent-2" },
        ];
        const written: SessionStoreEntry[][] = [[], [], []];
        let count = 0;
        for (const { file, entries, size, flush } of steps) {
          const fresh = Array.from({ length: entries }, () => numbered(count++, size));
          written[file]!.push(...fresh);
          await mirror.push(files[file]!.frame(...fresh));
          if (flush) await mirror.flush();
          for (const [at, each] of keys.entries()) {
            const there = memory.getEntries(each);
            expect(there).toEqual(written[at]!.slice(0, there.length));
          }
        }
        isWell = true;
        expect(await mirror.close()).toEqual([]);
        expect(keys.map((each) => memory.getEntries(each))).toEqual(written);
      },
    ),
    { numRuns: 60 },
  );
});
