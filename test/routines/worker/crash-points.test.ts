// A worker that is killed at one of fifty points of a run, from before its claim to after its effects are settled: another one brings the
// run to its one end, and no call that has a result is made again. KEELSON_RUNS=1000 tries them all, on each kind of store.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openHttpStore, openPostgresStore, type WorkerStore } from "@keelson/routines";
import { testUnless } from "@keelson/testkit";
import { startCluster } from "../store/cluster.ts";
import { serveWorkers, WORKER_TOKEN } from "../store/worker-server.ts";
import { bash, ENDED, madeAgain, noWorker, outcome, resultsIn, routineWorld, type World } from "./world.ts";
import type { WorkerMainOptions } from "./worker-main.ts";

const POINTS = Array.from({ length: 50 }, (_, at) => ({
  call: Math.floor(at / 2) + 1,
  when: at % 2 === 0 ? ("before" as const) : ("after" as const),
}));
const HOUR_MS = 60 * 60_000;
const isWhole = Number(process.env["KEELSON_RUNS"] ?? 0) >= 1_000;

const cluster = await startCluster();
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** What workers are given, beside the store of the world. */
interface Place extends AsyncDisposable {
  readonly where: WorkerMainOptions["store"];
  readonly worker: WorkerStore;
}

interface Kind {
  readonly name: string;
  readonly needsPostgres: boolean;
  /** One point in so many is part of every run of the tests. */
  readonly oneIn: number;
  world(): Promise<World>;
  place(world: World): Promise<Place>;
}

const onSqlite = () => routineWorld(script as any);
async function onPostgres() {
  const url = await cluster!.database();
  const world = await routineWorld(script as any, (unseal) => openPostgresStore({ url, unseal }));
  return Object.assign(world, { url });
}
const overHttp = async ({ store }: World): Promise<Place> => {
  const served = serveWorkers(store);
  const worker = openHttpStore({ url: served.url, token: WORKER_TOKEN });
  return {
    where: { http: served.url, token: WORKER_TOKEN },
    worker,
    async [Symbol.asyncDispose]() {
      await worker.close();
      await served[Symbol.asyncDispose]();
    },
  };
};

const KINDS: readonly Kind[] = [
  {
    name: "SQLite",
    needsPostgres: false,
    oneIn: 8,
    world: onSqlite,
    place: async ({ home, store }) => ({
      where: { sqlite: join(home.root, "runs.db") },
      worker: store,
      async [Symbol.asyncDispose]() {},
    }),
  },
  {
    name: "PostgreSQL",
    needsPostgres: true,
    oneIn: 25,
    world: onPostgres,
    place: async (world) => ({
      where: { postgres: (world as World & { readonly url: string }).url },
      worker: world.store,
      async [Symbol.asyncDispose]() {},
    }),
  },
  { name: "HTTP before PostgreSQL", needsPostgres: true, oneIn: 25, world: onPostgres, place: overHttp },
];

const script = (body: any) => {
  const step = resultsIn(body).length;
  return step < 3 ? bash(`call_${step + 1}`, `echo ${step + 1}; sleep 0.3`) : outcome("Counted");
};

for (const { name, needsPostgres, oneIn, world: open, place: placeOf } of KINDS) {
  const tried = isWhole ? POINTS : POINTS.filter((_, at) => at % oneIn === 1);
  const missing = needsPostgres && cluster === undefined ? "PostgreSQL is not installed" : null;
  testUnless(noWorker ?? missing, test)(
    `a worker that dies around any of its first 25 calls to the store costs nothing (${name}, ${tried.length} points)`,
    async () => {
      await using world = await open();
      await using place = await placeOf(world);
      const received: string[] = [];
      const receiver = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch(request) {
          received.push(request.headers.get("idempotency-key") ?? "none");
          return new Response("ok");
        },
      });
      const {
        store: _,
        note: _note,
        gitCredential: _credential,
        ...worker
      } = world.workerOptions({ leaseMs: 1_500, slots: 1 });
      const seen: unknown[] = [];
      for (const crash of tried) {
        const { id } = await world.routine({
          maxAttempts: 1,
          notify: [{ kind: "webhook", target: receiver.url.href, on: "ended" }],
        });
        const runId = await world.enqueue(id, "cause");
        const options: WorkerMainOptions = { store: place.where, crash, worker };
        const dying = Bun.spawn([process.execPath, join(import.meta.dir, "worker-main.ts"), JSON.stringify(options)], {
          env: { ...world.home.env },
          stdin: "ignore",
          stdout: "ignore",
          stderr: "ignore",
        });
        await dying.exited;
        expect([crash, dying.signalCode]).toEqual([crash, "SIGKILL"]);
        // Long enough for a slow machine: another lost lease would be the second crash, and end the run.
        const next = world.start({ leaseMs: 20_000, store: place.worker });
        const run = await world.ended(runId);
        while ((await world.store.effects(runId)).some(({ state }) => state === "pending")) await Bun.sleep(20);
        await next.drain();
        const entries = await world.log(runId);
        const attempts = await world.store.attempts(runId);
        seen.push({
          ...crash,
          state: run.state,
          reason: run.reason,
          outcome: run.outcome?.summary,
          results: entries.filter(({ line }) => line.startsWith('{"type":"result"')).length,
          ends: attempts.filter(({ why }) => why !== null && ENDED.has(why)).length,
          again: madeAgain(entries.flatMap(({ kind, line }) => (kind === "transcript" ? [JSON.parse(line)] : []))),
          effects: (await world.store.effects(runId)).map(({ key, state }) => [key, state]),
          told: new Set(received.filter((key) => key.startsWith(runId))).size,
          left: world.left(),
        });
      }
      await receiver.stop(true);
      expect(seen).toEqual(
        tried.map((crash) => ({
          ...crash,
          state: "succeeded",
          reason: null,
          outcome: "Counted",
          results: 1,
          ends: 1,
          again: [],
          effects: [["ended", "done"]],
          told: 1,
          left: [],
        })),
      );
    },
    isWhole ? HOUR_MS : undefined,
  );
}
