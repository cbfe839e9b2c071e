// When a job fires. Its times are spread, so that many sessions do not ask the model at once; the spread depends on the id
// alone. A recurring job fires once for everything it missed, and for the last time when it is seven days old.

import { parseCron, type Cron } from "./cron.ts";
import { nextTime } from "./next.ts";
import type { Zone } from "./zone.ts";

export interface Schedule {
  readonly id: string;
  readonly cron: string;
  readonly recurring: boolean;
  /** Times before it do not count. */
  readonly createdAt: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MOST_LATE = 30 * MINUTE;
const MOST_EARLY = 90_000;
/** Times outside of these are no one's: Intl and Date have no good words for them. */
const [EARLIEST, LATEST] = [0, Date.UTC(9990, 0)];
const LIFETIME = 7 * 24 * HOUR;

/**
 * The first firing for a time after `after`; undefined if there is none in the next year. One that was missed is in the
 * past. Of a job that fires once, always its only one.
 */
export function firingAfter(schedule: Schedule, after: number, zone: Zone): number | undefined {
  const cron = parseCron(schedule.cron);
  const from = Math.max(after, schedule.createdAt);
  if (!cron || !(schedule.createdAt >= EARLIEST && from <= LATEST)) return undefined;
  if (!schedule.recurring) return onlyFiring(schedule, cron, zone);
  const time = nextTime(cron, from, zone);
  return time === undefined ? undefined : time + lateness(schedule.id, cron, time, zone);
}

/**
 * The same for a job that no one watched since `since`: the firing that was still to come then. What was due before has
 * been fired.
 */
export function firingSince(schedule: Schedule, since: number, zone: Zone): number | undefined {
  for (let after = since - MOST_LATE; ;) {
    const firing = firingAfter(schedule, after, zone);
    if (firing === undefined || firing > since || !schedule.recurring) return firing;
    // It fired in time, and no other time passed until then.
    after = firing;
  }
}

/** What comes after a firing at `now`; undefined if the job is over. */
export function firingAfterThis(schedule: Schedule, now: number, zone: Zone): number | undefined {
  return !schedule.recurring || isExpired(schedule, now) ? undefined : firingAfter(schedule, now, zone);
}

/** Whether a recurring job is too old to continue. */
export function isExpired({ recurring, createdAt }: Schedule, now: number): boolean {
  return recurring && now - createdAt >= LIFETIME;
}

/** Up to half an hour; of a job that runs more than once an hour, up to half of the time until it runs again. */
function lateness(id: string, cron: Cron, time: number, zone: Zone): number {
  const interval = (nextTime(cron, time, zone) ?? Infinity) - time;
  return Math.floor(fractionOf(id) * (interval < HOUR ? interval / 2 : MOST_LATE));
}

/** Full and half hours are when everyone asks. Never before half of the wait is over. */
function onlyFiring({ id, createdAt }: Schedule, cron: Cron, zone: Zone): number | undefined {
  const time = nextTime(cron, createdAt, zone);
  if (time === undefined) return undefined;
  const minute = ((time + zone.offsetAt(time)) / MINUTE) % 30;
  return minute === 0 ? time - Math.floor(fractionOf(id) * Math.min(MOST_EARLY, (time - createdAt) / 2)) : time;
}

/** From 0 to 1, the same for the same id everywhere. */
export function fractionOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  // Mixed once more: the ids of one file may differ in the last character only.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0x1_0000_0000;
}
