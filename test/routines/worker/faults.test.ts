// Runs of the real program over several workers that are killed and frozen past their lease, with each cause delivered twice: one row,
// one end, one result and one effect for each, and nothing left on the machine. KEELSON_RUNS=1000 runs the whole of it.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore, openSqliteStore, type RunStore } from "@keelson/routines";
import { programCommand, seeded, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { testRepository } from "../../../packages/routines/src/worker/checkout/repository.test-support.ts";
import { startCluster } from "../store/cluster.ts";
import { newRoutine, newRun } from "../store/rows.ts";
import { serveWorkers, WORKER_TOKEN } from "../store/worker-server.ts";
import { bash, ENDED, inOrder, madeAgain, noWorker, outcome } from "./world.ts";
import type { WorkerMainOptions } from "./worker-main.ts";

const HOUR_MS = 60 * 60_000;
/** What runs with all tests. */
const SHARE = 24;
const RUNS = Number(process.env["KEELSON_RUNS"] ?? SHARE);
const isWhole = RUNS >= 1_000;
const WORKERS = isWhole ? 8 : 3;
const KILLS = Math.ceil(RUNS / 5);
const STOPS = Math.ceil(RUNS / 20);
const LEASE_MS = isWhole ? 6_000 : 3_000;

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "keelson-faults-"));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Backend extends AsyncDisposable {
  readonly server: RunStore;
  readonly where: WorkerMainOptions["store"];
  /** A failure of the server itself. */
  fail?(): Promise<void>;
}

const own = (server: RunStore, where: WorkerMainOptions["store"]): Backend => ({
  server,
  where,
  [Symbol.asyncDispose]: () => server.close(),
});

async function onSqlite(name: string): Promise<Backend> {
  const file = join(folder, name);
  return own(await openSqliteStore({ file }), { sqlite: file });
}

async function onPostgres(): Promise<Backend> {
  const url = await cluster!.database();
  const fail = async () => {
    await cluster!.kill();
    await cluster!.start();
  };
  return { ...own(await openPostgresStore({ url }), { postgres: url }), fail };
}

/** The workers know neither the file nor the address of the database, which is killed, too, where it is PostgreSQL. */
async function overHttp(): Promise<Backend> {
  await using stack = new AsyncDisposableStack();
  const behind = stack.use(cluster === undefined ? await onSqlite("http.db") : await onPostgres());
  const served = stack.use(serveWorkers(behind.server));
  const all = stack.move();
  return {
    ...behind,
    where: { http: served.url, token: WORKER_TOKEN },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const backends: readonly { name: string; needsPostgres: boolean; open(): Promise<Backend> }[] = [
  { name: "SQLite", needsPostgres: false, open: () => onSqlite("runs.db") },
  { name: "PostgreSQL, killed twice", needsPostgres: true, open: onPostgres },
  { name: "workers over HTTP", needsPostgres: false, open: overHttp },
];

/** Three turns with a call each, then the outcome. */
const CALLS = [1, 2, 3].map((number) =>
  bash(`call_${number}`, `echo ${number} >> done.txt; sleep 0.1; git add -A; git commit -qm ${number}`),
);
const script = inOrder(...CALLS, outcome("Counted"));

describe.each(backends)("$name", ({ needsPostgres, open }) => {
  const reason = noWorker ?? (needsPostgres && cluster === undefined ? "PostgreSQL is not installed" : null);
  testUnless(reason, test)(
    `${RUNS} runs over ${WORKERS} workers, ${KILLS} of them killed and ${STOPS} frozen`,
    async () => {
      using home = temporaryHome();
      using repository = testRepository();
      repository.commit({ "README.md": "A project\n" });
      await using model = await startMockModel(script as any);
      await using backend = await open();
      const { server } = backend;
      const received: string[] = [];
      await using receiver = listening((key) => received.push(key));
      const random = seeded(Number(process.env["KEELSON_SEED"] ?? 7));

      const [routine, other] = [
        newRoutine({
          name: "Count",
          sources: [{ url: repository.url }],
          permissionMode: "acceptEdits",
          questions: "deny",
          overlap: "queue",
          maxAttempts: 1_000,
          notify: [{ kind: "webhook", target: receiver.url, on: "ended" }],
        }),
        newRoutine({ name: "Other", sources: [], questions: "deny" }),
      ];
      for (const each of [routine, other]) await server.createRoutine(each);
      // A routine has one run at a time: so each has its own.
      const ids: string[] = [];
      for (let number = 0; number < RUNS; number++) {
        const each = { ...routine, id: `trig_${number}` };
        await server.createRoutine(each);
        const wanted = { run: newRun(each.id, "cause") };
        const [first, second] = [await server.enqueue(wanted), await server.enqueue(wanted)];
        expect([first.isNew, second.isNew, second.run!.id]).toEqual([true, false, first.run!.id]);
        ids.push(first.run!.id);
      }

      const workers = new Map<number, Bun.Subprocess>();
      let started = 0;
      /** Of workers that ended by themselves. */
      const ends: number[] = [];
      const state = join(home.root, "worker");
      const start = () => {
        const options: WorkerMainOptions = {
          store: backend.where,
          worker: {
            name: `worker-${++started}`,
            version: "test",
            slots: 2,
            folder: state,
            program: programCommand({ home }),
            programs: { git: Bun.which("git")!, bwrap: Bun.which("bwrap")! },
            env: { ...home.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "model-key-0123456789" },
            leaseMs: LEASE_MS,
            pollMs: 200,
            limits: { retryMs: 50 },
          },
        };
        const child = Bun.spawn([process.execPath, join(import.meta.dir, "worker-main.ts"), JSON.stringify(options)], {
          env: { ...home.env },
          stdin: "ignore",
          stdout: "ignore",
          stderr: process.env["KEELSON_NOTES"] ? "inherit" : "ignore",
        });
        workers.set(child.pid, child);
      };
      for (let number = 0; number < WORKERS; number++) start();

      const ended = async () => {
        const runs = await Promise.all(ids.map((id) => server.run(id)));
        return runs.filter((run) => ENDED.has(run!.state)).length;
      };
      let [kills, stops, failures, done] = [0, 0, 0, 0];
      const frozen = new Set<number>();
      while ((done = await ended()) < RUNS) {
        expect(ends).toEqual([]);
        // Spread over the whole time: as many faults as are due for what is done.
        const awake = [...workers.keys()].filter((pid) => !frozen.has(pid));
        const victim = awake[Math.floor(random() * awake.length)];
        const share = (done + 1) / RUNS;
        if (victim !== undefined && kills < KILLS * share) {
          kills++;
          process.kill(victim, "SIGKILL");
          await workers.get(victim)!.exited;
          workers.delete(victim);
          start();
        } else if (victim !== undefined && stops < STOPS * share) {
          stops++;
          frozen.add(victim);
          process.kill(victim, "SIGSTOP");
          setTimeout(() => {
            frozen.delete(victim);
            process.kill(victim, "SIGCONT");
          }, LEASE_MS * 1.5);
        } else if (backend.fail !== undefined && failures < 2 && share > (failures + 1) / 3) {
          failures++;
          await backend.fail();
        }
        await Bun.sleep(100 + random() * 400);
      }
      // Those that were lost while they were frozen still have to find out, and effects have to be delivered.
      const effectsOf = async () => (await Promise.all(ids.map((id) => server.effects(id)))).flat();
      while (frozen.size > 0 || (await effectsOf()).some(({ state: each }) => each === "pending")) await Bun.sleep(50);
      for (const child of workers.values()) child.kill("SIGTERM");
      await Promise.all([...workers.values()].map(({ exited }) => exited));

      expect([kills, stops]).toEqual([KILLS, STOPS]);
      const problems: unknown[] = [];
      for (const id of ids) {
        const run = (await server.run(id))!;
        const entries = await server.entries(id, 0, 10_000);
        const results = entries.filter(({ line }) => line.startsWith('{"type":"result"'));
        const attempts = await server.attempts(id);
        const finals = attempts.filter(({ why }) => why !== null && ENDED.has(why));
        const again = madeAgain(entries.flatMap(({ kind, line }) => (kind === "transcript" ? [JSON.parse(line)] : [])));
        const effects = await server.effects(id);
        const seen = {
          state: run.state,
          outcome: run.outcome?.summary,
          results: results.length,
          finals: finals.length,
          open: attempts.filter(({ why }) => why === null).length,
          effects: effects.map(({ key, state: each }) => [key, each]),
          received: new Set(received.filter((key) => key.startsWith(id))).size,
          again,
          holes: entries.some(({ seq }, at) => seq !== at + 1),
        };
        const wanted = {
          state: "succeeded",
          outcome: "Counted",
          results: 1,
          finals: 1,
          open: 0,
          effects: [["ended", "done"]],
          received: 1,
          again: [],
          holes: false,
        };
        if (!Bun.deepEquals(seen, wanted)) problems.push({ id, reason: run.reason, ...seen });
      }
      expect(problems).toEqual([]);
      // The files that were pushed: no call left its mark twice.
      const branches = Object.keys(repository.branches()).filter((name) => name !== "main");
      const marks = branches.map((name) => repository.git(["show", `${name}:done.txt`], repository.bare).split("\n"));
      expect(marks.filter((lines) => new Set(lines).size !== lines.length)).toEqual([]);
      expect(new Set(branches.map((name) => name.replace(/-\d+$/, ""))).size).toBeGreaterThan(RUNS / 2);
      const { rows } = await server.runs({}, { limit: 2_000 });
      expect(rows.length).toBe(RUNS);
      // A worker that was killed after it told the receiver and before it could say so: no more often than that.
      expect(received.length - new Set(received).size).toBeLessThanOrEqual(KILLS + STOPS);
      expect(await leftovers(state, home.root)).toEqual({ places: [], processes: [] });
    },
    RUNS > SHARE ? 6 * HOUR_MS : undefined,
  );
});

/** Processes are ended a moment after the workers are. */
async function leftovers(state: string, root: string) {
  const look = () => ({
    places: [...readdirSync(join(state, "work")), ...readdirSync(join(state, "private/runs"))],
    processes: readdirSync("/proc").filter(
      (pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && mentions(pid, root),
    ),
  });
  let left = look();
  for (let round = 0; round < 100 && left.processes.length > 0; round++) {
    await Bun.sleep(50);
    left = look();
  }
  return left;
}

function mentions(pid: string, root: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(root) ||
      readFileSync(`/proc/${pid}/environ`, "latin1").includes(root)
    );
  } catch {
    return false;
  }
}

function listening(take: (key: string) => void) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      take(request.headers.get("idempotency-key") ?? "none");
      return new Response("ok");
    },
  });
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
}
