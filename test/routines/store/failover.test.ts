// An asynchronous copy that becomes the server does not know of the last claims: it gives the same runs out again, under the same
// count. Only the token tells the two workers apart.

import { afterAll, expect, test } from "bun:test";
import { testUnless } from "@keelson/testkit";
import { openHttpStore, openPostgresStore, type RunStore } from "@keelson/routines";
import { startCluster } from "./cluster.ts";
import { claimOne } from "./conformance.ts";
import { newRoutine, newRun } from "./rows.ts";
import { serveWorkers, WORKER_TOKEN } from "./worker-server.ts";

const cluster = await startCluster();
const stores: RunStore[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
  await cluster?.[Symbol.asyncDispose]();
});

async function open(): Promise<RunStore> {
  const store = await openPostgresStore({ url: cluster!.url, connections: 3 });
  stores.push(store);
  return store;
}

testUnless(cluster ? null : "PostgreSQL is not installed", test)(
  "after a failover between claim and finish, the first worker can change nothing, and the second ends the run",
  async () => {
    const a = await open();
    await using served = serveWorkers(a);
    const overHttp = openHttpStore({ url: served.url, token: WORKER_TOKEN });
    for (let n = 0; n < 2; n++) {
      const { id } = await a.createRoutine(newRoutine());
      await a.enqueue({ run: newRun(id) });
    }
    const follower = await cluster!.follower();
    await follower.cutOff();
    const first = await claimOne({ worker: a });
    const second = await claimOne({ worker: overHttp });
    const lost = [first, second].map(({ run, claim }) => ({ runId: run.id, claim }));
    await a.append(lost[0]!, [{ seq: 1, kind: "message", line: '"of a"' }]);

    await cluster!.kill();
    await follower.promote();
    const b = await open();
    const taken = [await claimOne({ worker: b }), await claimOne({ worker: b })];
    expect(new Set(taken.map(({ run }) => run.id))).toEqual(new Set(lost.map(({ runId }) => runId)));
    // The counter repeats: by it, the finish of the first worker would be accepted.
    expect([first, second, ...taken].map(({ run }) => run.fence)).toEqual([1, 1, 1, 1]);

    for (const [at, worker] of [a, overHttp].entries()) {
      const held = lost[at]!;
      const writes = [
        worker.finish(held, {
          state: "succeeded",
          result: "of the first",
          effects: [{ key: "k", kind: "k", body: {} }],
        }),
        worker.beat(held, { leaseMs: 60_000, costUsd: 1 }),
        worker.append(held, [{ seq: 2, kind: "message", line: "{}" }]),
        worker.ask(held, [{ id: "q", request: {}, expiresInMs: 1_000 }]),
        worker.release(held, { why: "released" }),
        worker.release(held, { why: "crashed", reason: "x" }),
        worker.secrets(held),
      ];
      for (const write of await Promise.all(writes))
        expect(write).toEqual({ held: false, state: "running", reason: null });
    }
    for (const { run, claim } of taken) {
      const entries = [{ seq: 1, kind: "message", line: '"of b"' }] as const;
      expect(await b.finish({ runId: run.id, claim }, { state: "succeeded", result: "of b", entries })).toEqual({
        held: true,
      });
      expect(await a.run(run.id)).toMatchObject({ state: "succeeded", result: "of b", costUsd: 0 });
      expect((await a.entries(run.id, 0, 10)).map(({ line }) => line)).toEqual(['"of b"']);
      expect((await a.effects(run.id)).map(({ key }) => key)).toEqual(["ended"]);
    }
  },
);
