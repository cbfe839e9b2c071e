// What every store keeps to. `server` is what a server has, `worker` what a worker has: the same store, or one over HTTP.

import { expect } from "bun:test";
import { runIdOf, sessionIdOf, type ClaimedRun, type RunStore, type WorkerStore } from "@keelson/routines";
import { MOST_SHOWN, type NothingToClaim, type StoreChange } from "../../../packages/routines/src/store/run-store.ts";
import { newRoutine, newRun, newTrigger, slotRun } from "./rows.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly server: RunStore;
  readonly worker: WorkerStore;
}

export interface ConformanceCheck {
  readonly name: string;
  run(store: StoreUnderTest): Promise<void>;
}

const LEASE_MS = 60_000;
const signal = new AbortController().signal;
const never = { held: false, state: "succeeded", reason: null } as const;

/** Fails if there is nothing. */
export async function claimOne({ worker }: Pick<StoreUnderTest, "worker">, leaseMs = LEASE_MS): Promise<ClaimedRun> {
  const claimed = await worker.claim({ worker: "w", leaseMs });
  if (claimed.run === undefined) throw new Error("There is nothing to claim");
  return claimed;
}

/** Waits until the lease of the one run that has one has passed, or until the run is due. */
async function claimAfterLease(store: StoreUnderTest): Promise<ClaimedRun> {
  for (;;) {
    const claimed = await store.worker.claim({ worker: "w2", leaseMs: LEASE_MS });
    if (claimed.run !== undefined) return claimed;
    await Bun.sleep(1);
  }
}

/** By the clock of the store. */
async function leaseToPass({ server }: StoreUnderTest, { run }: ClaimedRun): Promise<void> {
  while ((await server.now()) <= (await server.run(run.id))!.leaseUntil!) await Bun.sleep(1);
}

const heldBy = ({ run, claim }: ClaimedRun) => ({ runId: run.id, claim });
const line = (seq: number) => ({ seq, kind: "transcript", line: `{"n":${seq}}` }) as const;

async function withRun(store: StoreUnderTest, change: Parameters<typeof newRoutine>[0] = {}) {
  const routine = await store.server.createRoutine(newRoutine(change));
  const { run } = await store.server.enqueue({ run: newRun(routine.id) });
  return { routine, run: run! };
}

const stateOf = async ({ server }: StoreUnderTest, id: string) => (await server.run(id))?.state;
const attemptsOf = async ({ server }: StoreUnderTest, id: string) =>
  (await server.attempts(id)).map(({ n, why }) => [n, why]);

export const CONFORMANCE: readonly ConformanceCheck[] = [
  {
    name: "what is going on is counted, and what is long over is not looked at",
    async run(store) {
      const { server, worker } = store;
      const none = { pending: 0, oldestMs: 0 };
      expect(await server.counts()).toEqual({
        active: [],
        due: { runs: 0, oldestMs: 0 },
        recent: [],
        startDelaysMs: [],
        workers: { alive: 0, slots: 0 },
        effects: none,
        openQuestions: 0,
        routines: { enabled: 0, paused: 0, disabled: 0 },
        deliveries: [],
      });
      await withRun(store);
      const ended = await claimOne(store);
      const effects = [{ key: "k", kind: "k", body: {} }];
      await worker.finish(heldBy(ended), { state: "failed", costUsd: 0.5, turns: 3, effects });
      await withRun(store);
      const asking = await claimOne(store);
      await worker.ask(heldBy(asking), [{ id: "q", request: {}, expiresInMs: 60_000 }]);
      await withRun(store);
      await claimOne(store);
      const { routine } = await withRun(store);
      await withRun(store);
      await server.updateRoutine(routine.id, { enabled: false, disabledReason: "Too many failures" });
      await worker.seen({ id: "w", version: "1", slots: 4, draining: false });
      const key = { triggerId: "t", source: "http", bodyHash: "", event: null, reason: null } as const;
      await server.enqueue({ delivery: { ...key, key: "1", verdict: "refused" } });
      const counts = await server.counts();
      expect(counts.active.toSorted((a, b) => a.state.localeCompare(b.state))).toEqual([
        { state: "queued", runs: 2 },
        { state: "running", runs: 1 },
        { state: "waiting", runs: 1 },
      ]);
      expect(counts).toMatchObject({
        due: { runs: 2 },
        recent: [{ state: "failed", cause: "manual", runs: 1, costUsd: 0.5, turns: 3 }],
        workers: { alive: 1, slots: 4 },
        effects: { pending: 2 },
        openQuestions: 1,
        routines: { enabled: 4, paused: 0, disabled: 1 },
        deliveries: [{ verdict: "refused", deliveries: 1 }],
      });
      expect(counts.startDelaysMs).toHaveLength(3);
      expect(counts.startDelaysMs.every((ms) => ms >= 0 && ms < 60_000)).toBe(true);
    },
  },
  {
    name: "a run goes from its cause to its end, and leaves its rows behind",
    async run(store) {
      const routine = await store.server.createRoutine(newRoutine({ name: "nightly", prompt: "Ünïcode \0 and zero" }));
      const wanted = newRun(routine.id, "k", { payload: "text\0", origin: { ref: "main" }, createdBy: "user_1" });
      const before = await store.server.now();
      const { run, isNew } = await store.server.enqueue({ run: wanted });

      expect(isNew).toBe(true);
      expect(run).toEqual({
        id: runIdOf({ kind: "manual", routineId: routine.id, key: "k" }),
        routineId: routine.id,
        routineVersion: 1,
        triggerId: null,
        cause: "manual",
        slotAt: null,
        dueAt: expect.any(Number),
        isHeldBack: false,
        state: "queued",
        reason: null,
        attempt: 0,
        failures: 0,
        lost: 0,
        fence: 0,
        leaseUntil: null,
        worker: null,
        sessionId: sessionIdOf(wanted.id),
        signAt: null,
        payload: "text\u{fffd}",
        origin: { ref: "main" },
        outcome: null,
        result: null,
        costUsd: 0,
        turns: 0,
        createdBy: "user_1",
        createdAt: expect.any(Number),
        startedAt: null,
        endedAt: null,
      });
      expect(run!.createdAt).toBeGreaterThanOrEqual(before);

      const claimed = await claimOne(store);
      expect(claimed.leaseMs).toBeWithin(1, LEASE_MS + 1);
      expect(claimed.routine).toMatchObject({ name: "nightly", prompt: "Ünïcode \0 and zero" });
      expect(claimed).toMatchObject({
        entries: 0,
        questions: [],
        run: { id: wanted.id, state: "running", attempt: 1 },
      });
      expect(JSON.stringify(claimed.run)).not.toContain(claimed.claim);
      const held = heldBy(claimed);
      expect(await store.worker.append(held, [line(1), line(2)])).toEqual({ held: true });
      expect(await store.worker.beat(held, { leaseMs: 5_000, entries: [line(3)], costUsd: 0.25, turns: 2 })).toEqual({
        held: true,
        leaseMs: 5_000,
      });
      const outcome = { done: true, summary: "well", links: ["https://host.local/1"] };
      const effects = [{ key: "comment", kind: "comment", body: { text: "done" } }];
      const end = { state: "succeeded", outcome, result: "the end", turns: 3, entries: [line(4)], effects } as const;
      expect(await store.worker.finish(held, end)).toEqual({ held: true });

      expect(await store.server.run(wanted.id)).toMatchObject({
        state: "succeeded",
        outcome,
        result: "the end",
        costUsd: 0.25,
        turns: 3,
        leaseUntil: null,
        endedAt: expect.any(Number),
      });
      const entries = await store.server.entries(wanted.id, 0, 100);
      expect(entries.map(({ at, ...rest }) => rest)).toEqual([1, 2, 3, 4].map((n) => ({ ...line(n), fence: 1 })));
      expect(await attemptsOf(store, wanted.id)).toEqual([[1, "succeeded"]]);
      expect((await store.server.effects(wanted.id)).map(({ key, state }) => [key, state])).toEqual([
        ["comment", "pending"],
        ["ended", "pending"],
      ]);
    },
  },
  {
    name: "a cause that arrives twice, or ten times at once, is one run",
    async run(store) {
      const { id } = await store.server.createRoutine(newRoutine({ overlap: "queue" }));
      const wanted = newRun(id, "same");
      const all = await Promise.all(Array.from({ length: 10 }, () => store.server.enqueue({ run: wanted })));
      expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect((await store.server.runs({ routineId: id }, {})).rows).toHaveLength(1);
      await store.worker.finish(heldBy(await claimOne(store)), { state: "succeeded" });
      const again = await store.server.enqueue({ run: wanted });
      expect(again).toMatchObject({ isNew: false, run: { state: "succeeded" } });
    },
  },
  {
    name: "every write with a claim that is over is refused, and changes nothing",
    async run(store) {
      const { run } = await withRun(store);
      const stale = await claimOne(store, 1);
      const held = heldBy(stale);
      await store.worker.append(held, [line(1)]);
      const taken = await claimAfterLease(store);
      expect(taken.run).toMatchObject({ id: run.id, attempt: 2, fence: 2, lost: 1, worker: "w2" });
      expect(taken.entries).toBe(1);
      const [before, entries] = [await store.server.run(run.id), await store.server.entries(run.id, 0, 10)];

      const refused = { held: false, state: "running", reason: null } as const;
      const writes = [
        () => store.worker.beat(held, { leaseMs: 1, costUsd: 9, turns: 9, sessionId: crypto.randomUUID() }),
        () => store.worker.beat(held, { leaseMs: 1, entries: [line(2)] }),
        () => store.worker.append(held, [line(2)]),
        () => store.worker.ask(held, [{ id: "q", request: {}, expiresInMs: 1_000 }]),
        () => store.worker.finish(held, { state: "failed", result: "stale", entries: [line(2)] }),
        () => store.worker.release(held, { why: "released" }),
        () => store.worker.release(held, { why: "crashed", reason: "stale" }),
        () => store.worker.holds(held),
        () => store.worker.secrets(held),
        () => store.worker.environment(held),
        () => store.worker.claimedEntries(held, 0),
        // The right run under a claim that nobody has.
        () => store.worker.finish({ ...held, claim: crypto.randomUUID() }, { state: "succeeded" }),
      ];
      for (const write of writes) expect(await write()).toEqual(refused);

      expect(await store.server.run(run.id)).toEqual(before);
      expect(await store.server.entries(run.id, 0, 10)).toEqual(entries);
      expect(await store.server.questions({ runId: run.id })).toEqual([]);
      expect(await attemptsOf(store, run.id)).toEqual([
        [1, "lease lost"],
        [2, null],
      ]);
      // After the end of the run too, and nothing of it changes.
      expect(await store.worker.finish(heldBy(taken), { state: "succeeded", result: "ours" })).toEqual({ held: true });
      for (const write of writes) expect(await write()).toEqual({ ...refused, state: "succeeded" });
      expect(await store.server.run(run.id)).toMatchObject({ state: "succeeded", result: "ours", turns: 0 });
      expect(await store.server.effects(run.id)).toHaveLength(1);
      const nobody = { runId: "run_none", claim: crypto.randomUUID() };
      expect(await store.worker.holds(nobody)).toEqual({ held: false, state: "gone", reason: null });
    },
  },
  {
    name: "a write that is repeated because its answer was lost changes nothing twice",
    async run(store) {
      // Both are due. Requests that come at the same moment may find either, as long as all of them find the same one.
      const due = [(await withRun(store)).run.id, (await withRun(store)).run.id];
      const token = crypto.randomUUID();
      const claim = () => store.worker.claim({ worker: "w", leaseMs: LEASE_MS, token });
      const claims = await Promise.all([claim(), claim(), claim()]);
      const { run } = await claim();
      if (run === undefined) throw new Error("The claim of this token is lost");
      expect(run).toMatchObject({ state: "running", attempt: 1 });
      // One that comes while another is under way may find nothing, but never another run.
      for (const each of claims) expect([undefined, run.id]).toContain(each.run?.id);
      const [other] = due.filter((id) => id !== run.id);
      expect([due.includes(run.id), await stateOf(store, other!)]).toEqual([true, "queued"]);
      const held = { runId: run.id, claim: token };
      const again = async () => {
        const claimed = await store.worker.claim({ worker: "w", leaseMs: LEASE_MS, only: run.id });
        if (claimed.run === undefined) throw new Error("It is not queued");
        return heldBy(claimed);
      };
      const twice = async (write: () => Promise<object>) => {
        expect(await write()).toMatchObject({ held: true });
        expect(await write()).toMatchObject({ held: true });
      };
      await twice(() => store.worker.append(held, [line(1), line(2)]));
      await twice(() => store.worker.ask(held, [{ id: "q", request: { a: 1 }, expiresInMs: LEASE_MS }]));
      expect(await store.server.answer({ runId: run.id, id: "q" }, { yes: true }, "user")).toBe(true);
      const second = await again();
      await twice(() => store.worker.release(second, { why: "released" }));
      const third = await again();
      await twice(() => store.worker.release(third, { why: "crashed", reason: "it died" }));
      const last = await again();
      await twice(() => store.worker.finish(last, { state: "failed", reason: "why", entries: [line(3)] }));
      expect(await store.worker.finish(last, { state: "succeeded" })).toMatchObject({ held: false, state: "failed" });
      // A request that arrives when its claim is over gets nothing, although another run is due.
      const late = await store.worker.claim({ worker: "w", leaseMs: LEASE_MS, token: last.claim });
      expect(late.run).toBeUndefined();

      expect(await store.server.entries(run.id, 0, 10)).toHaveLength(3);
      expect(await store.server.run(run.id)).toMatchObject({ failures: 1, lost: 0, attempt: 4, reason: "why" });
      expect(await store.server.effects(run.id)).toHaveLength(1);
      expect(await attemptsOf(store, run.id)).toEqual([
        [1, "asked"],
        [2, "released"],
        [3, "crashed"],
        [4, "failed"],
      ]);
    },
  },
  {
    name: "entries come in batches of any size, once each, and never with a hole",
    async run(store) {
      const { run } = await withRun(store);
      const held = heldBy(await claimOne(store));
      const many = Array.from({ length: 1_500 }, (_, at) => line(at + 1));
      await store.worker.append(held, many.slice(0, 700));
      await store.worker.append(held, many.slice(600));
      await store.worker.append(held, []);
      await expect(store.worker.append(held, [line(1_502)])).rejects.toThrow("hole");
      const big = { seq: 1_501, kind: "message", line: JSON.stringify("x".repeat(3_000_000)) } as const;
      await store.worker.append(held, [big]);

      const pieces: number[] = [];
      for (let after = 0; ;) {
        const read = await store.worker.claimedEntries(held, after);
        if (!read.held) throw new Error("The claim was lost");
        if (read.entries.length === 0) break;
        for (const { seq } of read.entries) expect(seq).toBe(++after);
        pieces.push(read.entries.length);
      }
      expect(pieces).toEqual([1_000, 500, 1]);
      expect((await store.server.entries(run.id, 1_500, 1))[0]).toMatchObject(big);
    },
  },
  {
    name: "orphans come first, then what has been due the longest; what is not due yet waits",
    async run(store) {
      const now = await store.server.now();
      const routines = await Promise.all(
        Array.from({ length: 4 }, () => store.server.createRoutine(newRoutine({ overlap: "queue" }))),
      );
      const due = [now - 1_000, now - 3_000, now - 2_000, now + LEASE_MS];
      const runs: string[] = [];
      for (const [at, { id }] of routines.entries())
        runs.push((await store.server.enqueue({ run: newRun(id, "k", { dueAt: due[at]! }) })).run!.id);
      const first = await claimOne(store, 1);
      expect(first.run.id).toBe(runs[1]!);
      await leaseToPass(store, first);
      expect((await claimOne(store)).run.id).toBe(runs[1]!);
      expect((await claimOne(store)).run.id).toBe(runs[2]!);
      expect((await claimOne(store)).run.id).toBe(runs[0]!);
      const none = await store.worker.claim({ worker: "w", leaseMs: LEASE_MS });
      expect(none.run).toBeUndefined();
      if (none.run === undefined) expect(none.nextDueInMs).toBeWithin(1, LEASE_MS + 1);
      expect(await store.worker.claim({ worker: "w", leaseMs: LEASE_MS, only: runs[3]! })).toMatchObject({
        mark: expect.any(String),
      });
    },
  },
  {
    name: "a run that asks waits without a worker until every question is answered, by one person each",
    async run(store) {
      const { run } = await withRun(store);
      const held = heldBy(await claimOne(store));
      const questions = ["a", "b"].map((id) => ({ id, request: { tool: id }, expiresInMs: LEASE_MS }));
      expect(await store.worker.ask(held, questions)).toEqual({ held: true });
      expect(await stateOf(store, run.id)).toBe("waiting");
      expect(await store.worker.holds(held)).toMatchObject({ held: false, state: "waiting" });
      expect((await store.worker.claim({ worker: "w", leaseMs: 1 })).run).toBeUndefined();
      const open = (await store.server.questions("open")).filter(({ runId }) => runId === run.id);
      expect(open.map(({ id, request, answer }) => [id, request, answer])).toEqual([
        ["a", { tool: "a" }, null],
        ["b", { tool: "b" }, null],
      ]);

      const answer = (id: string, by: string) => store.server.answer({ runId: run.id, id }, { by }, by);
      const answered = await Promise.all([answer("a", "x"), answer("a", "y"), answer("a", "z")]);
      expect(answered.filter(Boolean)).toHaveLength(1);
      expect(await stateOf(store, run.id)).toBe("waiting");
      expect(await answer("none", "x")).toBe(false);
      expect(await answer("b", "x")).toBe(true);
      expect(await stateOf(store, run.id)).toBe("queued");
      expect(await answer("b", "y")).toBe(false);

      const claimed = await store.worker.claim({ worker: "same", leaseMs: LEASE_MS, only: run.id });
      expect(claimed.run).toMatchObject({ attempt: 2, failures: 0, lost: 0 });
      if (claimed.run === undefined) throw new Error("unreachable");
      expect(claimed.questions.map(({ id, answeredBy, attempt }) => [id, answeredBy, attempt])).toEqual([
        ["a", ["x", "y", "z"][answered.indexOf(true)]!, 1],
        ["b", "x", 1],
      ]);
      // The attempt after it asks the same: it has its answer.
      expect(await store.worker.ask(heldBy(claimed), [questions[0]!])).toEqual({ held: true });
      expect(await stateOf(store, run.id)).toBe("queued");
    },
  },
  {
    name: "answers to two questions at the same moment queue the run once",
    async run(store) {
      for (let round = 0; round < 5; round++) {
        const { run } = await withRun(store);
        const ids = ["a", "b", "c"];
        const held = heldBy(await claimOne(store));
        await store.worker.ask(
          held,
          ids.map((id) => ({ id, request: {}, expiresInMs: LEASE_MS })),
        );
        await Promise.all(ids.map((id) => store.server.answer({ runId: run.id, id }, {}, "x")));
        expect(await stateOf(store, run.id)).toBe("queued");
        await store.worker.finish(heldBy(await claimOne(store)), { state: "succeeded" });
      }
    },
  },
  {
    name: "a question that nobody answers expires, and the run goes on without an answer",
    async run(store) {
      const { run } = await withRun(store);
      await store.worker.ask(heldBy(await claimOne(store)), [{ id: "q", request: {}, expiresInMs: 1 }]);
      while ((await store.server.sweep(KEEP)).expired === 0) await Bun.sleep(1);
      expect(await store.server.answer({ runId: run.id, id: "q" }, {}, "late")).toBe(false);
      const claimed = await claimOne(store);
      expect(claimed.questions).toMatchObject([
        { id: "q", answer: null, answeredBy: null, answeredAt: expect.any(Number) },
      ]);
    },
  },
  {
    name: "a run that is cancelled ends in any state, once, and its worker learns why",
    async run(store) {
      const { run: queued } = await withRun(store);
      expect(await store.server.cancel(queued.id, { reason: "not now" })).toBe(true);
      expect(await store.server.cancel(queued.id, { reason: "again" })).toBe(false);

      const { run } = await withRun(store);
      const held = heldBy(await claimOne(store));
      expect(await store.server.cancel(run.id, { reason: "Cancelled by Ada" })).toBe(true);
      const lost = { held: false, state: "cancelled", reason: "Cancelled by Ada" } as const;
      expect(await store.worker.beat(held, { leaseMs: LEASE_MS })).toEqual(lost);
      expect(await store.worker.finish(held, { state: "succeeded" })).toEqual(lost);
      expect(await attemptsOf(store, run.id)).toEqual([[1, "cancelled"]]);
      expect(await store.server.effects(run.id)).toMatchObject([{ key: "ended" }]);

      const { run: waiting } = await withRun(store);
      await store.worker.ask(heldBy(await claimOne(store)), [{ id: "q", request: {}, expiresInMs: LEASE_MS }]);
      expect(await store.server.cancel(waiting.id, { reason: "x" })).toBe(true);
      expect(await store.server.answer({ runId: waiting.id, id: "q" }, {}, "x")).toBe(false);
      expect(await store.server.questions({ runId: waiting.id })).toMatchObject([
        { answeredAt: expect.any(Number), answeredBy: null, answer: null },
      ]);
      expect(await store.server.cancel("run_none", { reason: "x" })).toBe(false);
      expect((await store.worker.claim({ worker: "w", leaseMs: 1 })).run).toBeUndefined();
    },
  },
  {
    name: "cancel and finish at the same moment: one of them, with one set of effects",
    async run(store) {
      for (let round = 0; round < 10; round++) {
        const { run } = await withRun(store);
        const held = heldBy(await claimOne(store));
        const [finished, cancelled] = await Promise.all([
          store.worker.finish(held, { state: "succeeded", effects: [{ key: "e", kind: "e", body: {} }] }),
          store.server.cancel(run.id, { reason: "x" }),
        ]);
        expect(finished.held).toBe(!cancelled);
        expect(await stateOf(store, run.id)).toBe(cancelled ? "cancelled" : "succeeded");
        expect(await store.server.effects(run.id)).toHaveLength(cancelled ? 1 : 2);
      }
    },
  },
  {
    name: "attempts that crash count, lost workers and drained ones do not, and both have a limit",
    async run(store) {
      const { run } = await withRun(store, { maxAttempts: 2 });
      await store.worker.release(heldBy(await claimOne(store)), { why: "released" });
      await claimOne(store, 1);
      const third = await claimAfterLease(store);
      expect(third.run).toMatchObject({ attempt: 3, lost: 1, failures: 0 });
      await store.worker.release(heldBy(third), { why: "crashed", reason: "exit 1", afterMs: 5 });
      const fourth = await claimAfterLease(store);
      expect(await store.worker.release(heldBy(fourth), { why: "crashed", reason: "exit 2" })).toEqual({ held: true });
      expect(await store.server.run(run.id)).toMatchObject({ state: "failed", reason: "exit 2", failures: 2 });
      expect(await attemptsOf(store, run.id)).toEqual([
        [1, "released"],
        [2, "lease lost"],
        [3, "crashed"],
        [4, "crashed"],
      ]);

      const { run: unlucky } = await withRun(store);
      await claimOne(store, 1);
      for (let lost = 1; lost <= 20; lost++) {
        for (;;) {
          const { run } = await store.worker.claim({ worker: "w", leaseMs: 1 });
          if (run === undefined) continue;
          expect(run).toMatchObject({ id: unlucky.id, lost });
          break;
        }
      }
      while ((await stateOf(store, unlucky.id)) === "running") await store.worker.claim({ worker: "w", leaseMs: 1 });
      expect(await store.server.run(unlucky.id)).toMatchObject({
        state: "failed",
        reason: "21 workers were lost while they had this run",
      });
      expect(await store.server.effects(unlucky.id)).toHaveLength(1);
    },
  },
  {
    name: "a worker that beats but does nothing can be put out, once",
    async run(store) {
      const { run } = await withRun(store);
      const held = heldBy(await claimOne(store));
      while ((await store.server.silentRuns(0)).length === 0) await Bun.sleep(1);
      expect((await store.server.silentRuns(0)).map(({ id }) => id)).toEqual([run.id]);
      expect(await store.server.silentRuns(LEASE_MS)).toEqual([]);
      expect(await store.server.expel(run.id, 2, "x")).toBe(false);
      expect(await store.server.expel(run.id, 1, "No sign of life for 2 minutes")).toBe(true);
      expect(await store.server.expel(run.id, 1, "x")).toBe(false);
      expect(await store.worker.beat(held, { leaseMs: 1 })).toMatchObject({ held: false, state: "queued" });
      expect(await attemptsOf(store, run.id)).toEqual([[1, "silent"]]);
      expect((await claimOne(store)).run).toMatchObject({ attempt: 2, failures: 1 });
    },
  },
  {
    name: "overlap: skipped with a reason, held back in order, or in place of the others",
    async run(store) {
      const skip = await withRun(store, { overlap: "skip" });
      const skipped = await store.server.enqueue({ run: newRun(skip.routine.id) });
      expect(skipped.run).toMatchObject({
        state: "skipped",
        reason: `Another run of the routine, "${skip.run.id}", is queued`,
        endedAt: expect.any(Number),
      });
      await store.worker.finish(heldBy(await claimOne(store)), { state: "succeeded" });
      expect((await store.server.enqueue({ run: newRun(skip.routine.id) })).run!.state).toBe("queued");
      await store.worker.finish(heldBy(await claimOne(store)), { state: "succeeded" });

      const queue = await withRun(store, { overlap: "queue" });
      const behind: string[] = [];
      for (let n = 0; n < 3; n++) {
        const { run } = await store.server.enqueue({ run: newRun(queue.routine.id) });
        expect(run).toMatchObject({ state: "queued", isHeldBack: true });
        behind.push(run!.id);
        await Bun.sleep(2);
      }
      const first = await claimOne(store);
      expect((await store.worker.claim({ worker: "w", leaseMs: 1 })).run).toBeUndefined();
      await store.worker.finish(heldBy(first), { state: "failed", reason: "x" });
      const second = await claimOne(store);
      expect(second.run.id).toBe(behind[0]!);
      expect((await store.worker.claim({ worker: "w", leaseMs: 1 })).run).toBeUndefined();
      await store.server.cancel(second.run.id, { reason: "x" });
      expect((await claimOne(store)).run.id).toBe(behind[1]!);
      await store.server.cancel(behind[2]!, { reason: "x" });
      await store.server.cancel(behind[1]!, { reason: "x" });

      const cancel = await withRun(store, { overlap: "cancel" });
      const running = await claimOne(store);
      const { run: next } = await store.server.enqueue({ run: newRun(cancel.routine.id) });
      expect(await store.worker.beat(heldBy(running), { leaseMs: 1 })).toEqual({
        held: false,
        state: "cancelled",
        reason: `Replaced by "${next!.id}"`,
      });
      expect((await claimOne(store)).run.id).toBe(next!.id);
    },
  },
  {
    name: "runs of one routine that are caused at the same moment see one another",
    async run(store) {
      for (const overlap of ["skip", "queue", "cancel"] as const) {
        const { id } = await store.server.createRoutine(newRoutine({ overlap }));
        await Promise.all(Array.from({ length: 6 }, () => store.server.enqueue({ run: newRun(id) })));
        const { rows } = await store.server.runs({ routineId: id }, {});
        const count = (wanted: (run: (typeof rows)[number]) => boolean) => rows.filter(wanted).length;
        expect(count(({ state, isHeldBack }) => state === "queued" && !isHeldBack)).toBe(1);
        expect(count(({ isHeldBack }) => isHeldBack)).toBe(overlap === "queue" ? 5 : 0);
        expect(count(({ state }) => state === "skipped")).toBe(overlap === "skip" ? 5 : 0);
        expect(count(({ state }) => state === "cancelled")).toBe(overlap === "cancel" ? 5 : 0);
      }
    },
  },
  {
    name: "ten failures in a row disable the routine, and a success between them does not",
    async run(store) {
      const { id } = await store.server.createRoutine(newRoutine());
      const once = async (state: "failed" | "timed_out" | "succeeded") => {
        await store.server.enqueue({ run: newRun(id) });
        await store.worker.finish(heldBy(await claimOne(store)), { state });
      };
      for (let n = 0; n < 9; n++) await once("failed");
      await once("succeeded");
      expect(await store.server.routine(id)).toMatchObject({ enabled: true, failuresInRow: 0 });
      for (let n = 0; n < 10; n++) await once(n % 2 ? "failed" : "timed_out");
      expect(await store.server.routine(id)).toMatchObject({
        enabled: false,
        disabledReason: "10 runs in a row failed",
        failuresInRow: 10,
        version: 1,
      });
      expect(await store.server.updateRoutine(id, { enabled: true })).toMatchObject({
        enabled: true,
        disabledReason: null,
        failuresInRow: 0,
      });
    },
  },
  {
    name: "what arrives is a delivery with a verdict, once for each trigger and key",
    async run(store) {
      const { id } = await store.server.createRoutine(newRoutine({ overlap: "queue" }));
      const delivery = (key: string, verdict: "run" | "filtered" = "run") => ({
        triggerId: `hook_${id}`,
        source: "github",
        key,
        bodyHash: "h",
        event: "push",
        verdict,
        reason: null,
      });
      const run = (key: string) => newRun(id, key, { triggerId: `hook_${id}`, cause: "github" });
      const first = await store.server.enqueue({ run: run("1"), delivery: delivery("1") });
      expect(first).toMatchObject({ isNew: true, delivery: { verdict: "run", runId: first.run!.id } });
      const again = await store.server.enqueue({ run: run("1"), delivery: { ...delivery("1"), bodyHash: "other" } });
      expect(again).toEqual({ run: first.run, delivery: first.delivery, isNew: false });
      const filtered = await store.server.enqueue({ delivery: { ...delivery("2", "filtered"), reason: "no label" } });
      expect(filtered).toMatchObject({ run: undefined, isNew: true, delivery: { verdict: "filtered", runId: null } });

      const cap = { most: 2, withinMs: 3_600_000, reason: "2 an hour" };
      expect((await store.server.enqueue({ run: run("3"), delivery: delivery("3"), cap })).run!.state).toBe("queued");
      const capped = await store.server.enqueue({ run: run("4"), delivery: delivery("4"), cap });
      expect(capped).toMatchObject({
        run: { state: "capped", reason: "2 an hour" },
        delivery: { verdict: "capped", reason: "2 an hour" },
      });
      expect(await store.server.countRuns({ triggerId: `hook_${id}`, since: 0 })).toBe(2);
      const { rows } = await store.server.deliveries.list({ triggerId: `hook_${id}` });
      expect(rows.map(({ key, verdict }) => [key, verdict]).toSorted()).toEqual([
        ["1", "run"],
        ["2", "filtered"],
        ["3", "run"],
        ["4", "capped"],
      ]);
      expect(await store.server.enqueue({ run: newRun("trig_none") })).toMatchObject({ run: undefined, isNew: false });
      const removed = await store.server.enqueue({ run: newRun("trig_none"), delivery: delivery("5") });
      expect(removed).toMatchObject({
        run: undefined,
        delivery: { verdict: "refused", reason: "The routine was removed" },
      });
    },
  },
  {
    name: "a due time becomes its row and the next time in one deed, however many servers tick",
    async run(store) {
      const routine = await store.server.createRoutine(newRoutine({ overlap: "queue" }));
      const asleep = await store.server.createRoutine(newRoutine({ enabled: false }));
      const now = await store.server.now();
      const trigger = newTrigger(routine.id, { nextSlot: now - 500, nextAt: now - 400 });
      for (const each of [trigger, newTrigger(asleep.id), newTrigger(routine.id, { nextSlot: null, nextAt: null })])
        expect(await store.server.triggers.insert(each)).toBe(true);
      expect((await store.server.overdue(0)).map(({ id }) => id)).toEqual([trigger.id]);

      let asked = 0;
      const tick = () =>
        store.server.tick(({ trigger: due, routine: its, active, now: at }) => {
          asked++;
          expect(due.id).toBe(trigger.id);
          expect(its).toEqual(routine);
          expect(active).toEqual([]);
          expect(at).toBeGreaterThanOrEqual(now);
          const next = at + LEASE_MS;
          return { runs: [slotRun({ trigger: due, routine: its })], nextSlot: next, nextAt: next };
        });
      const ticks = await Promise.all(Array.from({ length: 5 }, tick));
      expect(ticks.reduce((sum, { moved }) => sum + moved, 0)).toBe(1);
      expect(asked).toBe(1);
      expect(ticks.flatMap(({ runs }) => runs)).toMatchObject([{ slotAt: trigger.nextSlot, cause: "schedule" }]);
      expect((await tick()).nextInMs).toBeWithin(1, LEASE_MS + 1);
      expect(await store.server.overdue(0)).toEqual([]);
      expect((await store.server.triggers.get(trigger.id))!.lastFiredAt).toBeGreaterThanOrEqual(now);

      const broken = newTrigger(routine.id);
      await store.server.triggers.insert(broken);
      await expect(
        store.server.tick(() => {
          throw new Error("no such zone");
        }),
      ).rejects.toThrow("no such zone");
      expect((await store.server.triggers.get(broken.id))!.nextAt).toBe(1);
      const last = await store.server.tick(() => ({
        runs: [],
        nextSlot: null,
        nextAt: null,
        ranAt: 7,
        disabledReason: "It ran",
      }));
      expect(last.moved).toBe(1);
      expect(await store.server.triggers.get(broken.id)).toMatchObject({ nextAt: null, ranAt: 7 });
      expect(await store.server.routine(routine.id)).toMatchObject({ enabled: false, disabledReason: "It ran" });
    },
  },
  {
    name: "whoever waits is woken by what comes, also between its claim and its wait",
    async run(store) {
      const { id } = await store.server.createRoutine(newRoutine({ overlap: "queue" }));
      const none = await store.worker.claim({ worker: "w", leaseMs: LEASE_MS });
      if (none.run !== undefined) throw new Error("There should be nothing");
      await store.server.enqueue({ run: newRun(id) });
      await store.worker.wake({ waitMs: 20_000, mark: none.mark }, signal);
      const held = heldBy(await claimOne(store));

      const ending = new AbortController();
      const waiting = store.worker.wake({ waitMs: 20_000 }, ending.signal);
      ending.abort();
      await waiting;
      await store.worker.wake({ waitMs: 1 }, signal);
      await store.worker.finish(held, { state: "succeeded" });
    },
  },
  {
    name: "effects are done by one at a time, tried again, and settled once",
    async run(store) {
      const { run } = await withRun(store);
      const effects = [{ key: "push", kind: "push", body: { branch: "b" } }];
      await store.worker.finish(heldBy(await claimOne(store)), { state: "succeeded", effects });
      const claim = (leaseMs = LEASE_MS) => store.worker.claimEffect({ kinds: ["push", "none"], leaseMs });
      expect(await store.worker.claimEffect({ kinds: [], leaseMs: 1 })).toBeUndefined();
      expect(await store.worker.claimEffect({ kinds: ["none"], leaseMs: 1 })).toBeUndefined();
      const frozen = await claim(1);
      let second = await claim();
      while (second === undefined) second = await claim();
      expect(second).toMatchObject({
        runId: run.id,
        key: "push",
        effect: { tries: 2, body: { branch: "b" } },
        run: { state: "succeeded" },
        routine: { name: "A routine" },
      });
      expect(await claim()).toBeUndefined();
      expect(await store.worker.settleEffect(frozen!, { state: "done" })).toBe(false);
      expect(await store.worker.settleEffect(second, { state: "pending", error: "busy", afterMs: 0 })).toBe(true);
      let third = await claim();
      while (third === undefined) third = await claim();
      expect(third.effect).toMatchObject({ tries: 3, error: "busy" });
      expect(await store.worker.settleEffect(third, { state: "done" })).toBe(true);
      expect(await store.worker.settleEffect(third, { state: "done" })).toBe(true);
      expect(await store.worker.settleEffect(second, { state: "failed", error: "late" })).toBe(false);
      const left = (await store.server.effects(run.id)).map(({ key, state, error }) => [key, state, error]);
      expect(left).toEqual([
        ["ended", "pending", null],
        ["push", "done", null],
      ]);
    },
  },
  {
    name: "a run keeps the version of its routine that caused it; two writers of one version are told apart",
    async run(store) {
      const { routine } = await withRun(store, { prompt: "first", overlap: "queue" });
      const changed = await store.server.updateRoutine(routine.id, { prompt: "second" }, 1);
      expect(changed).toMatchObject({ version: 2, prompt: "second", name: "A routine" });
      expect(await store.server.updateRoutine(routine.id, { prompt: "third" }, 1)).toBe("conflict");
      expect(await store.server.updateRoutine(routine.id, { prompt: "second" })).toMatchObject({ version: 2 });
      expect(await store.server.updateRoutine("trig_none", {})).toBeUndefined();
      expect((await claimOne(store)).routine.prompt).toBe("first");
      expect((await store.server.enqueue({ run: newRun(routine.id) })).run!.routineVersion).toBe(2);
      expect((await store.server.routineVersion(routine.id, 1))!.prompt).toBe("first");
      const writers = await Promise.all(
        ["a", "b", "c"].map((name) => store.server.updateRoutine(routine.id, { name }, 2)),
      );
      expect(writers.filter((each) => each === "conflict")).toHaveLength(2);
    },
  },
  {
    name: "a routine that is removed takes its triggers and what is queued along, and its runs stay",
    async run(store) {
      const { routine, run } = await withRun(store, { overlap: "queue" });
      await store.server.triggers.insert(newTrigger(routine.id));
      const running = await claimOne(store);
      const { run: queued } = await store.server.enqueue({ run: newRun(routine.id) });
      expect(await store.server.removeRoutine(routine.id)).toBe(true);
      expect(await store.server.removeRoutine(routine.id)).toBe(false);
      expect(await store.server.routine(routine.id)).toBeUndefined();
      expect((await store.server.triggers.list({ routineId: routine.id })).rows).toEqual([]);
      expect(await store.server.run(queued!.id)).toMatchObject({
        state: "cancelled",
        reason: "The routine was removed",
      });
      expect(await store.worker.finish(heldBy(running), { state: "succeeded" })).toEqual({ held: true });
      expect(await stateOf(store, run.id)).toBe("succeeded");
    },
  },
  {
    name: "secrets and the environment go to who holds the run, and to nobody else",
    async run(store) {
      const { server } = store;
      const at = { createdAt: 1, updatedAt: 1 };
      await server.sealedSecrets.insert({ id: "NPM", sealed: "sealed:npm", createdBy: null, ...at });
      await server.sealedSecrets.insert({ id: "OTHER", sealed: "sealed:other", createdBy: null, ...at });
      const environment = {
        id: "env_1",
        name: "node",
        setupScript: "npm ci",
        network: ["registry.npmjs.org"],
        variables: { CI: "1" },
        secrets: ["NPM", "MISSING"],
        extra: {},
        version: 1,
        ...at,
      };
      await server.environments.insert(environment);
      await withRun(store, { environmentId: "env_1" });
      const held = heldBy(await claimOne(store));
      expect(await store.worker.environment(held)).toEqual({ held: true, environment });
      expect(await store.worker.secrets(held)).toEqual({ held: true, secrets: { NPM: "npm" } });
      await store.worker.finish(held, { state: "succeeded" });
      expect(await store.worker.secrets(held)).toEqual(never);
      expect(await store.worker.environment(held)).toEqual(never);
      // A lease that has passed is enough: nobody needs to have taken the run.
      await withRun(store, { environmentId: "env_1" });
      const late = heldBy(await claimOne(store, 1));
      while ((await store.worker.holds(late)).held) await Bun.sleep(1);
      expect(await store.worker.secrets(late)).toMatchObject({ held: false });
    },
  },
  {
    name: "tables: unique values, writes that compare, rows that one of many removes, and pages",
    async run({ server, worker }) {
      const user = (n: number, subject: string | null = null) => ({
        id: `user_${n}`,
        name: "O'Neil \"; DROP TABLE users; --",
        email: null,
        role: "member" as const,
        subject,
        passwordHash: null,
        disabled: false,
        createdAt: 5,
        seenAt: null,
      });
      expect(await server.users.insert(user(1, "issuer 1"))).toBe(true);
      expect(await server.users.insert(user(1))).toBe(false);
      expect(await server.users.insert(user(2, "issuer 1"))).toBe(false);
      for (const n of [2, 3, 4, 5]) expect(await server.users.insert(user(n))).toBe(true);
      expect(await server.users.get("user_1")).toEqual(user(1, "issuer 1"));
      expect((await server.users.list({ subject: "issuer 1" })).rows).toHaveLength(1);
      expect((await server.users.list({ subject: null, disabled: false })).rows).toHaveLength(4);

      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await server.users.list({}, { limit: 2, cursor });
        seen.push(...page.rows.map(({ id }) => id));
        if (page.next === null) break;
        cursor = page.next;
      }
      expect(seen).toEqual([5, 4, 3, 2, 1].map((n) => `user_${n}`));
      await expect(server.users.list({}, { cursor: "nonsense" })).rejects.toThrow("is not a cursor");

      const raise = () => server.users.update("user_1", { seenAt: 1 }, { seenAt: null });
      expect((await Promise.all([raise(), raise(), raise()])).filter(Boolean)).toHaveLength(1);
      expect(await server.users.update("user_1", { disabled: true, role: "admin" })).toBe(true);
      expect(await server.users.get("user_1")).toMatchObject({ disabled: true, role: "admin", seenAt: 1 });
      expect(await server.users.update("user_9", { name: "x" })).toBe(false);
      expect(await server.users.update("user_2", { subject: "issuer 1" })).toBe(false);

      const far = (await server.now()) + LEASE_MS;
      await server.codes.insert({ id: "c", kind: "invite", body: { role: "viewer" }, expiresAt: far });
      const takers = await Promise.all(Array.from({ length: 5 }, () => server.codes.remove("c", { kind: "invite" })));
      expect(takers.filter((each) => each !== undefined)).toMatchObject([{ body: { role: "viewer" } }]);

      await worker.seen({ id: "w1", version: "1", slots: 4, draining: false });
      await worker.seen({ id: "w1", version: "1", slots: 4, draining: true });
      expect((await server.workers.list()).rows).toMatchObject([{ id: "w1", slots: 4, draining: true }]);
    },
  },
  {
    name: "what shows how a run goes on reaches who watches it, from who holds it, and is kept nowhere",
    async run(store) {
      const { server, worker } = store;
      const { run } = await withRun(store);
      const held = heldBy(await claimOne(store));
      const heard: StoreChange[] = [];
      const stop = server.onChange((change) => void (change.kind === "shown" && heard.push(change)));
      const shown = { key: "text", after: 0, line: JSON.stringify({ type: "stream", text: "Ünïcode, and spaces" }) };
      expect(await worker.show(held, [shown])).toEqual({ watched: false });
      server.watch(run.id);
      while (!(await worker.show(held, [shown])).watched) await Bun.sleep(1);
      while (heard.length === 0) await Bun.sleep(1);
      expect(heard[0]).toEqual({ kind: "shown", runId: run.id, shown });
      expect(await server.entries(run.id, 0, 10)).toEqual([]);
      const late = { ...held, claim: crypto.randomUUID() };
      expect(await worker.show(late, [{ ...shown, key: "forged" }])).toEqual({ watched: false });
      // The largest that there may be arrives, too.
      const line = JSON.stringify({ text: "x".repeat(MOST_SHOWN - 11) });
      expect(line.length).toBe(MOST_SHOWN);
      await worker.show(held, [{ key: "k".repeat(100), after: 123_456, line }]);
      while (heard.at(-1)?.kind !== "shown" || !JSON.stringify(heard.at(-1)).includes("123456")) await Bun.sleep(1);
      expect(JSON.stringify(heard)).not.toContain("forged");
      stop();
    },
  },
  {
    name: "a worker that is to drain claims nothing and keeps what it has, until it is told otherwise",
    async run(store) {
      const { server, worker } = store;
      await worker.seen({ id: "w1", version: "1", slots: 4, draining: false });
      await withRun(store);
      const token = crypto.randomUUID();
      const wanted = { worker: "w1", leaseMs: LEASE_MS };
      const first = await worker.claim({ ...wanted, token });
      expect(await server.drain("w1", "user_1")).toBe(true);
      expect(await server.drain("nobody", "user_1")).toBe(false);
      const { run } = await withRun(store);
      expect(await worker.claim(wanted)).toEqual({ mark: expect.any(String) } as unknown as NothingToClaim);
      expect((await worker.claim({ ...wanted, only: run.id })).run).toBeUndefined();
      // An answer that was lost is given again, and the run goes on to its end.
      expect((await worker.claim({ ...wanted, token })).run?.id).toBe(first.run!.id);
      const held = { runId: first.run!.id, claim: token };
      expect(await worker.beat(held, { leaseMs: LEASE_MS })).toMatchObject({ held: true });
      expect(await worker.finish(held, { state: "succeeded" })).toEqual({ held: true });
      await worker.seen({ id: "w1", version: "1", slots: 4, draining: false });
      expect(await server.workers.get("w1")).toMatchObject({ draining: false, drainBy: "user_1" });
      expect((await worker.claim(wanted)).run).toBeUndefined();
      const { mark } = (await worker.claim(wanted)) as NothingToClaim;
      await Promise.all([worker.wake({ waitMs: 60_000, mark }, signal), server.drain("w1", null)]);
      expect((await worker.claim(wanted)).run?.id).toBe(run.id);
    },
  },
  {
    name: "what is old is removed, and what is new stays",
    async run(store) {
      const { id } = await store.server.createRoutine(newRoutine());
      const run = (await store.server.enqueue({ run: newRun(id, "k", { payload: "of a caller" }) })).run!;
      const held = heldBy(await claimOne(store));
      await store.worker.append(held, [line(1), line(2)]);
      const none = { logMs: -1_000, deliveriesMs: -1_000, auditMs: -1_000 };
      const audit = { id: "a", at: 1, actor: "x", action: "y", target: null, detail: {}, address: null };
      await store.server.audit.insert(audit);
      expect((await store.server.sweep(KEEP)).removed).toBe(1);
      expect((await store.server.sweep(none)).removed).toBe(0);
      await store.worker.finish(held, { state: "succeeded" });
      expect((await store.server.sweep(KEEP)).removed).toBe(0);
      expect((await store.server.sweep(none)).removed).toBe(2);
      expect(await store.server.entries(run.id, 0, 10)).toEqual([]);
      expect(await store.server.run(run.id)).toMatchObject({ state: "succeeded", payload: null });
    },
  },
  {
    name: "listeners hear of runs that change",
    async run(store) {
      const heard = new Set<string>();
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = store.server.onChange((change) => {
        heard.add(change.kind === "run" ? change.runId : change.kind);
        if (heard.size === 2) resolve();
      });
      const { run } = await withRun(store);
      await promise;
      stop();
      expect([...heard].toSorted()).toEqual([run.id, "work"]);
    },
  },
];

const DAY_MS = 24 * 60 * 60 * 1_000;
const KEEP = { logMs: 30 * DAY_MS, deliveriesMs: 30 * DAY_MS, auditMs: 365 * DAY_MS };
