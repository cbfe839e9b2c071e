// The times at which a schedule is due, called slots. Each time that matches on the clock of the zone is due once: one that the
// clock skips when it is set forward is due as much later as the clock moved, one that it shows twice is due the first time.

import { wallTimeAfter, type Cron, type Zone } from "@keelson/engine/schedule";
import { HORIZON_DAYS } from "./cron-line.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** Further than clocks have ever been set. */
const LONGEST_CHANGE = 26 * HOUR;

/** The first slot after `after`; undefined if there is none in forty years. */
export function slotAfter(cron: Cron, after: number, zone: Zone): number | undefined {
  const change = zone.changeIn(after - LONGEST_CHANGE, after);
  const forward = change ? Math.max(0, change.after - change.before) : 0;
  // Times that the clock skipped lately may still be to come.
  const from = after + zone.offsetAt(after) - forward;
  let best: number | undefined;
  // What the clock shows at `best`. If it stands for an earlier time that was skipped, another one may come before it.
  let shown = Infinity;
  for (let wall = next(from); wall !== undefined && wall < shown; wall = next(wall)) {
    const slot = momentOf(wall, zone);
    if (slot <= after || (best !== undefined && slot >= best)) continue;
    best = slot;
    shown = slot + zone.offsetAt(slot);
  }
  return best;

  function next(wall: number): number | undefined {
    return wallTimeAfter(cron, wall, HORIZON_DAYS);
  }
}

export function slotsAfter(cron: Cron, after: number, zone: Zone, count: number): number[] {
  const slots: number[] = [];
  for (let slot = slotAfter(cron, after, zone); slot !== undefined; slot = slotAfter(cron, slot, zone)) {
    slots.push(slot);
    if (slots.length === count) break;
  }
  return slots;
}

/** The moment at which the clock shows this time for the first time. If it skips it: when it would have been without the change. */
function momentOf(wall: number, zone: Zone): number {
  // Offsets are less than a day, so these two are on both sides of any change near it.
  const [before, after] = [zone.offsetAt(wall - DAY), zone.offsetAt(wall + DAY)];
  const [first, second] = [wall - before, wall - after];
  return before !== after && zone.offsetAt(first) !== before && zone.offsetAt(second) === after ? second : first;
}
