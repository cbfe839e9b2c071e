// A copy of the database is made while it is used, and work goes on from it.

import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backUpSqlite, openSqliteStore } from "@keelson/routines";
import { claimOne } from "./conformance.ts";
import { newRoutine, newRun } from "./rows.ts";

test("a copy that is made in the middle of work is whole, private, and goes on where it was made", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-backup-"));
  const [file, copy] = [join(folder, "store.db"), join(folder, "copy.db")];
  const store = await openSqliteStore({ file });
  const { id } = await store.createRoutine(newRoutine({ overlap: "queue" }));
  for (let n = 0; n < 20; n++) await store.enqueue({ run: newRun(id) });
  const { run, claim } = await claimOne({ worker: store });
  const held = { runId: run.id, claim };
  await store.append(held, [{ seq: 1, kind: "message", line: "{}" }]);
  let isDone = false;
  const begun = Promise.withResolvers<void>();
  const writing = (async () => {
    for (; !isDone; begun.resolve()) await store.enqueue({ run: newRun(id) });
  })();
  await begun.promise;
  backUpSqlite(file, copy);
  isDone = true;
  await writing;
  expect(() => backUpSqlite(file, copy)).toThrow("exists already");
  expect(() => backUpSqlite(join(folder, "none.db"), join(folder, "x.db"))).toThrow("There is no database");
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await store.finish(held, { state: "failed", reason: "after the copy" });
  await store.close();

  const restored = await openSqliteStore({ file: copy });
  expect(await restored.run(run.id)).toMatchObject({ state: "running", attempt: 1 });
  expect(await restored.entries(run.id, 0, 10)).toHaveLength(1);
  // The worker that had it then may still end it; and so may every other run be.
  expect(await restored.finish(held, { state: "succeeded" })).toEqual({ held: true });
  for (let n = 1; n < 20; n++) {
    const next = await claimOne({ worker: restored });
    expect(await restored.finish({ runId: next.run.id, claim: next.claim }, { state: "succeeded" })).toEqual({
      held: true,
    });
  }
  await restored.close();
  rmSync(folder, { recursive: true });
});

test("the files beside a database stay in their place when it is closed, with nothing in the log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-closed-"));
  const file = join(folder, "routines.db");
  const store = await openSqliteStore({ file });
  await store.createRoutine(newRoutine());
  await store.close();
  const log = () => [existsSync(`${file}-shm`), existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : "missing"];
  expect(log()).toEqual([true, 0]);
  backUpSqlite(file, join(folder, "copy.db"));
  expect(log()).toEqual([true, 0]);
  const again = await openSqliteStore({ file });
  expect(await again.createRoutine(newRoutine())).toBeDefined();
  await again.close();
  rmSync(folder, { recursive: true });
});
