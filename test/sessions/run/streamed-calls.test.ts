// Calls that run while the reply is still coming, through the program: what is on disk, recorded and sent when a
// reply is held up, interrupted, cut off or ended by a hook after its first call.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, STREAM, told } from "../front-door.ts";
import { until } from "../processes.ts";

const mark = (name: string): ScriptedCall => ({ name: "Bash", input: { command: `echo ${name} > ${name}` } });
/** The events of a reply up to the end of its first call: the message, the block, its input, its end. */
const FIRST_CALL = 4;
const ALLOWED = ["--allowedTools", "Bash"];

const made = (home: TemporaryHome, name: string) => existsSync(join(home.project, name));

async function resumes(home: TemporaryHome, session: string): Promise<string[]> {
  await using model = await startMockModel([{ text: "back" }]);
  const ended = await runKeelson(["-p", "more", "--resume", session, ...STREAM], { home, url: model.url });
  expect(resultOf(ended).result).toBe("back");
  return [...messageProblems(model.requests[0]!.body.messages), ...chainProblems(readTranscript(home, session))];
}

test("a call is carried out while the rest of the reply is held up", async () => {
  using home = temporaryHome();
  const hold = until(() => made(home, "one"), "The first call did not run while the reply was held up");
  await using model = await startMockModel([
    { calls: [mark("one"), mark("two")], hold, holdAfter: FIRST_CALL },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  expect(told(model.requests[1]!).map(({ tool_use_id }) => tool_use_id)).toEqual(["call_1_1", "call_1_2"]);
  expect(await resumes(home, resultOf(ended).session_id)).toEqual([]);
});

test("an interrupt in the middle of a reply leaves each call answered", async () => {
  using home = temporaryHome();
  const sleep: ScriptedCall = { name: "Bash", input: { command: "echo on > on; sleep 60; echo off > off" } };
  await using model = await startMockModel([
    { calls: [sleep, mark("two")], hold: new Promise(() => {}), holdAfter: FIRST_CALL },
    { text: "again" },
  ]);
  await using program = startKeelson([...CHAT, ...ALLOWED], { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  await until(() => made(home, "on"));
  program.send(control("stop", { subtype: "interrupt" }));
  const { json } = await program.waitForLine(({ type }) => type === "result");
  expect((json as any).terminal_reason).toBe("aborted_streaming");
  program.send(prompt("and now?"));
  await program.waitForLine(({ result }) => result === "again");
  expect(messageProblems(model.requests[1]!.body.messages)).toEqual([]);
  expect([made(home, "off"), made(home, "two")]).toEqual([false, false]);
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "result")).toHaveLength(2);
  expect(await resumes(home, (json as any).session_id)).toEqual([]);
});

test("a reply that breaks off keeps its finished calls and continues from them", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [mark("one"), mark("two")], cutAfter: FIRST_CALL + 2 },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  expect([made(home, "one"), made(home, "two")]).toEqual([true, false]);
  expect(told(model.requests[1]!).map(({ tool_use_id }) => tool_use_id)).toEqual(["call_1_1"]);
  expect(await resumes(home, resultOf(ended).session_id)).toEqual([]);
});

test.each([["echo hi"], ["echo hi > one"]])(
  "continue: false at the first call, %s, keeps the second from running",
  async (command) => {
    using home = temporaryHome();
    const script = `grep -q call_1_1 && { sleep 0.3; echo '{"continue":false,"stopReason":"enough"}'; } || true`;
    const settings = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: script }] }] } });
    const calls = [{ name: "Bash", input: { command } }, { name: "Bash", input: { command: "echo ran" } }, mark("two")];
    await using model = await startMockModel([{ calls }, { text: "never" }]);
    const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED, "--settings", settings], {
      home,
      url: model.url,
    });
    expect(resultOf(ended).terminal_reason).toBe("hook_stopped");
    expect(model.requests).toHaveLength(1);
    expect([made(home, "one"), made(home, "two"), ended.stdout.includes('"stdout":"ran')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(messagesOf(ended, "user")).toHaveLength(3);
    expect(await resumes(home, resultOf(ended).session_id)).toEqual([]);
  },
);

test("a denial that ends the run keeps the calls behind it from running and ends the reply", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [mark("one"), mark("two")], hold: new Promise(() => {}), holdAfter: FIRST_CALL },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ type }) => type === "control_request");
  program.send({
    type: "control_response",
    response: {
      subtype: "success",
      request_id: (json as any).request_id,
      response: { behavior: "deny", message: "no", interrupt: true },
    },
  });
  const { json: result } = await program.waitForLine(({ type }) => type === "result");
  expect((result as any).terminal_reason).toBe("aborted_tools");
  program.closeStdin();
  await program.done;
  expect(await resumes(home, (result as any).session_id)).toEqual([]);
});
