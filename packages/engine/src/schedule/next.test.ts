import { expect, test } from "bun:test";
import { matchesDay, parseCron, type Cron } from "./cron.ts";
import { nextTime, shortestGap } from "./next.ts";
import { createZone } from "./zone.ts";

const MINUTE = 60_000;

/** The next times as a clock of the zone and its distance from UTC show them. */
function times(cron: string, zoneName: string, from: string, count: number): string[] {
  const zone = createZone(zoneName);
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < count;) {
    const next = nextTime(parseCron(cron)!, at, zone);
    if (next === undefined) return [...found, "never"];
    const offset = zone.offsetAt(next) / MINUTE;
    found.push(`${new Date(next + offset * MINUTE).toISOString().slice(5, 16)} ${offset >= 0 ? "+" : ""}${offset}`);
    at = next;
  }
  return found;
}

const TABLE: readonly [string, string, string, string, string[]][] = [
  // Berlin: 2:00 becomes 3:00 on March 29th, 3:00 becomes 2:00 on October 25th, 2026.
  [
    "a time that is skipped is due when the clocks change",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-03-27T12:00Z",
    ["03-28T02:30 +60", "03-29T03:00 +120", "03-30T02:30 +120"],
  ],
  [
    "two that are skipped are due once",
    "15,45 2 * * *",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    ["03-29T03:00 +120", "03-30T02:15 +120"],
  ],
  [
    "one that is skipped coincides with the next",
    "0 2,3 * * *",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    ["03-29T03:00 +120", "03-30T02:00 +120"],
  ],
  [
    "a time that is repeated is due the first time",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T12:00Z",
    ["10-25T02:30 +120", "10-26T02:30 +60"],
  ],
  ["also when asked in between", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:45Z", ["10-26T02:30 +60"]],
  [
    "every half hour goes on in spring",
    "*/30 * * * *",
    "Europe/Berlin",
    "2026-03-29T00:10Z",
    ["03-29T01:30 +60", "03-29T03:00 +120", "03-29T03:30 +120"],
  ],
  [
    "and in autumn",
    "*/30 * * * *",
    "Europe/Berlin",
    "2026-10-25T00:10Z",
    ["10-25T02:30 +120", "10-25T02:00 +60", "10-25T02:30 +60", "10-25T03:00 +60"],
  ],
  [
    "every hour is due in both of the hours",
    "0 * * * *",
    "Europe/Berlin",
    "2026-10-24T23:10Z",
    ["10-25T02:00 +120", "10-25T02:00 +60", "10-25T03:00 +60"],
  ],
  [
    "a time of day stays when the offset changes",
    "0 9 * * *",
    "Europe/Berlin",
    "2026-10-24T00:00Z",
    ["10-24T09:00 +120", "10-25T09:00 +60"],
  ],
  // New York: March 8th and November 1st, 2026.
  ["New York, spring", "30 2 8 3 *", "America/New_York", "2026-01-01T00:00Z", ["03-08T03:00 -240"]],
  ["New York, autumn", "30 1 * * *", "America/New_York", "2026-10-31T12:00Z", ["11-01T01:30 -240", "11-02T01:30 -300"]],
  [
    "New York, every 15 minutes in autumn",
    "*/15 * * * *",
    "America/New_York",
    "2026-11-01T05:31Z",
    ["11-01T01:45 -240", "11-01T01:00 -300", "11-01T01:15 -300"],
  ],
  // Lord Howe changes by half an hour: 2:00 becomes 2:30 on October 4th, 2:00 becomes 1:30 on April 5th, 2026.
  [
    "half an hour is skipped",
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-03T00:00Z",
    ["10-04T02:30 +660", "10-05T02:15 +660"],
  ],
  ["the other half is not", "45 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z", ["10-04T02:45 +660"]],
  [
    "half an hour is repeated",
    "45 1 * * *",
    "Australia/Lord_Howe",
    "2026-04-04T00:00Z",
    ["04-05T01:45 +660", "04-06T01:45 +630"],
  ],
  [
    "every 30 minutes over half an hour",
    "*/30 * * * *",
    "Australia/Lord_Howe",
    "2026-04-04T14:25Z",
    ["04-05T01:30 +660", "04-05T01:30 +630", "04-05T02:00 +630"],
  ],
  // Apia went to the other side of the date line: December 30th, 2011, did not exist.
  [
    "a day that is skipped",
    "0 9 * * *",
    "Pacific/Apia",
    "2011-12-29T12:00Z",
    ["12-29T09:00 -600", "12-31T00:00 +840", "12-31T09:00 +840"],
  ],
  [
    "every hour has no such day",
    "0 * * * *",
    "Pacific/Apia",
    "2011-12-30T08:30Z",
    ["12-29T23:00 -600", "12-31T00:00 +840"],
  ],
  // Havana goes back over midnight's hour: 1:00 becomes 0:00; Cairo used to go back from midnight to 23:00.
  [
    "midnight is repeated",
    "30 0 * * *",
    "America/Havana",
    "2026-10-31T12:00Z",
    ["11-01T00:30 -240", "11-02T00:30 -300"],
  ],
  [
    "the last hour of a day is repeated",
    "30 23 * * *",
    "Africa/Cairo",
    "2026-10-29T12:00Z",
    ["10-29T23:30 +180", "10-30T23:30 +120"],
  ],
  ["UTC knows no change", "30 2 * * *", "UTC", "2026-03-28T12:00Z", ["03-29T02:30 +0", "03-30T02:30 +0"]],
  ["the minute itself is over", "30 2 * * *", "UTC", "2026-03-28T02:30Z", ["03-29T02:30 +0"]],
  [
    "a weekday or a day of the month",
    "0 0 13 * 5",
    "UTC",
    "2026-02-08T00:00Z",
    ["02-13T00:00 +0", "02-20T00:00 +0", "02-27T00:00 +0", "03-06T00:00 +0", "03-13T00:00 +0"],
  ],
  ["the end of a year", "0 0 1 1 *", "Europe/Berlin", "2026-12-31T22:59Z", ["01-01T00:00 +60", "01-01T00:00 +60"]],
  ["February 31st", "0 0 31 2 *", "Europe/Berlin", "2026-01-01T00:00Z", ["never"]],
  ["February 29th, two years ahead", "0 0 29 2 *", "UTC", "2026-11-16T00:00Z", ["never"]],
  ["February 29th, within a year", "0 0 29 2 *", "UTC", "2027-11-16T00:00Z", ["02-29T00:00 +0", "never"]],
];

test.each(TABLE)("%s ('%s', %s)", (_, cron, zone, from, expected) => {
  expect(times(cron, zone, from, expected.length)).toEqual(expected);
});

/** Walks minute by minute and looks at the clock, as cron does. Knows nothing of how `nextTime` works. */
function walk(cron: Cron, from: number, to: number, wallAt: (utc: number) => number): number[] {
  const shows = (wall: number) => {
    const at = new Date(wall);
    const isOnDay = matchesDay(cron, at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay());
    return isOnDay && cron.hours.includes(at.getUTCHours()) && cron.minutes.includes(at.getUTCMinutes());
  };
  const found: number[] = [];
  // Starts early, to know what the clock has shown already.
  const start = from - 26 * 60 * MINUTE;
  let latest = wallAt(start - MINUTE);
  for (let utc = start; utc <= to; utc += MINUTE) {
    const wall = wallAt(utc);
    let isDue = cron.isRolling ? shows(wall) : wall > latest && shows(wall);
    if (!cron.isRolling)
      for (let skipped = latest + MINUTE; skipped < wall; skipped += MINUTE) isDue ||= shows(skipped);
    if (isDue && utc > from) found.push(utc);
    latest = Math.max(latest, wall);
  }
  return found;
}

/** What the clock shows, asked of Intl for every minute of the days around `day`. */
function clockOf(zone: string, day: number, days: number): (utc: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  const shown = new Map<number, number>();
  const [from, to] = [day - (days + 2) * 24 * 60 * MINUTE, day + (days + 2) * 24 * 60 * MINUTE];
  for (let utc = from; utc <= to; utc += MINUTE) shown.set(utc, Date.parse(`${format.format(utc).replace(" ", "T")}Z`));
  return (utc) => shown.get(utc)!;
}

const CHANGES: readonly [string, string][] = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-10-03"],
  ["Australia/Lord_Howe", "2026-04-04"],
  ["Pacific/Apia", "2011-12-30"],
  ["America/Havana", "2026-11-01"],
  ["America/Santiago", "2026-09-06"],
  ["Africa/Cairo", "2026-10-30"],
  // A minute after midnight.
  ["America/St_Johns", "2006-10-29"],
  ["Asia/Kathmandu", "2026-06-01"],
  ["UTC", "2026-06-01"],
];

/** The same sequence in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * sides);
  };
}

function anyCron(roll: (sides: number) => number): string {
  const field = (min: number, max: number, stars: number) => {
    const value = () => min + roll(max - min + 1);
    const [one, other] = [value(), value()].toSorted((a, b) => a - b);
    if (roll(10) < stars) return "*";
    return [`*/${1 + roll(12)}`, `${one}`, `${one},${other}`, `${one}-${other}`, `${one}-${other}/${1 + roll(9)}`][
      roll(5)
    ]!;
  };
  return [field(0, 59, 2), field(0, 23, 4), field(1, 31, 7), field(1, 12, 9), field(0, 7, 7)].join(" ");
}

test.each(CHANGES)("nextTime() finds what a walk by the minute finds (%s around %s)", (name, date) => {
  const roll = dice(name.length * 7_919 + Number(date.replaceAll("-", "")));
  const day = Date.parse(`${date}T00:00Z`);
  const [from, to] = [day - 2 * 24 * 60 * MINUTE, day + 2 * 24 * 60 * MINUTE];
  const clock = clockOf(name, day, 2);
  const zone = createZone(name);
  for (let round = 0; round < 60; round++) {
    const text = anyCron(roll);
    const cron = parseCron(text)!;
    const found: number[] = [];
    for (let at = nextTime(cron, from, zone); at !== undefined && at <= to; at = nextTime(cron, at, zone))
      found.push(at);
    expect({ text, found }).toEqual({ text, found: walk(cron, from, to, clock) });
  }
});

test("the shortest gap of a rare day takes no longer than its horizon, so that nobody keeps a server busy with it", () => {
  class Months extends Set<number> {
    asked = 0;
    override has(month: number): boolean {
      this.asked++;
      return super.has(month);
    }
  }
  const [now, years] = [Date.UTC(2026, 0, 1), 41 * 366];
  const gapOf = (line: string) => {
    const cron = parseCron(line)!;
    const months = new Months(cron.months);
    return { gap: shortestGap({ ...cron, months }, now, years), isShort: months.asked < 3 * years };
  };
  const hours = (count: number) => ({ gap: count * 60 * 60_000, isShort: true });
  expect(gapOf("0 0 29 2 */6")).toEqual(hours(24 * 365.25 * 12));
  // On two days in a row, which is once in 28 years.
  expect(gapOf("0 0,23 28,29 2 */6")).toEqual(hours(1));
  expect(gapOf("0 0 1 1 *")).toEqual(hours(24 * 365));
  expect(gapOf("0 */4 * * *")).toEqual(hours(4));
});
