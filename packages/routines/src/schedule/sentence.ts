// A schedule in words: "every weekday at 09:00". Of every line that can be scheduled, also of unusual ones.

import type { Cron } from "@keelson/engine/schedule";
import { listed } from "./cron-line.ts";

export function cronSentence(cron: Cron): string {
  const { words, isRepeated } = timesOfDay(cron);
  const days = whichDays(cron);
  if (!isRepeated) return `${days.every} ${words}`;
  return days.on === "" ? words : `${words}, ${days.on}`;
}

/** More times than these are told by their pattern. */
const MOST_TIMES = 6;

/** `isRepeated`: the words begin with "every". */
function timesOfDay({ minutes, hours }: Cron): { readonly words: string; readonly isRepeated: boolean } {
  const [minute, hour] = [patternOf(minutes)!, patternOf(hours)!];
  const every = everyMinutes(minutes, minute);
  if (every !== undefined && (hours.length > 1 || minutes.length > MOST_TIMES)) {
    if (hours.length === 24) return { words: every, isRepeated: true };
    const within =
      hour.step === 1 || hours.length === 1
        ? ` from ${clock(hour.first, 0)} to ${clock(hour.last, minutes.at(-1)!)}`
        : ` in the hours ${listed(hours.map(String), "and")}`;
    return { words: `${every}${within}`, isRepeated: true };
  }
  if (minutes.length * hours.length <= MOST_TIMES) return { words: atTimes(hours, minutes), isRepeated: false };
  const past = minutes.length === 1 && minute.first === 0 ? "" : `, at ${minutesPast(minutes)} past`;
  if (hours.length === 24) return { words: `every hour${past}`, isRepeated: true };
  if (hour.step !== undefined && hour.first === 0 && hour.last + hour.step === 24)
    return { words: `every ${hour.step} hours${past}`, isRepeated: true };
  if (hour.step === undefined)
    return minutes.length === 1
      ? { words: atTimes(hours, minutes), isRepeated: false }
      : { words: `at ${minutesPast(minutes)} past the hours ${listed(hours.map(String), "and")}`, isRepeated: false };
  const unit = hour.step === 1 ? "every hour" : `every ${hour.step} hours`;
  if (minutes.length > 1)
    return { words: `${unit} from ${hour.first} to ${hour.last}, at ${minutesPast(minutes)} past`, isRepeated: true };
  const [from, to] = [clock(hour.first, minute.first), clock(hour.last, minute.first)];
  return { words: `${unit} from ${from} to ${to}`, isRepeated: true };
}

function everyMinutes(minutes: readonly number[], { first, last, step }: Pattern): string | undefined {
  if (minutes.length === 60) return "every minute";
  const isWhole = step !== undefined && minutes.length > 2 && first === 0 && last + step === 60;
  return isWhole ? `every ${step} minutes` : undefined;
}

const minutesPast = (minutes: readonly number[]) =>
  `${listed(minutes.map(String), "and")} ${minutes.length === 1 && minutes[0] === 1 ? "minute" : "minutes"}`;

const clock = (hour: number, minute: number) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

function atTimes(hours: readonly number[], minutes: readonly number[]): string {
  const times = hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute)));
  return `at ${listed(times, "and")}`;
}

interface Pattern {
  readonly first: number;
  readonly last: number;
  /** Undefined if the distances differ, or there is one value only. */
  readonly step: number | undefined;
}

function patternOf(values: readonly number[]): Pattern | undefined {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const step = values.length > 1 ? values[1]! - first : undefined;
  const isEven = step !== undefined && values.every((value, at) => value === first + at * step);
  return { first, last, step: isEven ? step : undefined };
}

/** For "every Monday at 09:00", and for "every hour, on Mondays", where every day goes without saying. */
function whichDays(cron: Cron): { readonly every: string; readonly on: string } {
  const [days, months] = [inOrder(cron.days), inOrder(cron.months)];
  // The week begins with Monday here.
  const weekdays = inOrder(new Set([...cron.weekdays].map((day) => day || 7)));
  const inMonths = months.length === 12 ? "" : ` in ${monthList(months)}`;
  const ofMonths = months.length === 12 ? "every month" : monthList(months);
  const [isAnyDay, isAnyWeekday] = [days.length === 31, weekdays.length === 7];
  // One of them is enough, and one of them always matches.
  if (cron.isEitherDay && (isAnyDay || isAnyWeekday)) return { every: `every day${inMonths}`, on: inMonths.trim() };
  if (isAnyDay && isAnyWeekday) return { every: `every day${inMonths}`, on: inMonths.trim() };
  const dates = `on the ${listed(spans(days, ordinal), "and")}`;
  if (isAnyWeekday) return same(`${dates} of ${ofMonths}`);
  const { every, on, one } = weekdayWords(weekdays);
  if (isAnyDay) return { every: `${every}${inMonths}`, on: `${on}${inMonths}` };
  if (cron.isEitherDay) return same(`${dates} and ${on} of ${ofMonths}`);
  return same(`${dates} of ${ofMonths} if it is ${one}`);
}

const same = (words: string) => ({ every: words, on: words });
const inOrder = (values: ReadonlySet<number>) => [...values].toSorted((a, b) => a - b);

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

const monthList = (months: readonly number[]) =>
  listed(
    spans(months, (month) => MONTHS[month - 1]!),
    "and",
  );

function weekdayWords(weekdays: readonly number[]): { every: string; on: string; one: string } {
  if (weekdays.join() === "1,2,3,4,5") return { every: "every weekday", on: "on weekdays", one: "a weekday" };
  const names = weekdays.map((day) => WEEKDAYS[day - 1]!);
  return {
    every: `every ${listed(names, "and")}`,
    on: `on ${listed(
      names.map((name) => `${name}s`),
      "and",
    )}`,
    one: `a ${listed(names, "or")}`,
  };
}

/** Three and more in a row are told as a range. */
function spans(values: readonly number[], name: (value: number) => string): string[] {
  const words: string[] = [];
  for (let at = 0; at < values.length;) {
    let end = at;
    while (values[end + 1] === values[end]! + 1) end++;
    if (end - at >= 2) words.push(`${name(values[at]!)} to ${name(values[end]!)}`);
    else for (let each = at; each <= end; each++) words.push(name(values[each]!));
    at = end + 1;
  }
  return words;
}

function ordinal(day: number): string {
  const ending =
    day % 10 === 1 && day !== 11
      ? "st"
      : day % 10 === 2 && day !== 12
        ? "nd"
        : day % 10 === 3 && day !== 13
          ? "rd"
          : "th";
  return `${day}${ending}`;
}
