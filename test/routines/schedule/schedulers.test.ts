// Schedulers in several processes on one database that are killed in the middle of what they do.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { createZones, newSchedule, openSqliteStore, type RoutineRun } from "@keelson/routines";
import { matchEveryMinute } from "../../../packages/routines/src/schedule/year/matcher.test-support.ts";
import { newRoutine } from "../store/rows.ts";

const HOUR = 60 * 60_000;
/** An hour takes 15 ms. */
const SPEED = 240_000;
/** The clocks of Berlin change on March 29th, and those of Lord Howe on April 5th. */
const FROM = Date.parse("2026-03-27T00:00:00Z");
const KILLS = Number(process.env["KEELSON_KILLS"] ?? 20);
const LINES = ["7 * * * *", "30 2 * * *", "0 0 * * 0", "15 1,2,3 * * *", "45 */2 * * *", "0 9 1 * 1"];
const ZONES = ["Europe/Berlin", "Australia/Lord_Howe", "UTC"];

test("schedulers that are killed again and again leave exactly one row for each due time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-schedulers-"));
  const file = join(folder, "routines.db");
  const began = Date.now();
  const now = () => FROM + (Date.now() - began) * SPEED;
  const store = await openSqliteStore({ file, now });
  const schedules: { id: string; cron: string; zone: string }[] = [];
  for (const zone of ZONES)
    for (const cron of LINES) {
      const { id } = await store.createRoutine(newRoutine({ overlap: "cancel" }));
      const made = newSchedule(id, { cron, zone, jitterMs: 0 }, { now: FROM, zones: createZones() });
      if (made.problem !== undefined) throw new Error(made.problem);
      await store.triggers.insert(made.trigger);
      schedules.push({ id: made.trigger.id, cron, zone });
    }

  const main = join(import.meta.dir, "scheduler-main.ts");
  const running = new Set<Bun.Subprocess<"ignore", "pipe", "inherit">>();
  const start = () => {
    const child = Bun.spawn([process.execPath, main, file, String(began), String(FROM), String(SPEED)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.add(child);
    return child;
  };
  const ready = (child: ReturnType<typeof start>) => child.stdout.getReader().read();
  try {
    for (let count = 0; count < 3; count++) start();
    for (let kill = 0; kill < KILLS; kill++) {
      const next = start();
      await ready(next);
      // Not at the same point each time.
      await Bun.sleep((kill * 37) % 90);
      const [oldest] = running;
      oldest!.kill("SIGKILL");
      await oldest!.exited;
      running.delete(oldest!);
      // Sometimes nobody is left for a while.
      if (kill % 7 !== 6) continue;
      for (const child of running) child.kill("SIGKILL");
      await Promise.all([...running].map((child) => child.exited));
      running.clear();
      await Bun.sleep(300);
      for (let count = 0; count < 2; count++) start();
    }
    const end = now();
    // Everything up to here has its row once no trigger is due before.
    while ((await store.overdue(now() - end)).length > 0) await Bun.sleep(20);

    const rows: RoutineRun[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await store.runs({}, { cursor, limit: 1_000 });
      rows.push(...page.rows);
      cursor = page.next;
    }
    const range = { from: FROM + 60_000, to: Math.floor(end / 60_000) * 60_000 };
    const expected = ZONES.flatMap((zone) =>
      [
        ...matchEveryMinute(
          schedules.filter((each) => each.zone === zone),
          zone,
          range,
        ),
      ].flatMap(([id, slots]) => slots.map((slot) => `${id} ${new Date(slot).toISOString()}`)),
    );
    const seen = rows.flatMap(({ triggerId, slotAt }) =>
      slotAt! <= range.to ? [`${triggerId} ${new Date(slotAt!).toISOString()}`] : [],
    );
    expect(seen.toSorted()).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(((end - FROM) / HOUR) * ZONES.length);
    expect(rows.filter(({ state, reason }) => state === "missed" && reason === null)).toEqual([]);
  } finally {
    for (const child of running) child.kill("SIGKILL");
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
