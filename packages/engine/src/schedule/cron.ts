// Cron expressions of five fields: minute, hour, day of month, month, day of week. Numbers only, as the model is told.

import type { Zone } from "./zone.ts";

export interface Cron {
  /** In order. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** The minute or the hour starts with `*`. Such a job follows the clock on the wall; others are for a fixed time. */
  readonly isRolling: boolean;
  /** The day of month and the day of week are both given: one of them has to match, as in cron. */
  readonly isEitherDay: boolean;
}

const FIELDS = [
  { name: "minutes", min: 0, max: 59 },
  { name: "hours", min: 0, max: 23 },
  { name: "days", min: 1, max: 31 },
  { name: "months", min: 1, max: 12 },
  { name: "weekdays", min: 0, max: 7 },
] as const;

/** Longer than any useful expression; a list may repeat itself. */
const LONGEST = 1_000;

/** Undefined if it is not one. */
export function parseCron(text: string): Cron | undefined {
  if (text.length > LONGEST) return undefined;
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) return undefined;
  const sets = fields.map((field, at) => parseField(field, FIELDS[at]!));
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  if (weekdays.delete(7)) weekdays.add(0);
  const [inMinute, inHour, inDay, , inWeekday] = fields.map((field) => field.startsWith("*"));
  return {
    minutes: inOrder(minutes),
    hours: inOrder(hours),
    days,
    months,
    weekdays,
    isRolling: inMinute === true || inHour === true,
    isEitherDay: !inDay && !inWeekday,
  };
}

const inOrder = (values: ReadonlySet<number>) => [...values].toSorted((a, b) => a - b);

/** The texts are those of the reference. */
export const invalidCron = (text: string) => `Invalid cron expression '${text}'. Expected 5 fields: M H DoM Mon DoW.`;
export const impossibleCron = (text: string) =>
  `Cron expression '${text}' does not match any calendar date in the next year.`;

/** The expression for this minute, on the clocks of the zone. */
export function cronOf(moment: number, zone: Zone): string {
  const local = new Date(moment + zone.offsetAt(moment));
  return `${local.getUTCMinutes()} ${local.getUTCHours()} ${local.getUTCDate()} ${local.getUTCMonth() + 1} *`;
}

/** Whether a job runs on this day at all. `weekday` is 0 for Sunday. */
export function matchesDay(cron: Cron, day: number, month: number, weekday: number): boolean {
  if (!cron.months.has(month)) return false;
  const [inMonth, inWeek] = [cron.days.has(day), cron.weekdays.has(weekday)];
  return cron.isEitherDay ? inMonth || inWeek : inMonth && inWeek;
}

const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

function parseField(field: string, { min, max }: { min: number; max: number }): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const found = PART.exec(part);
    if (!found) return undefined;
    const [, start, end, every] = found;
    // A step needs a range: cron knows no `5/15`.
    if (every !== undefined && start !== undefined && end === undefined) return undefined;
    const from = start === undefined ? min : Number(start);
    const to = start === undefined ? max : Number(end ?? start);
    const step = Number(every ?? 1);
    if (from < min || to > max || from > to || step === 0) return undefined;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}
