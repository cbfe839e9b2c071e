import { expect, test } from "bun:test";
import { LEAST_SHORTEST_GAP, readCronLine } from "./cron-line.ts";

const NOW = Date.parse("2026-11-19T12:00:00Z");

test.each([
  ["0 9 * * 1-5"],
  ["0 * * * *"],
  ["7 9,10 29 2 *"],
  ["0 0 29 feb sun"],
  ["0 0 */29 2 1"],
  ["15 23 31 1,3 *"],
  ["0 9 * * FRI-SUN"],
])("'%s' can be scheduled", (line) => {
  expect(readCronLine(line, NOW).problem).toBeUndefined();
});

test.each([
  ["", "A cron line has five fields: minute, hour, day of the month, month, day of the week; this one has 0 fields"],
  [
    "@daily",
    "A cron line has five fields: minute, hour, day of the month, month, day of the week; this one has 1 field",
  ],
  [
    "0 0 9 * * 1",
    "A cron line has five fields: minute, hour, day of the month, month, day of the week; this one has 6 fields",
  ],
  ["0 25 * * *", 'The hour "25" is not between 0 and 23'],
  ["60 9 * * *", 'The minute "60" is not between 0 and 59'],
  ["0 9 32 * *", 'The day of the month "32" is not between 1 and 31'],
  ["0 9 * 0 *", 'The month "0" is not between 1 and 12'],
  ["0 9 * * 8", 'The day of the week "8" is not between 0 and 7'],
  [
    "0 9 * * mo",
    'The day of the week "mo" is not valid; use *, numbers from 0 to 7, lists (1,2), ranges (1-5) and steps (*/2)',
  ],
  [
    "0 mon * * *",
    'The hour "mon" is not valid; use *, numbers from 0 to 23, lists (1,2), ranges (1-5) and steps (*/2)',
  ],
  [
    "5/15 9 * * *",
    'The minute "5/15" is not valid; use *, numbers from 0 to 59, lists (1,2), ranges (1-5) and steps (*/2)',
  ],
  [
    "0 9 L * *",
    'The day of the month "L" is not valid; use *, numbers from 1 to 31, lists (1,2), ranges (1-5) and steps (*/2)',
  ],
  ["0 9 30 2 *", "It would never run: February has no 30th"],
  ["0 9 31 2,4,6 *", "It would never run: February, April and June have no 31st"],
  ["* * * * *", "Runs would be 1 minute apart; the shortest interval is 1 hour"],
  ["0,45 9 * * *", "Runs would be 45 minutes apart; the shortest interval is 1 hour"],
  ["0,59 0,23 * * *", "Runs would be 1 minute apart; the shortest interval is 1 hour"],
  ["0,30 0 29 2 *", "Runs would be 30 minutes apart; the shortest interval is 1 hour"],
  [`${"0,".repeat(100)}0 * * * *`, "The cron line is too long"],
])("'%s': %s", (line, problem) => {
  expect(readCronLine(line, NOW).problem).toBe(problem);
});

test("an operator may allow an interval of a minute", () => {
  expect(readCronLine("* * * * *", NOW, LEAST_SHORTEST_GAP).problem).toBeUndefined();
  expect(readCronLine("*/5 * * * *", NOW, 10 * 60_000).problem).toBe(
    "Runs would be 5 minutes apart; the shortest interval is 10 minutes",
  );
});
