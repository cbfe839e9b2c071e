// Who waits in one process hears of what another does, long before it would look by itself.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { openPostgresStore, openSqliteStore, type RunStore } from "@keelson/routines";
import { startCluster } from "./cluster.ts";
import { newRoutine, newRun, newTrigger } from "./rows.ts";

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "keelson-wake-"));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The mark of a store that found nothing. */
async function markOf(store: RunStore): Promise<string> {
  const none = await store.claim({ worker: "w", leaseMs: 1_000 });
  if (none.run !== undefined) throw new Error("There should be nothing");
  return none.mark;
}

/** The wait of a store ends by itself after five seconds: what is asserted is that it was told. */
async function heardOf(waiting: RunStore, other: RunStore): Promise<void> {
  const { id } = await other.createRoutine(newRoutine({ overlap: "queue" }));
  const before = await markOf(waiting);
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = waiting.onChange((change) => change.kind === "work" && resolve());
    await other.enqueue({ run: newRun(id) });
    await promise;
    stop();
    // On PostgreSQL, the first is that it listens now.
    const claimed = await waiting.claim({ worker: "w", leaseMs: 60_000 });
    if (claimed.run === undefined) continue;
    expect(await waiting.finish({ runId: claimed.run.id, claim: claimed.claim }, { state: "succeeded" })).toEqual({
      held: true,
    });
    break;
  }
  // A wait under a mark from before ends at once.
  await waiting.wake({ waitMs: 60_000, mark: before }, new AbortController().signal);
}

describe("another process is heard", () => {
  test("on SQLite", async () => {
    const file = join(folder, "wake.db");
    const stores = [await openSqliteStore({ file }), await openSqliteStore({ file })] as const;
    await heardOf(...stores);
    for (const store of stores) await store.close();
  });

  testUnless(cluster ? null : "PostgreSQL is not installed", test)("on PostgreSQL", async () => {
    const url = await cluster!.database();
    const stores = [await openPostgresStore({ url }), await openPostgresStore({ url })] as const;
    await heardOf(...stores);
    for (const store of stores) await store.close();
  });
});

test("a scheduler that cannot have what is due now does not ask again at once", async () => {
  const store = await openSqliteStore({ file: join(folder, "busy.db") });
  const { id } = await store.createRoutine(newRoutine());
  await store.triggers.insert(newTrigger(id));
  const { moved, nextInMs } = await store.tick(() => undefined);
  expect({ moved, nextInMs }).toEqual({ moved: 0, nextInMs: 50 });
  await store.close();
});
