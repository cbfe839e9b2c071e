// A worker in a process of its own, for tests that kill it. Its options are JSON in its first argument.

import { openHttpStore, openPostgresStore, openSqliteStore, startWorker, type WorkerOptions } from "@keelson/routines";

export interface WorkerMainOptions {
  readonly store:
    { readonly sqlite: string } | { readonly postgres: string } | { readonly http: string; readonly token: string };
  /** Where to end: around one of its calls to the store. */
  readonly crash?: { readonly call: number; readonly when: "before" | "after" };
  readonly worker: Omit<WorkerOptions, "store" | "note" | "gitCredential">;
}

const { store: where, worker, crash } = JSON.parse(process.argv[2]!) as WorkerMainOptions;
/** Those of a run, from its claim to the effects of its end. */
const COUNTED = new Set([
  ...[
    "claim",
    "environment",
    "secrets",
    "claimedEntries",
    "holds",
    "append",
    "beat",
    "finish",
    "claimEffect",
    "settleEffect",
  ],
]);

const store =
  "sqlite" in where
    ? await openSqliteStore({ file: where.sqlite })
    : "postgres" in where
      ? await openPostgresStore({ url: where.postgres })
      : openHttpStore({ url: where.http, token: where.token });
let calls = 0;
/** Dies as if by a failure of the machine, with the call not made, or made and its answer not seen. */
const fragile = new Proxy(store, {
  get(target, name) {
    const method: unknown = Reflect.get(target, name);
    if (typeof method !== "function") return method;
    // It reads private fields of its own object.
    if (crash === undefined || !COUNTED.has(String(name))) return method.bind(target);
    return async (...args: unknown[]) => {
      const isHere = ++calls === crash.call;
      if (isHere && crash.when === "before") process.kill(process.pid, "SIGKILL");
      const result: unknown = await Reflect.apply(method, target, args);
      if (isHere) process.kill(process.pid, "SIGKILL");
      return result;
    };
  },
});
const running = startWorker({ ...worker, store: fragile, note: (text) => console.error(text) });
process.once("SIGTERM", async () => {
  await running.drain();
  await store.close();
  process.exit(0);
});
