// A flood of requests over one pipe, in an order no one chose, with prompts and interrupts among them.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt } from "../../sessions/front-door.ts";

const REQUESTS: readonly object[] = [
  { subtype: "mcp_status" },
  { subtype: "set_permission_mode", mode: "acceptEdits" },
  { subtype: "no_such" },
  { subtype: "get_task_output", task_id: "x" },
  { subtype: "list_permission_rules" },
  { subtype: "stop_task", task_id: "x" },
  { subtype: "set_model", model: "claude-haiku-4-5" },
  { subtype: "get_session_cost" },
  { subtype: "initialize" },
  { subtype: "interrupt", cancel_queued: false },
  { subtype: "get_context_usage" },
  { subtype: "set_max_thinking_tokens", max_thinking_tokens: 1000 },
];
const COUNT = 10_000;

test("ten thousand requests over the pipe, among them prompts: each is answered once", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "fine" }));
  const kinds = fc.sample(fc.array(fc.nat(REQUESTS.length - 1), { minLength: COUNT, maxLength: COUNT }), {
    numRuns: 1,
    seed: 5,
  })[0]!;
  const stdin: object[] = kinds.map((kind, number) => control(`r${number}`, REQUESTS[kind]!));
  stdin.splice(3_000, 0, prompt("first"));
  stdin.splice(7_000, 0, prompt("second"));

  const ended = await runKeelson(CHAT, { home, url: model.url, stdin });

  const ids = messagesOf(ended, "control_response").map(({ response }) => response.request_id);
  expect(ids.length).toBe(COUNT);
  expect(new Set(ids).size).toBe(COUNT);
  expect(messagesOf(ended, "result").length).toBe(2);
});
