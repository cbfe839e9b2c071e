import { expect, test } from "bun:test";
import { matchesDay, parseCron } from "./cron.ts";
import { describeCron } from "./describe.ts";

const spread = (text: string) => {
  const cron = parseCron(text);
  return cron && [cron.minutes, cron.hours, cron.days, cron.months, cron.weekdays].map((values) => [...values].join());
};

test("lists, ranges and steps", () => {
  const day = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31";
  expect(spread("*/15 8-18/5 * 1,6-8 1-5")).toEqual(["0,15,30,45", "8,13,18", day, "1,6,7,8", "1,2,3,4,5"]);
  expect(spread("  5,0   0 1 1 0 ")).toEqual(["0,5", "0", "1", "1", "0"]);
  expect(spread("0 0 * * 7")?.at(-1)).toBe("0");
  expect(spread("0 0 * * 5-7")?.at(-1)).toBe("5,6,0");
  expect(spread("0 0 1 1 *")?.at(-1)).toBe("0,1,2,3,4,5,6");
});

test.each([
  "bad",
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * 32 * *",
  "* * * 13 *",
  "* * * * 8",
  "*/0 * * * *",
  "5/15 * * * *",
  "9-5 * * * *",
  "1,,2 * * * *",
  "-1 * * * *",
  "1.5 * * * *",
  "0x1 * * * *",
  "0 9 * * MON",
  "0 9 * JAN *",
  "@daily",
  "? * * * *",
  "* * L * *",
  `${"0,".repeat(1_000)}0 * * * *`,
])("'%s' is not an expression", (text) => {
  expect(parseCron(text)).toBeUndefined();
});

test("with a day of month and a day of week, one of them is enough; with a star, both have to match", () => {
  const isOn = (text: string, day: number, weekday: number) => matchesDay(parseCron(text)!, day, 1, weekday);
  expect([isOn("0 0 13 * 5", 13, 1), isOn("0 0 13 * 5", 2, 5), isOn("0 0 13 * 5", 2, 1)]).toEqual([true, true, false]);
  expect([isOn("0 0 13 * *", 13, 1), isOn("0 0 13 * *", 2, 5)]).toEqual([true, false]);
  expect([isOn("0 0 * * 5", 13, 1), isOn("0 0 * * 5", 2, 5)]).toEqual([false, true]);
  expect([isOn("0 0 */2 * 5", 3, 5), isOn("0 0 */2 * 5", 2, 5)]).toEqual([true, false]);
});

test.each([
  ["* * * * *", "Every minute"],
  ["*/1 * * * *", "Every minute"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 * * * *", "Every hour"],
  ["7 * * * *", "Every hour at :07"],
  ["0 */2 * * *", "Every 2 hours"],
  ["30 */1 * * *", "Every hour at :30"],
  ["0 9 * * *", "Every day at 9:00 AM"],
  ["5 0 * * *", "Every day at 12:05 AM"],
  ["0 12 * * *", "Every day at 12:00 PM"],
  ["0 9 * * 1-5", "Weekdays at 9:00 AM"],
  ["0 9 * * 0,6", "Weekends at 9:00 AM"],
  ["30 17 * * 7", "Every Sunday at 5:30 PM"],
  ["0 9 1 * *", "Day 1 of every month at 9:00 AM"],
  ["30 14 28 2 *", "Feb 28 at 2:30 PM"],
  ["0 9 * * 1,3", "0 9 * * 1,3"],
  ["0 9 1 * 1", "0 9 1 * 1"],
  ["0,30 9 * * *", "0,30 9 * * *"],
  ["0 9-17 * * *", "0 9-17 * * *"],
  ["0 9 * 1 *", "0 9 * 1 *"],
])("'%s' reads: %s", (text, words) => {
  expect(parseCron(text)).toBeDefined();
  expect(describeCron(text)).toBe(words);
});
