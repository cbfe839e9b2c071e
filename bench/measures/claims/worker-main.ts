// Workers of one process that claim and finish runs, and print how long each took. Arguments: the database, workers, runs of each.

import { openPostgresStore, openSqliteStore } from "@keelson/routines";

export interface Timings {
  readonly claims: number[];
  readonly ends: number[];
}

if (import.meta.main) {
  const [address = "", workers, runs] = process.argv.slice(2);
  const store = address.startsWith("postgres:")
    ? await openPostgresStore({ url: address, connections: Number(workers) })
    : await openSqliteStore({ file: address });
  const timings: Timings = { claims: [], ends: [] };
  await Promise.all(
    Array.from({ length: Number(workers) }, async () => {
      for (let n = 0; n < Number(runs); n++) {
        const began = performance.now();
        const { run, ...rest } = await store.claim({ worker: "bench", leaseMs: 60_000 });
        const claimed = performance.now();
        if (run === undefined || !("claim" in rest)) throw new Error("There is nothing to claim");
        await store.finish({ runId: run.id, claim: rest.claim }, { state: "succeeded" });
        // The first makes the connection.
        if (n === 0) continue;
        timings.claims.push(claimed - began);
        timings.ends.push(performance.now() - claimed);
      }
    }),
  );
  await store.close();
  console.log(JSON.stringify(timings));
}
