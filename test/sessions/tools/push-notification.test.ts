// PushNotification through the whole program: when it is offered, where a message goes, and what stays out of it.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told, toolUseResults } from "../front-door.ts";

const call = { name: "PushNotification", input: { message: "Tests are green", status: "proactive" } };

async function notify(home: TemporaryHome, input: object = call.input, flags: readonly string[] = []) {
  await using model = await startMockModel([{ calls: [{ ...call, input: input as any }] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], {
    home,
    url: model.url,
    env: { NTFY: "tk_secret" },
  });
  const offered = messagesOf(ended, "system/init")[0].tools.includes("PushNotification");
  return { offered, shown: told(model.requests[1]!)[0].content, output: toolUseResults(ended)[0], ended };
}

test("it is not offered unless the user set it up, and --tools can name it", async () => {
  using home = temporaryHome();
  const { offered, shown } = await notify(home);
  expect([offered, shown]).toEqual([
    false,
    "<tool_use_error>Error: No such tool available: PushNotification. PushNotification exists but is not enabled in this context. Use the tools that are available.</tool_use_error>",
  ]);
  const named = await notify(home, call.input, ["--tools", "PushNotification"]);
  expect([named.offered, named.shown]).toEqual([
    true,
    'Notification not sent: notifications are off; set "agentPushNotifEnabled": true in the user settings',
  ]);
  expect(named.output).toEqual({
    message: "Tests are green",
    disabledReason: 'notifications are off; set "agentPushNotifEnabled": true in the user settings',
  });
});

test("a message goes to the user's program and server, and hooks hear of it", async () => {
  using home = temporaryHome();
  const posted: unknown[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      posted.push([request.headers.get("authorization"), await request.text()]);
      return new Response("ok");
    },
  });
  const program = home.write("~/notify.sh", '#!/bin/sh\ncat >"$HOME/got"\n');
  chmodSync(program, 0o755);
  home.settings({
    notifications: { command: [program], url: `http://127.0.0.1:${server.port}/topic`, tokenVariable: "NTFY" },
    hooks: { Notification: [{ matcher: "agent_push", hooks: [{ type: "command", command: 'cat >"$HOME/hooked"' }] }] },
  });
  const { offered, shown, output, ended } = await notify(home);
  expect([offered, shown]).toEqual([true, "Notification sent"]);
  expect(output).toEqual({
    message: "Tests are green",
    pushSent: true,
    localSent: false,
    sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(readFileSync(join(home.home, "got"), "utf8")).toBe("Tests are green");
  expect(posted).toEqual([["Bearer tk_secret", "Tests are green"]]);
  expect(JSON.parse(readFileSync(join(home.home, "hooked"), "utf8"))).toMatchObject({
    hook_event_name: "Notification",
    message: "Tests are green",
    notification_type: "agent_push",
  });
  expect(ended.stdout + ended.stderr).not.toContain("tk_secret");
  expect(ended.stdout).not.toContain("\x07");
});

test("a long message is refused", async () => {
  using home = temporaryHome();
  home.settings({ agentPushNotifEnabled: true });
  const { shown } = await notify(home, { message: "x".repeat(200), status: "proactive" });
  expect(shown).toContain("InputValidationError");
});

test("a project's settings cannot say where messages go", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", {
    agentPushNotifEnabled: true,
    notifications: { command: ["/bin/sh", "-c", 'echo x >"$HOME/planted"'] },
  });
  expect((await notify(home, call.input, ["--tools", "PushNotification"])).shown).toContain("Notification not sent");
  expect(existsSync(join(home.home, "planted"))).toBe(false);
});
