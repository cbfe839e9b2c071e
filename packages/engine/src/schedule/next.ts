// When a cron expression is due next, by the clocks of a zone. Where clocks change: a fixed time that they skip is due at the
// moment of the change, and one that they repeat is due the first time. Jobs with `*` for the minute or the hour are due
// whenever the clock shows a time that matches.

import { matchesDay, type Cron } from "./cron.ts";
import type { Zone } from "./zone.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const YEAR_DAYS = 366;
/** Clocks were never set back by more than this. */
const LONGEST_REPEAT = 25 * 60 * MINUTE;

/** The first moment after `after`; undefined if there is none in the next year. */
export function nextTime(cron: Cron, after: number, zone: Zone): number | undefined {
  let from = after;
  let offset = zone.offsetAt(after);
  let wall = Math.max(after + offset, cron.isRolling ? -Infinity : shownBefore(after, zone));
  for (;;) {
    const next = wallTimeAfter(cron, wall);
    if (next === undefined) return undefined;
    const change = zone.changeIn(from, next - offset);
    if (!change) return next - offset;
    const [last, first] = [change.at + change.before, change.at + change.after];
    if (cron.isRolling) wall = first - 1;
    else if (next < first) return change.at;
    else wall = Math.max(first, last) - 1;
    from = change.at;
    offset = change.after;
  }
}

/** If the clocks were set back lately: the latest time that they have shown. */
function shownBefore(after: number, zone: Zone): number {
  const change = zone.changeIn(after - LONGEST_REPEAT, after);
  return change ? change.at + change.before - 1 : -Infinity;
}

/** The first time that matches after this one, in so many days. Here, times are what a clock shows, as if it were UTC. */
export function wallTimeAfter(cron: Cron, after: number, days = YEAR_DAYS): number | undefined {
  const today = Math.floor(after / DAY);
  for (let day = today; day <= today + days; day++) {
    const date = new Date(day * DAY);
    if (!matchesDay(cron, date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay())) continue;
    const minute = minuteAfter(cron, Math.floor((after - day * DAY) / MINUTE));
    if (minute !== undefined) return day * DAY + minute * MINUTE;
  }
  return undefined;
}

/** Enough to meet every gap of a weekly pattern, at one time an hour. */
const TIMES_WALKED = 500;

/**
 * The shortest time between two of the next times, clock changes aside, which no one chose. Infinite if there is one time
 * only, undefined if there is none, in so many days.
 */
export function shortestGap(cron: Cron, now: number, days = YEAR_DAYS): number | undefined {
  let last = wallTimeAfter(cron, now, days);
  if (last === undefined) return undefined;
  let shortest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < TIMES_WALKED; count++) {
    const next = wallTimeAfter(cron, last, days);
    if (next === undefined) break;
    shortest = Math.min(shortest, next - last);
    // What is rare has been seen as often as it differs: 500 leap days would be two thousand years.
    if (next - now > days * DAY) break;
    last = next;
  }
  return shortest;
}

/** Both are minutes of a day. */
function minuteAfter({ hours, minutes }: Cron, after: number): number | undefined {
  const hour = hours.find((each) => each * 60 + minutes.at(-1)! > after);
  return hour === undefined ? undefined : hour * 60 + minutes.find((each) => hour * 60 + each > after)!;
}
