import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { NOTHING_SAID, type HookRegistration } from "@keelson/protocol";
import { idleNotice } from "./idle-notice.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function notice(events: readonly HookRegistration["event"][]) {
  const fired: unknown[] = [];
  const made = idleNotice({
    fire: async (...said: unknown[]) => {
      fired.push(said);
      return NOTHING_SAID;
    },
    registered: () => events.map((event) => ({ event }) as HookRegistration),
  });
  return { made, fired };
}

test("hooks hear once that the user is waited for, unless a run begins first", () => {
  const { made, fired } = notice(["Notification"]);
  made.wait();
  made.stop();
  jest.advanceTimersByTime(100_000);
  expect(fired).toEqual([]);
  made.wait();
  jest.advanceTimersByTime(200_000);
  expect(fired).toEqual([
    ["Notification", { message: "Keelson is waiting for your input", notification_type: "idle_prompt" }],
  ]);
});

test("without such hooks no timer runs", () => {
  const { made } = notice(["Stop"]);
  made.wait();
  expect(jest.getTimerCount()).toBe(0);
});
