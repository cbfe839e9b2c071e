// One job from its creation to its firing, by the clock on the wall. Takes up to a minute, in which nothing works.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, messagesOf, prompt } from "../front-door.ts";

const MINUTE = 60_000;
/** Enough for the program to start and to create the job. */
const START_MS = 15_000;

test("a job fires in the session that created it, when its minute comes", async () => {
  using home = temporaryHome();
  const due = Math.ceil((Date.now() + START_MS) / MINUTE) * MINUTE;
  const at = new Date(due);
  const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
  await using model = await startMockModel([
    { calls: [{ name: "CronCreate", input: { cron, prompt: "It is time", recurring: false } }] },
    { text: "Scheduled" },
    { text: "On it" },
  ]);
  await using running = startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open", env: { TZ: "UTC" } });
  running.send(prompt("Remind me"));
  const first = await running.waitForLine(({ type }) => type === "result");
  await running.waitForLine(({ type }) => type === "result", { after: first });
  const now = Date.now();
  running.closeStdin();
  const ended = await running.done;

  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["Scheduled", "On it"]);
  expect(messagesOf(ended, "user").at(-1)).toMatchObject({ message: { content: "It is time" }, isSynthetic: true });
  // Early by at most 90 seconds at a full or half hour, otherwise never.
  expect(now).toBeGreaterThanOrEqual(at.getUTCMinutes() % 30 === 0 ? due - 90_000 : due);
});
