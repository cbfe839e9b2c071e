// Entry point for schedules. A session without jobs does not load it.

export { cronOf, impossibleCron, invalidCron, parseCron, type Cron } from "./cron.ts";
export { describeCron } from "./describe.ts";
export { DueQueue } from "./due-queue.ts";
export { firingAfter, firingAfterThis, firingSince, fractionOf, isExpired, type Schedule } from "./firing.ts";
export { nextTime, shortestGap, wallTimeAfter } from "./next.ts";
export { createZone, type Zone } from "./zone.ts";
