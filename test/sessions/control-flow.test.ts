// Control requests while a run goes on, and at the end of a session.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readTranscript, runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, told } from "./front-door.ts";

const replyTo = (id: string) => (line: any) => line.response?.request_id === id;
const forever = new Promise<never>(() => undefined);
const ID = "11111111-2222-4333-8444-555555555555";
const OTHER = "22222222-2222-4333-8444-555555555555";

test("a prompt that waits can be taken back, and leaves no trace in the conversation", async () => {
  using home = temporaryHome();
  const go = Promise.withResolvers<void>();
  await using model = await startMockModel([
    { text: ["one", " more"], hold: go.promise, holdAfter: "first_delta" },
    { text: "third" },
  ]);
  await using program = startKeelson([...CHAT, "--include-partial-messages"], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  await program.waitForLine(({ event }) => event?.type === "content_block_delta");
  program.send(prompt("second", { uuid: ID }));
  program.send(prompt("third"));
  program.send(control("r1", { subtype: "cancel_async_message", message_uuid: ID }));
  program.send(control("r2", { subtype: "cancel_async_message", message_uuid: ID }));
  await program.waitForLine(replyTo("r2"));
  go.resolve();
  program.closeStdin();
  const ended = await program.done;

  const [first, second] = messagesOf(ended, "control_response").map(({ response }) => response.response);
  expect([first, second]).toEqual([{ cancelled: true }, { cancelled: false }]);
  const kinds = ended.messages.filter(({ type }) => type === "command_lifecycle" || type === "control_response");
  expect(kinds.slice(0, 2)).toMatchObject([
    { type: "command_lifecycle", command_uuid: ID, state: "queued" },
    { type: "command_lifecycle", command_uuid: ID, state: "cancelled" },
  ]);
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["one more", "third"]);
  expect(JSON.stringify(model.requests[1]!.body.messages)).not.toContain("second");
  const queue = (readTranscript(home) as any[]).filter(({ type }) => type === "queue-operation");
  expect(queue.map(({ operation }) => operation).sort()).toEqual([
    ...Array(3).fill("dequeue"),
    ...Array(3).fill("enqueue"),
  ]);
});

test("an interrupt may take back what waits, too", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: ["one"], hold: forever, holdAfter: "first_delta" }]);
  await using program = startKeelson([...CHAT, "--include-partial-messages"], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  await program.waitForLine(({ event }) => event?.type === "content_block_delta");
  program.send(prompt("second", { uuid: ID }));
  program.send(prompt("third", { uuid: OTHER }));
  program.send(control("r1", { subtype: "interrupt", cancel_queued: true }));
  const { json } = await program.waitForLine(replyTo("r1"));
  expect((json as any).response.response).toEqual({ still_queued: [], cancelled: [ID, OTHER] });
  program.closeStdin();
  expect(messagesOf(await program.done, "result")).toHaveLength(1);
  expect(model.requests).toHaveLength(1);
});

test("a request that is taken back is given up, without an answer", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "never", hang: true, cutAfter: 1 }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(control("r1", { subtype: "side_question", question: "what?" }));
  const request = await model.waitForRequest(1);
  program.send({ type: "control_cancel_request", request_id: "r1" });
  expect(await request.ended).toBe("abandoned");
  program.send(control("r2", { subtype: "mcp_status" }));
  await program.waitForLine(replyTo("r2"));
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "control_response").map(({ response }) => response.request_id)).toEqual(["r2"]);
});

test("end_session is acknowledged and ends the program although its input stays open", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hi" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  await program.waitForLine(({ type }) => type === "result");
  program.send(control("r1", { subtype: "end_session" }));
  const ended = await program.done;
  expect([ended.code, ended.messages.at(-1)]).toEqual([
    0,
    { type: "control_response", response: { subtype: "success", request_id: "r1" } },
  ]);
});

test("requests at the very end of the input are answered before the program ends", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const subtypes = ["get_settings", "mcp_status", "get_context_usage", "get_hooks_listing", "no_such"];
  const stdin = subtypes.map((subtype) => control(subtype, { subtype }));
  const ended = await runKeelson(CHAT, { home, url: model.url, stdin });
  const answered = messagesOf(ended, "control_response").map(({ response }) => response.request_id);
  expect(answered.sort()).toEqual(subtypes.toSorted());
  expect(ended.code).toBe(0);
});

test("how the model is asked follows what was set before the prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }]);
  const ended = await runKeelson([...CHAT, "--model", "claude-haiku-4-5"], {
    home,
    url: model.url,
    stdin: [
      control("r1", { subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 }),
      control("r2", { subtype: "set_max_thinking_tokens", max_thinking_tokens: 0 }),
      control("r3", { subtype: "set_model", model: "claude-sonnet-4-6" }),
      control("r4", { subtype: "apply_flag_settings", settings: { effortLevel: "low" } }),
      prompt("go"),
    ],
  });
  expect(ended.code).toBe(0);
  expect(model.requests[0]!.body).toMatchObject({
    model: "claude-sonnet-4-6",
    thinking: { type: "disabled" },
    output_config: { effort: "low" },
  });
});

test("a budget for thinking reaches the model, and null gives back what suits it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }]);
  await using program = startKeelson([...CHAT, "--model", "claude-haiku-4-5"], { home, url: model.url, stdin: "open" });
  program.send(control("r1", { subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 }));
  program.send(prompt("one"));
  const first = await program.waitForLine(({ type }) => type === "result");
  program.send(control("r2", { subtype: "set_max_thinking_tokens", max_thinking_tokens: null }));
  program.send(prompt("two"));
  await program.waitForLine(({ type }) => type === "result", { after: first });
  expect(model.requests.map(({ body }) => body.thinking)).toEqual([
    { type: "enabled", budget_tokens: 2000 },
    { type: "enabled", budget_tokens: 31_999 },
  ]);
});

test("a background command is read and stopped from outside", async () => {
  using home = temporaryHome();
  const input = { command: "echo started; sleep 60", run_in_background: true, description: "slow" };
  await using model = await startMockModel([{ calls: [{ name: "Bash", input }] }, { text: "running" }]);
  await using program = startKeelson([...CHAT, "--allowedTools", "Bash"], { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  const { task_id } = (await program.waitForLine(({ subtype }) => subtype === "task_started")).json as any;
  await program.waitForLine(({ type }) => type === "result");
  let output = "";
  for (let number = 0; !output.includes("started"); number++) {
    program.send(control(`o${number}`, { subtype: "get_task_output", task_id }));
    const { json } = await program.waitForLine(replyTo(`o${number}`));
    ({ output } = (json as any).response.response);
  }
  program.send(control("stop", { subtype: "stop_task", task_id }));
  const stopped = await program.waitForLine(replyTo("stop"));
  const before = program.lines.slice(0, program.lines.indexOf(stopped)).map(({ json }) => (json as any).subtype);
  expect(before.slice(-3)).toEqual(["task_updated", "task_notification", "background_tasks_changed"]);
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "result")).toHaveLength(1);
}, 20_000);

test("ten thousand requests over the pipe, among them prompts: each is answered once", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const kinds: readonly object[] = [
    { subtype: "mcp_status" },
    { subtype: "set_permission_mode", mode: "acceptEdits" },
    { subtype: "no_such" },
    { subtype: "get_task_output", task_id: "x" },
    { subtype: "list_permission_rules" },
    { subtype: "stop_task", task_id: "x" },
    { subtype: "set_model", model: "claude-haiku-4-5" },
    { subtype: "get_session_cost" },
  ];
  const stdin: object[] = Array.from({ length: 10_000 }, (_unused, number) =>
    control(`r${number}`, kinds[number % kinds.length]!),
  );
  stdin.splice(3_000, 0, prompt("first"));
  stdin.splice(7_000, 0, prompt("second"));
  const ended = await runKeelson(CHAT, { home, url: model.url, stdin, timeoutMs: 40_000 });
  const ids = messagesOf(ended, "control_response").map(({ response }) => response.request_id);
  expect([ids.length, new Set(ids).size, ended.code]).toEqual([10_000, 10_000, 0]);
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["one", "two"]);
}, 45_000);

test("variables a client sets reach the commands and hooks that start afterwards", async () => {
  using home = temporaryHome();
  const say = { calls: [{ name: "Bash", input: { command: "echo [$SHADE]" } }] };
  await using model = await startMockModel([say, { text: "one" }, say, { text: "two" }]);
  const hook = { type: "command", command: "printf '%s' \"<$SHADE>\" >> heard" };
  const settings = JSON.stringify({ permissions: { allow: ["Bash"] }, hooks: { Stop: [{ hooks: [hook] }] } });
  await using program = startKeelson([...CHAT, "--settings", settings], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  await program.waitForLine(({ result }) => result === "one");
  program.send({ type: "update_environment_variables", variables: { SHADE: "green", "bad name": "x", N: 1 } });
  program.send(prompt("second"));
  await program.waitForLine(({ result }) => result === "two");
  program.closeStdin();
  await program.done;
  expect([1, 3].map((at) => told(model.requests[at]!)[0].content)).toEqual(["[]", "[green]"]);
  expect(readFileSync(join(home.project, "heard"), "utf8")).toBe("<><green>");
}, 20_000);

test("a client that wants to know hears when the session works, waits for an answer, and rests", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "touch made" } }] },
    { text: "done" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool=stdio"], {
    home,
    url: model.url,
    stdin: "open",
    env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" },
  });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ type }) => type === "control_request");
  program.send(answer((json as any).request_id, { behavior: "allow" }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const states = messagesOf(await program.done, "system/session_state_changed");
  expect(states.map(({ state }) => state)).toEqual(["running", "requires_action", "running", "idle"]);
});
