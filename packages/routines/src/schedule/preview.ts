// What a form shows while a schedule is typed, and what is checked before one is stored.

import type { Trigger } from "../records/trigger.ts";
import { readCronLine, SHORTEST_GAP } from "./cron-line.ts";
import { cronSentence } from "./sentence.ts";
import { slotsOf, type Start, type Zones } from "./trigger-slots.ts";

/** A schedule as it was typed. `id`: of the trigger, if there is one; without it, starts are shown without jitter. */
export interface WantedSchedule extends Partial<Pick<Trigger, "id" | "runOnceAt" | "jitterMs" | "expiresAt">> {
  readonly cron?: string | null;
  readonly zone: string;
}

export type SchedulePreview =
  | {
      readonly problem?: undefined;
      /** "every weekday at 09:00"; undefined for a one-off. */
      readonly sentence: string | undefined;
      readonly starts: readonly Start[];
    }
  | {
      /** Which field is wrong, as the API calls it. */
      readonly field: "cron_expression" | "zone" | "run_once_at" | "jitter_ms" | "expires_at";
      readonly problem: string;
    };

export interface PreviewOptions {
  readonly now: number;
  readonly zones: Zones;
  /** Default: 5. */
  readonly count?: number;
  /** Between two runs. Default: an hour. */
  readonly shortestGap?: number;
}

export function previewSchedule(wanted: WantedSchedule, options: PreviewOptions): SchedulePreview {
  const { now, zones, count = 5, shortestGap = SHORTEST_GAP } = options;
  const { cron = null, zone, runOnceAt = null, jitterMs = null, expiresAt = null } = wanted;
  if (zones(zone) === undefined)
    return {
      field: "zone",
      problem: `"${zone.slice(0, 60)}" is not a time zone; use a name such as Europe/Berlin or UTC`,
    };
  if ((cron === null) === (runOnceAt === null))
    return { field: "cron_expression", problem: "A schedule has either a cron line or a time at which it runs once" };
  if (jitterMs !== null && !(Number.isInteger(jitterMs) && jitterMs >= 0 && jitterMs <= MOST_JITTER))
    return { field: "jitter_ms", problem: `The jitter is not between 0 and ${MOST_JITTER}` };
  if (runOnceAt !== null && !(runOnceAt > now && runOnceAt <= LATEST))
    return { field: "run_once_at", problem: runOnceAt <= now ? "This time is in the past" : "This is not a time" };
  if (expiresAt !== null && !(expiresAt > now)) return { field: "expires_at", problem: "This time is in the past" };
  const line = cron === null ? undefined : readCronLine(cron, now, shortestGap);
  if (line?.problem !== undefined) return { field: "cron_expression", problem: line.problem };
  const starts = startsOf(
    {
      id: wanted.id ?? "",
      cron,
      zone,
      runOnceAt,
      jitterMs: wanted.id === undefined ? 0 : jitterMs,
      expiresAt,
      ranAt: null,
    },
    options,
    count,
  );
  if (starts.length === 0) return { field: "expires_at", problem: "The schedule would expire before its first run" };
  return { sentence: line && cronSentence(line.cron), starts };
}

/** The next starts of a trigger that is stored. */
export function startsOf(
  trigger: Parameters<typeof slotsOf>[0],
  { now, zones }: Pick<PreviewOptions, "now" | "zones">,
  count: number,
): readonly Start[] {
  const slots = slotsOf(trigger, zones);
  const starts: Start[] = [];
  for (let start = slots?.after(now); start !== undefined && starts.length < count; start = slots?.after(start.slotAt))
    starts.push(start);
  return starts;
}

/** Where a trigger begins when it is made, changed, or its routine is enabled again: times before are not made up for. */
export function armed(
  trigger: Parameters<typeof slotsOf>[0],
  options: Pick<PreviewOptions, "now" | "zones">,
): Pick<Trigger, "nextSlot" | "nextAt"> {
  const [start] = startsOf(trigger, options, 1);
  return { nextSlot: start?.slotAt ?? null, nextAt: start?.startAt ?? null };
}

const MOST_JITTER = 30 * 60_000;
const LATEST = Date.UTC(9990, 0);
