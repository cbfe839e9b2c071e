// Workers are killed and stopped past their leases, the database is killed, every cause arrives twice: each run still ends once,
// with one result and one set of effects. KEELSON_FAULT_RUNS asks for more than the share that runs with all tests.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded, testUnless } from "@keelson/testkit";
import { openPostgresStore, openSqliteStore, type RunStore } from "@keelson/routines";
import { startCluster, type Cluster } from "./cluster.ts";
import { GAP_MS } from "./fault-scheduler-main.ts";
import { LEASE_MS, LINES, type StoreAddress } from "./fault-worker-main.ts";
import { newRoutine, newRun, newTrigger } from "./rows.ts";
import { serveWorkers, WORKER_TOKEN } from "./worker-server.ts";

const RUNS = Number(process.env["KEELSON_FAULT_RUNS"] ?? 60);
const WORKERS = 5;
/** One in so many runs. */
const KILLS = Math.round(RUNS / 5);
const STOPS = Math.round(RUNS / 20);

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "keelson-faults-"));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe("each of many runs ends exactly once", () => {
  const onPostgres = testUnless(cluster ? null : "PostgreSQL is not installed", test);

  test("on SQLite", async () => {
    const file = join(folder, "faults.db");
    await using store = disposable(await openSqliteStore({ file }));
    await underFaults(store.store, { kind: "sqlite", file });
  });

  onPostgres("on PostgreSQL, which is killed twice", async () => {
    const url = await cluster!.database();
    await using store = disposable(await openPostgresStore({ url }));
    await underFaults(store.store, { kind: "postgres", url }, cluster);
  });

  onPostgres("over HTTP, with workers that have no address of the database, which is killed twice", async () => {
    await using store = disposable(await openPostgresStore({ url: await cluster!.database() }));
    await using served = serveWorkers(store.store);
    await underFaults(store.store, { kind: "http", url: served.url, token: WORKER_TOKEN }, cluster);
  });
});

describe("each of many due times becomes exactly one row, whichever schedulers are killed", () => {
  test("on SQLite", async () => {
    const file = join(folder, "schedules.db");
    await using store = disposable(await openSqliteStore({ file }));
    await schedulersUnderFaults(store.store, file);
  });

  testUnless(cluster ? null : "PostgreSQL is not installed", test)("on PostgreSQL, which is killed once", async () => {
    const url = await cluster!.database();
    await using store = disposable(await openPostgresStore({ url }));
    await schedulersUnderFaults(store.store, url, cluster);
  });
});

async function schedulersUnderFaults(store: RunStore, address: string, killed?: Cluster): Promise<void> {
  const began = await store.now();
  const triggers = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const routine = await store.createRoutine(newRoutine());
      const trigger = newTrigger(routine.id, { nextSlot: began, nextAt: began });
      await store.triggers.insert(trigger);
      return trigger.id;
    }),
  );
  await using schedulers = new Processes("fault-scheduler-main.ts", [address], 3);
  await schedulers.ready();
  const total = async () =>
    (await Promise.all(triggers.map((triggerId) => store.countRuns({ triggerId, since: 0 })))).reduce(
      (sum, each) => sum + each,
      0,
    );
  let kills = 0;
  for (let done = 0; done < DUE_TIMES; done = await total()) {
    for (; kills < (done * SCHEDULER_KILLS) / DUE_TIMES; kills++) {
      schedulers.kill();
      if (killed && kills === Math.round(SCHEDULER_KILLS / 2)) {
        await killed.kill();
        await killed.start();
      }
    }
    await Bun.sleep(20);
  }
  await schedulers.end();
  for (const id of triggers) {
    const { nextSlot } = (await store.triggers.get(id))!;
    const slots = new Set<number>();
    for (let cursor: string | undefined; ;) {
      const page = await store.runs({}, { cursor, limit: 1_000 });
      for (const { triggerId, slotAt } of page.rows) if (triggerId === id) slots.add(slotAt!);
      if (page.next === null) break;
      cursor = page.next;
    }
    const due = Array.from({ length: (nextSlot! - began) / GAP_MS }, (_, n) => began + n * GAP_MS);
    expect(slots).toEqual(new Set(due));
  }
  expect(kills).toBeGreaterThanOrEqual(SCHEDULER_KILLS - 1);
}

const DUE_TIMES = 5 * RUNS;
const SCHEDULER_KILLS = 10;

const disposable = (store: RunStore) => ({ store, [Symbol.asyncDispose]: () => store.close() });

async function underFaults(store: RunStore, address: StoreAddress, killed?: Cluster): Promise<void> {
  const received = new Map<string, number>();
  await using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const key = request.headers.get("idempotency-key") ?? "";
      received.set(key, (received.get(key) ?? 0) + 1);
      return new Response(null, { status: 204 });
    },
  });
  await using workers = new Processes("fault-worker-main.ts", [JSON.stringify(address), receiver.url.href], WORKERS);
  await workers.ready();

  const { id } = await store.createRoutine(newRoutine({ overlap: "queue" }));
  const ids: string[] = [];
  const causes = Array.from({ length: RUNS }, (_, n) => n).flatMap((n) => [n, n]);
  const enqueueAll = async () => {
    for (let n = causes.shift(); n !== undefined; n = causes.shift()) {
      // Each run has a routine of its own, so that they may run at once.
      const routine = newRoutine({ id: `${id}-${n}` });
      if ((await store.routine(routine.id)) === undefined) await store.createRoutine(routine).catch(() => undefined);
      const { run } = await store.enqueue({ run: newRun(routine.id, "cause") });
      ids.push(run!.id);
    }
  };
  const enqueueing = Promise.all([enqueueAll(), enqueueAll(), enqueueAll()]);

  const faults = plan(workers, killed);
  const ended = async () => (await store.runs({ states: ["succeeded", "failed", "cancelled"] }, { limit: 1_000 })).rows;
  for (let done = 0; done < RUNS; done = (await ended()).length) {
    const due = faults.filter(({ after }) => after <= done);
    faults.splice(0, due.length);
    for (const { happen } of due) await happen();
    await Bun.sleep(20);
  }
  await enqueueing;
  expect(faults).toEqual([]);
  await workers.settle();

  const runs = new Set(ids);
  expect(ids).toHaveLength(2 * RUNS);
  expect(runs.size).toBe(RUNS);
  const rows = await ended();
  expect(new Set(rows.map((run) => run.id))).toEqual(runs);
  while (
    (await Promise.all([...runs].map((run) => store.effects(run)))).flat().some(({ state }) => state === "pending")
  )
    await Bun.sleep(50);

  const attempts = { lost: 0, succeeded: 0 };
  for (const run of rows) {
    expect(run).toMatchObject({ state: "succeeded", turns: LINES, failures: 0 });
    const of = await store.attempts(run.id);
    const last = of.at(-1)!;
    expect(run.result).toBe(`by ${last.worker.split("-")[1]} in attempt ${last.n}`);
    expect(of.map(({ why }) => why)).toEqual([...of.slice(1).map(() => "lease lost" as const), "succeeded"]);
    attempts.lost += of.length - 1;
    attempts.succeeded++;
    const lines = (await store.entries(run.id, 0, 100)).map(({ seq, line }) => [seq, line]);
    expect(lines).toEqual(Array.from({ length: LINES }, (_, at) => [at + 1, `{"line":"${at + 1}"}`]));
    expect((await store.effects(run.id)).map(({ key, state }) => [key, state])).toEqual([
      ["deliver", "done"],
      ["ended", "done"],
    ]);
  }
  expect(attempts.succeeded).toBe(RUNS);
  // Faults hit: otherwise the rest would say nothing.
  expect(attempts.lost).toBeGreaterThan(KILLS / 2);
  expect(workers.refused).toBeGreaterThan(0);
  const wanted = [...runs].flatMap((run) => [`${run}/deliver`, `${run}/ended`]);
  expect([...received.keys()].toSorted()).toEqual(wanted.toSorted());
  await workers.end();
}

interface Fault {
  /** So many runs have ended. */
  readonly after: number;
  happen(): Promise<void> | void;
}

function plan(workers: Processes, killed: Cluster | undefined): Fault[] {
  const spread = (count: number, happen: Fault["happen"]): Fault[] =>
    Array.from({ length: count }, (_, n) => ({ after: Math.floor((n * RUNS) / (count + 1)), happen }));
  const outage = async () => {
    await killed?.kill();
    await killed?.start();
  };
  return [
    ...spread(KILLS, () => workers.kill()),
    ...spread(STOPS, () => workers.stop()),
    ...(killed ? spread(2, outage) : []),
  ].toSorted((a, b) => a.after - b.after);
}

type Worker = Bun.Subprocess<"ignore", "pipe", "inherit">;

/** Programs that are killed and stopped, and started again. */
class Processes {
  refused = 0;
  readonly #main: string;
  readonly #args: readonly string[];
  readonly #random = seeded(7);
  readonly #alive = new Set<Worker>();
  readonly #stopped = new Set<Worker>();
  readonly #ready: Promise<void>[] = [];

  constructor(main: string, args: readonly string[], count: number) {
    this.#main = join(import.meta.dir, main);
    this.#args = args;
    for (let n = 0; n < count; n++) this.#start();
  }

  async ready(): Promise<void> {
    await Promise.all(this.#ready);
  }

  kill(): void {
    const worker = this.#any();
    this.#alive.delete(worker);
    worker.kill("SIGKILL");
    this.#start();
  }

  /** For longer than its lease, so that somebody else has its runs when it goes on. */
  stop(): void {
    const worker = this.#any();
    if (this.#stopped.size >= this.#alive.size - 2) return;
    this.#stopped.add(worker);
    worker.kill("SIGSTOP");
    setTimeout(() => this.#continue(worker), 2 * LEASE_MS);
  }

  /** Until those that were stopped have gone on, and one of them has found out. */
  async settle(): Promise<void> {
    while (this.#stopped.size > 0) await Bun.sleep(50);
    for (let waited = 0; this.refused === 0 && waited < 200; waited++) await Bun.sleep(50);
  }

  async end(): Promise<void> {
    for (const worker of this.#alive) worker.kill("SIGKILL");
    await Promise.all([...this.#alive].map((worker) => worker.exited));
    this.#alive.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  #any(): Worker {
    const running = [...this.#alive].filter((worker) => !this.#stopped.has(worker));
    return running[Math.floor(this.#random() * running.length)]!;
  }

  #continue(worker: Worker): void {
    this.#stopped.delete(worker);
    if (this.#alive.has(worker)) worker.kill("SIGCONT");
  }

  #start(): void {
    const worker = Bun.spawn([process.execPath, this.#main, ...this.#args], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    this.#alive.add(worker);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ready.push(promise);
    const read = async () => {
      for await (const chunk of worker.stdout) {
        resolve();
        this.refused += new TextDecoder().decode(chunk).split("refused").length - 1;
      }
      resolve();
    };
    void read();
  }
}
