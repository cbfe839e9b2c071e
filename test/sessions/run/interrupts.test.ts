// Whoever stops a run finds it stopped: nothing begins after that, nothing is waited for, and no question stays open.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageProblems, startKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt } from "../front-door.ts";
import { until } from "../processes.ts";

const ASKING = [...CHAT, "--permission-prompt-tool", "stdio"];
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const isResult = ({ type }: any) => type === "result";
const asks = (subtype: string) => (json: any) => json.type === "control_request" && json.request.subtype === subtype;

test("an interrupt while a hook looks at a call keeps the call from running", async () => {
  using home = temporaryHome();
  const file = (name: string) => join(home.project, name);
  const write: ScriptedCall = { name: "Write", input: { file_path: file("late.txt"), content: "late" } };
  const settings = JSON.stringify({
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `echo > '${file("looking")}'; sleep 60` }] }] },
  });
  await using model = await startMockModel([{ calls: [write, bash("echo > late2")] }, { text: "again" }]);
  const args = [...CHAT, "--include-partial-messages", "--allowedTools", "Write", "Bash", "--settings", settings];
  await using program = startKeelson(args, { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  await until(() => existsSync(file("looking")));
  // A hook looks at the first call while the second is still on its way.
  await program.waitForLine(({ event }) => event?.type === "message_stop");
  program.send(control("stop", { subtype: "interrupt" }));
  expect((await program.waitForLine(isResult)).json).toMatchObject({ terminal_reason: "aborted_tools" });
  program.send(prompt("and now?"));
  await program.waitForLine(({ result }) => result === "again");
  program.closeStdin();
  await program.done;
  expect([existsSync(file("late.txt")), existsSync(file("late2"))]).toEqual([false, false]);
  expect(messageProblems(model.requests[1]!.body.messages)).toEqual([]);
});

test("an interrupt does not wait for a hook of the client that never answers", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [bash("echo > late"), bash("pwd")] }]);
  await using program = startKeelson([...CHAT, "--allowedTools", "Bash"], { home, url: model.url, stdin: "open" });
  const hooks = { PreToolUse: [{ matcher: null, hookCallbackIds: ["h"] }] };
  program.send(control("init", { subtype: "initialize", hooks }));
  program.send(prompt("go"));
  await program.waitForLine(asks("hook_callback"));
  program.send(control("stop", { subtype: "interrupt" }));
  await program.waitForLine(isResult);
  program.closeStdin();
  await program.done;
  expect(existsSync(join(home.project, "late"))).toBe(false);
});

test("a denial that ends the run stops the calls beside it and withdraws the questions about them", async () => {
  using home = temporaryHome();
  const other = join(home.root, "elsewhere.txt");
  const calls = [
    bash("sleep 60 && pwd"),
    { name: "Read", input: { file_path: other } },
    { name: "Read", input: { file_path: `${other}.2` } },
  ];
  await using model = await startMockModel([{ calls }, { text: "again" }]);
  await using program = startKeelson(ASKING, { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  const first = await program.waitForLine(asks("can_use_tool"));
  const second = await program.waitForLine(asks("can_use_tool"), { after: first });
  program.send(answer((first.json as any).request_id, { behavior: "deny", message: "no", interrupt: true }));
  const { json: withdrawn } = await program.waitForLine(({ type }) => type === "control_cancel_request");
  expect((withdrawn as any).request_id).toBe((second.json as any).request_id);
  expect((await program.waitForLine(isResult)).json).toMatchObject({
    terminal_reason: "aborted_tools",
    permission_denials: [{ tool_use_id: (first.json as any).request.tool_use_id }],
  });
  program.send(prompt("and now?"));
  await program.waitForLine(({ result }) => result === "again");
  program.closeStdin();
  expect(messagesOf(await program.done, "result")).toHaveLength(2);
  expect(messageProblems(model.requests[1]!.body.messages)).toEqual([]);
});

test("an interrupt behind a prompt that does not run yet says that the prompt still waits", async () => {
  using home = temporaryHome();
  const uuid = crypto.randomUUID();
  const settings = JSON.stringify({
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "sleep 0.5" }] }] },
  });
  await using model = await startMockModel([{ text: "answered" }]);
  await using program = startKeelson([...CHAT, "--settings", settings], { home, url: model.url, stdin: "open" });
  program.send(prompt("go", { uuid }));
  program.send(control("stop", { subtype: "interrupt" }));
  const { json } = await program.waitForLine(({ type }) => type === "control_response");
  expect((json as any).response.response).toEqual({ still_queued: [uuid] });
  expect((await program.waitForLine(isResult)).json).toMatchObject({ result: "answered" });
  program.closeStdin();
  await program.done;
});
