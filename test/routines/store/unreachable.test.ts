// A routine whose runs cannot begin, such as for want of access to its repository.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@keelson/routines";
import { newRoutine, newRun } from "./rows.ts";

const HOUR = 3_600_000;

test("a routine whose runs are skipped for 72 hours is disabled and says why; a run that ends otherwise begins the count anew", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-unreachable-"));
  let now = 1_000 * HOUR;
  const store = await openSqliteStore({ file: join(folder, "runs.db"), now: () => now });
  const { id } = await store.createRoutine(newRoutine());
  const end = async (hours: number, state: "skipped" | "succeeded") => {
    now += hours * HOUR;
    await store.enqueue({ run: newRun(id) });
    const claimed = await store.claim({ worker: "w", leaseMs: 10_000 });
    if (claimed.run === undefined) throw new Error("Nothing to claim");
    await store.finish({ runId: claimed.run.id, claim: claimed.claim }, { state, reason: "No access" });
    const { enabled, disabledReason } = (await store.routine(id))!;
    return [enabled, disabledReason];
  };
  const reason = "Its runs could not begin for 72 hours; see the reason of the last one";
  expect([await end(1, "skipped"), await end(71, "skipped")]).toEqual([
    [true, null],
    [true, null],
  ]);
  expect(await end(0.5, "succeeded")).toEqual([true, null]);
  expect([await end(1, "skipped"), await end(71, "skipped"), await end(1, "skipped")]).toEqual([
    [true, null],
    [true, null],
    [false, reason],
  ]);
  // Whoever enables it again has 72 hours more.
  now += HOUR;
  await store.updateRoutine(id, { enabled: true, disabledReason: null });
  expect([await end(1, "skipped"), await end(72, "skipped")]).toEqual([
    [true, null],
    [false, reason],
  ]);
  await store.close();
  rmSync(folder, { recursive: true });
});
