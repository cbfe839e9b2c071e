import { expect, test } from "bun:test";
import { aRoutine } from "../schedule/due-trigger.test-support.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { runRoutes } from "./run-routes.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const KEEP = { logMs: 30 * DAY_MS, deliveriesMs: 30 * DAY_MS, auditMs: 30 * DAY_MS };

test("a run is not repeated once the data that it got is removed, unless it was the clock that started it", async () => {
  const world = { clock: Date.parse("2026-11-19T12:00:00Z") };
  const store = await openSqliteStore({ file: ":memory:", now: () => world.clock });
  const { id: routineId } = await store.createRoutine({ ...aRoutine(), overlap: "queue" });
  for (const [id, cause, payload] of [
    ["run_called", "http", "data"],
    ["run_due", "schedule", null],
  ] as const) {
    await store.enqueue({ run: { id, routineId, cause, state: "queued", payload } });
    await store.cancel(id, { reason: "Not needed" });
  }
  const route = runRoutes({ store, keepMs: KEEP.logMs }).find(({ path }) => path === "/v1/runs/{id}/retry")!;
  const again = async (id: string) => {
    const person = { device: { id: "tok_1", role: "admin" }, headers: new Headers(), from: "", query: {}, body: {} };
    const { json } = (await route.run({ ...person, params: { id } } as never)) as {
      readonly json: { readonly id: string };
    };
    const { state, payload } = (await store.run(json.id))!;
    return [state, payload];
  };
  world.clock += 29 * DAY_MS;
  await store.sweep(KEEP);
  expect(await again("run_called")).toEqual(["queued", "data"]);
  world.clock += 2 * DAY_MS;
  await store.sweep(KEEP);
  await expect(again("run_called")).rejects.toThrow(
    "What a run got is removed after 30 days, so this one cannot run again; start its routine instead",
  );
  expect(await again("run_due")).toEqual(["queued", null]);
  await store.close();
});
