// A database that is silent, restarts or keeps a lock: work goes on as soon as it can, and no write counts twice.

import { SQL } from "bun";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { openPostgresStore, StoreUnavailable } from "@keelson/routines";
import { socketOf, startCluster } from "./cluster.ts";
import { claimOne } from "./conformance.ts";
import { hourly, newRoutine, newRun, newTrigger } from "./rows.ts";
import { silentProxy } from "./silent-proxy.ts";

const cluster = await startCluster();
afterAll(() => cluster?.[Symbol.asyncDispose]());
const onPostgres = testUnless(cluster ? null : "PostgreSQL is not installed", test);

onPostgres("a server that says nothing any more is left, and found again when it answers", async () => {
  const { path, database } = socketOf(await cluster!.database());
  await using proxy = silentProxy(path);
  const url = `postgres://keelson@127.0.0.1:${proxy.port}/${database}`;
  const store = await openPostgresStore({ url, connections: 2, silenceMs: 1_000 });
  const { id } = await store.createRoutine(newRoutine());
  await store.enqueue({ run: newRun(id) });
  const { run, claim } = await claimOne({ worker: store });

  proxy.isSilent = true;
  const finishing = store.finish({ runId: run.id, claim }, { state: "succeeded", result: "once" });
  // Both its first connection and the one that it makes then.
  while (proxy.swallowed < 2) await Bun.sleep(10);
  proxy.isSilent = false;
  expect(await finishing).toEqual({ held: true });
  expect(await store.run(run.id)).toMatchObject({ state: "succeeded", result: "once" });
  expect(await store.effects(run.id)).toHaveLength(1);
  await store.close();
});

onPostgres("a deed that was done before the server fell silent is not done again", async () => {
  const { path, database } = socketOf(await cluster!.database());
  await using proxy = silentProxy(path);
  const url = `postgres://keelson@127.0.0.1:${proxy.port}/${database}`;
  const store = await openPostgresStore({ url, connections: 2, silenceMs: 1_000 });
  const { id } = await store.createRoutine(newRoutine({ overlap: "queue" }));
  for (let n = 0; n < 2; n++) await store.enqueue({ run: newRun(id) });

  proxy.loseAnswerTo = "COMMIT";
  const claimed = await store.claim({ worker: "w", leaseMs: 60_000 });
  expect(proxy.loseAnswerTo).toBeUndefined();
  expect(claimed.run).toMatchObject({ attempt: 1, lost: 0 });
  expect((await store.runs({ states: ["running"] }, {})).rows).toHaveLength(1);
  await store.close();
});

onPostgres("a database that cannot be reached is an error that says so, after a while", async () => {
  await using proxy = silentProxy(socketOf(cluster!.url).path);
  proxy.isSilent = true;
  const url = `postgres://keelson:secret-word@127.0.0.1:${proxy.port}/postgres`;
  const opening = openPostgresStore({ url, silenceMs: 50, giveUpMs: 200 });
  await expect(opening).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(opening).rejects.toThrow(/^The database cannot be reached: (?!.*secret-word)/);
  const misspelt = openPostgresStore({ url: "postgres://keelson:secret-word@ho st/keelson" });
  await expect(misspelt).rejects.toThrow(/^The address of the database is not a URL: (?!.*secret-word)/);
});

onPostgres("a run that somebody keeps locked holds nobody else up, and comes back when he is put out", async () => {
  const url = await cluster!.database();
  const store = await openPostgresStore({ url });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { id } = await store.createRoutine(newRoutine());
    ids.push((await store.enqueue({ run: newRun(id) })).run!.id);
  }
  await using sql = new SQL({ ...socketOf(url), max: 1 });
  // As a process that was stopped in the middle of a transaction; the limit is what our own connections have.
  const frozen = await sql.reserve();
  await frozen.unsafe("SET idle_in_transaction_session_timeout = '1s'");
  await frozen.unsafe("BEGIN");
  await frozen.unsafe("SELECT id FROM runs WHERE id = $1 FOR UPDATE", [ids[0]!]);
  const taken = [await claimOne({ worker: store }), await claimOne({ worker: store })].map(({ run }) => run.id);
  expect(taken).toEqual(ids.slice(1));
  let last = await store.claim({ worker: "w", leaseMs: 60_000 });
  while (last.run === undefined) last = await store.claim({ worker: "w", leaseMs: 60_000 });
  expect(last.run.id).toBe(ids[0]!);
  await store.close();
});

onPostgres(
  "a server that is stopped in the middle of a deed loses its locks, and does nothing when it goes on",
  async () => {
    const url = await cluster!.database();
    const store = await openPostgresStore({ url });
    const routine = await store.createRoutine(newRoutine({ overlap: "queue" }));
    const trigger = newTrigger(routine.id);
    await store.triggers.insert(trigger);
    const main = join(import.meta.dir, "stopping-scheduler-main.ts");
    await using stopped = Bun.spawn([process.execPath, main, url], { stdout: "pipe", stderr: "inherit" });
    const said = stopped.stdout.values();
    expect(new TextDecoder().decode((await said.next()).value)).toBe("stopping\n");

    let mine = await store.tick(hourly);
    while (mine.moved === 0) {
      await Bun.sleep(50);
      mine = await store.tick(hourly);
    }
    expect(mine.runs).toMatchObject([{ slotAt: 1, triggerId: trigger.id }]);
    stopped.kill("SIGCONT");
    expect(new TextDecoder().decode((await said.next()).value)).toBe("moved 0\n");
    expect((await store.runs({ routineId: routine.id }, {})).rows).toHaveLength(1);
    await stopped.exited;
    await store.close();
  },
);
