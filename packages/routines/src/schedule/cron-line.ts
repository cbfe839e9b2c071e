// A cron line as people write it: five fields, names of months and weekdays allowed. What is wrong with one is said by field.

import { parseCron, shortestGap, wallTimeAfter, type Cron } from "@keelson/engine/schedule";

/** A line that can be scheduled, or why it cannot; the reason is for the person who typed it. */
export type CronLine =
  { readonly cron: Cron; readonly problem?: undefined } | { readonly cron?: undefined; readonly problem: string };

const HOUR = 60 * 60_000;
export const SHORTEST_GAP = HOUR;
/** What an operator may lower it to. */
export const LEAST_SHORTEST_GAP = 60_000;

const LONGEST = 200;

/** February 29th on a certain weekday comes every 28 years, and after 40 when a century is no leap year. */
export const HORIZON_DAYS = 41 * 366;

/** `from`: any time; the next 500 after it are looked at. */
export function readCronLine(text: string, from: number, shortest = SHORTEST_GAP): CronLine {
  if (text.length > LONGEST) return { problem: "The cron line is too long" };
  const numbers = withoutNames(text);
  const cron = parseCron(numbers);
  if (cron === undefined) return { problem: syntaxProblem(text, numbers) };
  if (wallTimeAfter(cron, from, HORIZON_DAYS) === undefined) return { problem: impossibleProblem(cron) };
  const gap = shortestGap(cron, from, HORIZON_DAYS) ?? Infinity;
  if (gap >= shortest) return { cron };
  return { problem: `Runs would be ${minutes(gap)} apart; the shortest interval is ${minutes(shortest)}` };
}

/** A line that was checked when it was stored. */
export function storedCron(text: string): Cron | undefined {
  return parseCron(withoutNames(text));
}

const minutes = (ms: number) => {
  const count = Math.round(ms / 60_000);
  return count === 1 ? "1 minute" : count === 60 ? "1 hour" : `${count} minutes`;
};

const MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAY_NAMES = "sun mon tue wed thu fri sat".split(" ");

function withoutNames(text: string): string {
  const fields = text.trim().split(/\s+/);
  return fields.map((field, at) => numbersFor(field, at)).join(" ");
}

function numbersFor(field: string, at: number): string {
  const [names, first] = at === 3 ? [MONTH_NAMES, 1] : at === 4 ? [WEEKDAY_NAMES, 0] : [[], 0];
  if (names.length === 0) return field;
  const numbered = field.replace(/[a-z]+/gi, (name) => {
    const index = names.indexOf(name.toLowerCase());
    return index === -1 ? name : String(index + first);
  });
  // "fri-sun": Sunday is also 7.
  return at === 4 ? numbered.replace(/\b([1-6])-0\b/g, "$1-7") : numbered;
}

const FIELDS = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12 },
  { name: "day of the week", min: 0, max: 7 },
] as const;

function syntaxProblem(text: string, numbers: string): string {
  const typed = text.trim() === "" ? [] : text.trim().split(/\s+/);
  if (typed.length !== FIELDS.length) {
    const count = typed.length === 1 ? "1 field" : `${typed.length} fields`;
    return `A cron line has five fields: minute, hour, day of the month, month, day of the week; this one has ${count}`;
  }
  const fields = numbers.split(" ");
  const at = fields.findIndex(
    (field, at) => !parseCron(FIELDS.map((_, other) => (other === at ? field : "*")).join(" ")),
  );
  const { name, min, max } = FIELDS[at]!;
  const shown = typed[at]!.slice(0, 60);
  const outside = fields[at]!.match(/\d+/g)?.find((value) => Number(value) < min || Number(value) > max);
  if (outside !== undefined && /^[\d,*/-]+$/.test(fields[at]!) && !fields[at]!.includes("/"))
    return `The ${name} "${shown}" is not between ${min} and ${max}`;
  return `The ${name} "${shown}" is not valid; use *, numbers from ${min} to ${max}, lists (1,2), ranges (1-5) and steps (*/2)`;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

function impossibleProblem({ months, days }: Cron): string {
  const names = [...months].toSorted((a, b) => a - b).map((month) => MONTHS[month - 1]!);
  const first = Math.min(...days);
  const ordinal = `${first}${first === 31 ? "st" : "th"}`;
  return days.size > 0 && first > 29
    ? `It would never run: ${listed(names, "and")} ${names.length === 1 ? "has" : "have"} no ${ordinal}`
    : "It would never run: no date matches";
}

export function listed(items: readonly string[], word: "and" | "or"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)!}`;
}
