import { expect, test } from "bun:test";
import { createZone } from "@keelson/engine/schedule";
import { storedCron } from "./cron-line.ts";
import { slotsAfter } from "./slots.ts";

const MINUTE = 60_000;

/** The next slots as a clock of the zone and its distance from UTC show them. */
function slots(line: string, zoneName: string, from: string, count: number): string[] {
  const zone = createZone(zoneName);
  return slotsAfter(storedCron(line)!, Date.parse(from), zone, count).map((slot) => {
    const offset = zone.offsetAt(slot) / MINUTE;
    return `${new Date(slot + offset * MINUTE).toISOString().slice(0, 16)} ${offset >= 0 ? "+" : ""}${offset}`;
  });
}

test.each<[string, string, string, string, string[]]>([
  // Berlin: 2:00 becomes 3:00 on March 29th, 3:00 becomes 2:00 on October 25th, 2026.
  [
    "a time that is skipped is due an hour later",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-03-28T00:00Z",
    ["2026-03-28T02:30 +60", "2026-03-29T03:30 +120", "2026-03-30T02:30 +120"],
  ],
  [
    "each of two that are skipped",
    "15,45 2 * * *",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    ["2026-03-29T03:15 +120", "2026-03-29T03:45 +120", "2026-03-30T02:15 +120"],
  ],
  [
    "also when asked after the change",
    "15,45 2 * * *",
    "Europe/Berlin",
    "2026-03-29T01:15Z",
    ["2026-03-29T03:45 +120", "2026-03-30T02:15 +120"],
  ],
  [
    "one that coincides with the next is due once",
    "0 2,3 * * *",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    ["2026-03-29T03:00 +120", "2026-03-30T02:00 +120"],
  ],
  [
    "every two hours from midnight",
    "0 */2 * * *",
    "Europe/Berlin",
    "2026-03-28T22:30Z",
    ["2026-03-29T00:00 +60", "2026-03-29T03:00 +120", "2026-03-29T04:00 +120"],
  ],
  [
    "a time that is repeated is due the first time",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T12:00Z",
    ["2026-10-25T02:30 +120", "2026-10-26T02:30 +60"],
  ],
  ["also when asked in between", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:45Z", ["2026-10-26T02:30 +60"]],
  [
    "an hour that is repeated counts once",
    "0 * * * *",
    "Europe/Berlin",
    "2026-10-24T23:30Z",
    ["2026-10-25T02:00 +120", "2026-10-25T03:00 +60", "2026-10-25T04:00 +60"],
  ],
  [
    "a time of day stays when the offset changes",
    "0 9 * * *",
    "Europe/Berlin",
    "2026-10-24T00:00Z",
    ["2026-10-24T09:00 +120", "2026-10-25T09:00 +60"],
  ],
  // Lord Howe changes by half an hour: 2:00 becomes 2:30 on October 4th, 2:00 becomes 1:30 on April 5th, 2026.
  [
    "half an hour is skipped, and another time is due before the one that moved",
    "15,40 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-03T00:00Z",
    ["2026-10-04T02:40 +660", "2026-10-04T02:45 +660", "2026-10-05T02:15 +660"],
  ],
  [
    "half an hour is repeated",
    "45 1 * * *",
    "Australia/Lord_Howe",
    "2026-04-04T00:00Z",
    ["2026-04-05T01:45 +660", "2026-04-06T01:45 +630"],
  ],
  // Apia went to the other side of the date line: December 30th, 2011, did not exist.
  [
    "the times of a day that is skipped coincide with those of the next",
    "0 9 * * *",
    "Pacific/Apia",
    "2011-12-29T12:00Z",
    ["2011-12-29T09:00 -600", "2011-12-31T09:00 +840", "2012-01-01T09:00 +840"],
  ],
  [
    "a Friday that is skipped is the Saturday after it",
    "30 17 * * 5",
    "Pacific/Apia",
    "2011-12-29T12:00Z",
    ["2011-12-31T17:30 +840", "2012-01-06T17:30 +840"],
  ],
  // Casablanca is an hour back during Ramadan: 3:00 becomes 2:00 on February 15th, 2026, and 2:00 becomes 3:00 on March 22nd.
  [
    "Ramadan",
    "30 2 * * 0",
    "Africa/Casablanca",
    "2026-02-14T12:00Z",
    [
      "2026-02-15T02:30 +60",
      "2026-02-22T02:30 +0",
      "2026-03-01T02:30 +0",
      "2026-03-08T02:30 +0",
      "2026-03-15T02:30 +0",
      "2026-03-22T03:30 +60",
    ],
  ],
  // Havana goes back over midnight's hour: 1:00 becomes 0:00.
  [
    "midnight is repeated",
    "30 0 * * *",
    "America/Havana",
    "2026-10-31T12:00Z",
    ["2026-11-01T00:30 -240", "2026-11-02T00:30 -300"],
  ],
  [
    "a weekday or a day of the month",
    "0 0 13 * 5",
    "UTC",
    "2026-02-08T00:00Z",
    ["2026-02-13T00:00 +0", "2026-02-20T00:00 +0", "2026-02-27T00:00 +0", "2026-03-06T00:00 +0", "2026-03-13T00:00 +0"],
  ],
  ["leap days", "0 0 29 2 *", "UTC", "2026-11-16T00:00Z", ["2028-02-29T00:00 +0", "2032-02-29T00:00 +0"]],
  ["a century without one", "0 12 29 feb *", "Europe/Berlin", "2096-03-01T00:00Z", ["2104-02-29T12:00 +60"]],
  ["names", "0 9 * jan-feb mon,Wed", "UTC", "2026-12-20T00:00Z", ["2027-01-04T09:00 +0", "2027-01-06T09:00 +0"]],
  ["no such date", "0 0 30 2 *", "UTC", "2026-01-01T00:00Z", []],
])("%s ('%s', %s)", (_, line, zone, from, expected) => {
  expect(slots(line, zone, from, Math.max(1, expected.length))).toEqual(expected);
});
