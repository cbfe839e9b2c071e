import { expect, test } from "bun:test";
import { createPrograms } from "@keelson/host/programs";
import { createNotifier, type NotifierParts } from "./notifier.ts";

const signal = new AbortController().signal;

function world(settings: object) {
  const written: string[] = [];
  const fired: unknown[] = [];
  const clock = { time: 1_000_000 };
  const parts: NotifierParts = {
    snapshot: () => ({ settings, env: {}, childEnv: { TERM: "xterm" } }) as never,
    project: "/project",
    terminal: { isTTY: true, write: (text) => written.push(text) },
    programs: () => createPrograms("/usr/bin:/bin"),
    fire: async (event, input) => void fired.push([event, input]),
    now: () => clock.time,
  };
  return { notifier: createNotifier(parts), written, fired, clock };
}

test("notifications are off by default, and the reason names the setting", async () => {
  for (const settings of [{}, { agentPushNotifEnabled: false, notifications: { desktop: true } }]) {
    const { notifier, written, fired } = world(settings);
    expect(await notifier.send("hello", signal)).toEqual({
      disabledReason: 'notifications are off; set "agentPushNotifEnabled": true in the user settings',
    });
    expect([written, fired]).toEqual([[], []]);
  }
});

test("the terminal and Notification hooks are told", async () => {
  const { notifier, written, fired } = world({ agentPushNotifEnabled: true });
  expect(await notifier.send("hello", signal)).toEqual({
    pushSent: false,
    localSent: true,
    sentAt: "1970-01-01T00:16:40.000Z",
  });
  expect(written).toEqual(["\x07"]);
  expect(fired).toEqual([["Notification", { message: "hello", title: "Keelson", notification_type: "agent_push" }]]);
});

test("what failed is named", async () => {
  const { notifier } = world({
    preferredNotifChannel: "notifications_disabled",
    notifications: { command: ["/nowhere/at/all"], url: "gopher://x" },
  });
  expect(await notifier.send("hello", signal)).toEqual({
    pushSent: false,
    localSent: false,
    disabledReason:
      'notifications.url: The address is not an http or https URL; notifications.command: "/nowhere/at/all" was not found',
  });
});

test("there is a limit, which time lifts", async () => {
  const { notifier, clock } = world({ agentPushNotifEnabled: true });
  for (let count = 0; count < 30; count++) expect((await notifier.send("x", signal)).localSent).toBe(true);
  expect(await notifier.send("x", signal)).toEqual({
    disabledReason: "30 notifications were sent within an hour, which is the limit",
  });
  clock.time += 3_600_000;
  expect((await notifier.send("x", signal)).localSent).toBe(true);
});
