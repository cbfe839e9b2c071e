import { expect, test } from "bun:test";
import { storedCron } from "./cron-line.ts";
import { cronSentence } from "./sentence.ts";

test.each([
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["0,30 * * * *", "every hour, at 0 and 30 minutes past"],
  ["0 * * * *", "every hour"],
  ["7 * * * *", "every hour, at 7 minutes past"],
  ["1 */2 * * *", "every 2 hours, at 1 minute past"],
  ["0 */2 * * *", "every 2 hours"],
  ["0 */6 * * *", "every day at 00:00, 06:00, 12:00 and 18:00"],
  ["0 9 * * *", "every day at 09:00"],
  ["5 0 * * *", "every day at 00:05"],
  ["0 9 * * 1-5", "every weekday at 09:00"],
  ["0 9 * * mon-fri", "every weekday at 09:00"],
  ["30 17 * * 7", "every Sunday at 17:30"],
  ["0 9,17 * * 0,1,6", "every Monday, Saturday and Sunday at 09:00 and 17:00"],
  ["0 9 1 * *", "on the 1st of every month at 09:00"],
  ["0 9 1,15,22,23 * *", "on the 1st, 15th, 22nd and 23rd of every month at 09:00"],
  ["0 9 1-7,11 * *", "on the 1st to 7th and 11th of every month at 09:00"],
  ["30 14 29 2 *", "on the 29th of February at 14:30"],
  ["0 0 13 * 5", "on the 13th and on Fridays of every month at 00:00"],
  [
    "0 0 */2 * 5",
    "on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st of every month if it is a Friday at 00:00",
  ],
  ["0 9 * 6-8 1", "every Monday in June to August at 09:00"],
  ["0 9 * 1,3 *", "every day in January and March at 09:00"],
  ["0 9-17 * * 1-5", "every hour from 09:00 to 17:00, on weekdays"],
  ["20 8-20/2 * * *", "every 2 hours from 08:20 to 20:20"],
  ["*/10 9-17 * * 1,3", "every 10 minutes from 09:00 to 17:50, on Mondays and Wednesdays"],
  ["*/10 1,5,6 * * *", "every 10 minutes in the hours 1, 5 and 6"],
  ["* 3 * * *", "every minute from 03:00 to 03:59"],
  ["5,50 9-17 * * *", "every hour from 9 to 17, at 5 and 50 minutes past"],
  ["5,50 1,2,4,8,9 * * *", "every day at 5 and 50 minutes past the hours 1, 2, 4, 8 and 9"],
  ["0 1,2,4,8,9,11,20 * 5 *", "every day in May at 01:00, 02:00, 04:00, 08:00, 09:00, 11:00 and 20:00"],
  ["0 0 1-31 * 5", "every day at 00:00"],
])("'%s' reads: %s", (line, words) => {
  expect(cronSentence(storedCron(line)!)).toBe(words);
});
