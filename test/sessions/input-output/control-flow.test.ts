// Control requests and what they do behind the stream. What clients see of them is in the table of the protocol.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, told } from "../front-door.ts";

const replyTo = (id: string) => (line: any) => line.response?.request_id === id;

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
});

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
});

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
  program.send(control("r1", { subtype: "initialize" }));
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ type }) => type === "control_request");
  program.send(answer((json as any).request_id, { behavior: "allow" }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const ended = await program.done;
  const states = messagesOf(ended, "system/session_state_changed");
  expect(states.map(({ state }) => state)).toEqual(["running", "requires_action", "running", "idle"]);
  // Each state is told before what belongs to it: first `initialize` is answered, then the run begins.
  const order = ended.messages.map(({ type, state }: any) => state ?? type);
  expect(order.slice(0, 2)).toEqual(["control_response", "running"]);
  expect(order.indexOf("requires_action")).toBeLessThan(order.indexOf("control_request"));
});

test("between prompts that wait, the session is not idle", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const env = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" };
  const stdin = [prompt("first"), prompt("second")];
  await using program = startKeelson(CHAT, { home, url: model.url, env, stdin });
  const ended = await program.done;
  expect(messagesOf(ended, "system/session_state_changed").map(({ state }) => state)).toEqual(["running", "idle"]);
  expect(messagesOf(ended, "result")).toHaveLength(2);
});

test("what comes right behind initialize is answered behind it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(control("r1", { subtype: "initialize" }));
  program.send(control("r2", { subtype: "set_permission_mode", mode: "plan" }));
  program.send(control("r3", { subtype: "interrupt" }));
  program.send(control("r4", { subtype: "set_has_subscribers" }));
  program.send(control("r5", { subtype: "no_such_request" }));
  program.closeStdin();
  const { messages } = await program.done;
  const answers = messages.filter(({ type }) => type === "control_response").map(({ response }) => response);
  expect(answers[0]).toMatchObject({ request_id: "r1", response: { current_permission_mode: "default" } });
  expect(answers.map(({ request_id }) => request_id).sort()).toEqual(["r1", "r2", "r3", "r4", "r5"]);
});

test("no request overtakes initialize: its hooks hold for what is right behind it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const hooks = { PreModelSwitch: [{ hookCallbackIds: ["guard"] }] };
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(control("r1", { subtype: "initialize", hooks }));
  program.send(control("r2", { subtype: "set_model", model: "haiku" }));
  const { json } = await program.waitForLine(({ type }) => type === "control_request");
  expect((json as any).request).toMatchObject({ subtype: "hook_callback", callback_id: "guard" });
  const refusal = { hookEventName: "PreModelSwitch", permissionDecision: "deny", permissionDecisionReason: "stay" };
  program.send(answer((json as any).request_id, { hookSpecificOutput: refusal }));
  const reply = await program.waitForLine(replyTo("r2"));
  expect((reply.json as any).response).toMatchObject({ subtype: "error", error: "stay" });
  program.closeStdin();
  expect((await program.done).code).toBe(0);
});

test("an interrupt stops a prompt that still waits for a change", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const hooks = { PreModelSwitch: [{ hookCallbackIds: ["guard"] }] };
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(control("r1", { subtype: "initialize", hooks }));
  program.send(control("r2", { subtype: "set_model", model: "haiku" }));
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ type }) => type === "control_request");
  program.send(control("r3", { subtype: "interrupt" }));
  await program.waitForLine(replyTo("r3"));
  program.send(answer((json as any).request_id, {}));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  expect(messagesOf(await program.done, "result")).toMatchObject([{ subtype: "error_during_execution" }]);
  expect(model.requests).toEqual([]);
});

test("who resumes a session that has a name hears it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const first = await runKeelson(["-p", "go", "--name", "the parser", ...CHAT.slice(0, 3)], { home, url: model.url });
  const id = messagesOf(first, "result")[0].session_id;
  const second = await runKeelson(["-p", "more", "-r", id, ...CHAT.slice(0, 3)], { home, url: model.url });
  expect(messagesOf(first, "system/session_title_changed")).toEqual([]);
  expect(messagesOf(second, "system/session_title_changed")).toMatchObject([{ title: "the parser" }]);
});

test("settings of a client bring in no file that a ConfigChange hook refuses", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const hook = { matcher: "project_settings", hooks: [{ type: "command", command: "exit 2" }] };
  const settings = JSON.stringify({ hooks: { ConfigChange: [hook] } });
  await using program = startKeelson([...CHAT, "--settings", settings], { home, url: model.url, stdin: "open" });
  const wanted = { subtype: "apply_flag_settings", settings: { language: "german" } };
  program.send(control("r1", wanted));
  await program.waitForLine(replyTo("r1"));
  home.write(".claude/settings.json", JSON.stringify({ model: "haiku" }));
  program.send(control("r2", wanted));
  await program.waitForLine(replyTo("r2"));
  program.closeStdin();
  const replies = messagesOf(await program.done, "control_response").map(({ response }) => response);
  expect(replies).toMatchObject([
    { subtype: "success" },
    { subtype: "error", error: expect.stringContaining("a hook refuses the change") },
  ]);
});
