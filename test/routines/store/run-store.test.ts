// One suite for every store: SQLite, PostgreSQL, and workers over HTTP that have no address of a database.

import { afterAll, describe, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { openHttpStore, openPostgresStore, openSqliteStore, type RunStore } from "@keelson/routines";
import { startCluster } from "./cluster.ts";
import { CONFORMANCE, type StoreUnderTest } from "./conformance.ts";
import { serveWorkers, WORKER_TOKEN } from "./worker-server.ts";

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "keelson-run-store-"));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const unseal = async (sealed: string) => sealed.slice("sealed:".length);

function both(store: RunStore): StoreUnderTest {
  return { server: store, worker: store, [Symbol.asyncDispose]: () => store.close() };
}

let files = 0;
const onSqlite = () => openSqliteStore({ file: join(folder, `${++files}.db`), unseal });
const onPostgres = async () => openPostgresStore({ url: await cluster!.database(), unseal });

async function overHttp(store: RunStore, lose?: (path: string) => boolean): Promise<StoreUnderTest> {
  const served = serveWorkers(store, lose === undefined ? {} : { lose });
  const worker = openHttpStore({ url: served.url, token: WORKER_TOKEN });
  return {
    server: store,
    worker,
    async [Symbol.asyncDispose]() {
      await worker.close();
      await served[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

/** Every second answer does not arrive, though the deed was done. */
function everySecond(): (path: string) => boolean {
  const counts = new Map<string, number>();
  return (path) => {
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    return count % 2 === 1 && !path.endsWith("/wake");
  };
}

const kinds: readonly { name: string; needsPostgres: boolean; open(): Promise<StoreUnderTest> }[] = [
  { name: "SQLite", needsPostgres: false, open: async () => both(await onSqlite()) },
  { name: "PostgreSQL", needsPostgres: true, open: async () => both(await onPostgres()) },
  { name: "HTTP before SQLite", needsPostgres: false, open: async () => overHttp(await onSqlite()) },
  {
    name: "HTTP before PostgreSQL, every second answer lost",
    needsPostgres: true,
    open: async () => overHttp(await onPostgres(), everySecond()),
  },
];

for (const { name, needsPostgres, open } of kinds)
  describe(name, () => {
    const when = testUnless(needsPostgres && cluster === undefined ? "PostgreSQL is not installed" : null, test);
    for (const check of CONFORMANCE)
      when(check.name, async () => {
        await using store = await open();
        await check.run(store);
      });
  });
