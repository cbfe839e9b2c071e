// Applications drive the real program through the SDK: prompts, permission questions, changes on the way, sessions.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { query, type SDKMessage, type SDKUserMessage } from "@keelson/sdk";
import { startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { told } from "../front-door.ts";
import { door, handedOut, kindOf, read, resultsOf, says, textOf } from "./door.ts";

const touch = (name: string) => ({
  calls: [{ name: "Bash", input: { command: `touch ${name}`, description: "make it" } }],
});

test("a permission question is answered by canUseTool, which may change the call", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([touch("one"), { text: "made it" }]);
  const asked: unknown[] = [];

  const messages = await read(
    query({
      prompt: "make a file",
      options: {
        ...door(home, model),
        canUseTool: async (name, input, { toolUseID, signal }) => {
          asked.push([name, input, typeof toolUseID, signal.aborted]);
          return { behavior: "allow", updatedInput: { ...input, command: "touch two" } };
        },
      },
    }),
  );

  expect(asked).toEqual([["Bash", { command: "touch one", description: "make it" }, "string", false]]);
  expect(["one", "two"].map((name) => existsSync(join(home.project, name)))).toEqual([false, true]);
  expect(messages.map(kindOf)).toEqual(["system/init", "assistant", "user", "assistant", "result"]);
  expect(textOf(messages)).toBe("made it");
});

test("a denial is told to the model, and listed in the result", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([touch("one"), { text: "all right" }]);

  const messages = await read(
    query({
      prompt: "make a file",
      options: { ...door(home, model), canUseTool: async () => ({ behavior: "deny", message: "not today" }) },
    }),
  );

  expect(told(model.requests[1]!)).toMatchObject([{ type: "tool_result", content: "not today", is_error: true }]);
  const [result] = resultsOf(messages);
  expect(result!.permission_denials.map(({ tool_name }) => tool_name)).toEqual(["Bash"]);
  expect(existsSync(join(home.project, "one"))).toBe(false);
});

test("a denial that interrupts ends the run with an error result, which is thrown too", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([touch("one"), { text: "never asked for" }]);
  const running = query({
    prompt: "make a file",
    options: { ...door(home, model), canUseTool: async () => ({ behavior: "deny", message: "stop", interrupt: true }) },
  });
  const error = await read(running).catch((reason: unknown) => reason);

  expect(error).toMatchObject({
    name: "ResultError",
    subtype: "error_during_execution",
    terminalReason: "aborted_tools",
    exitCode: 1,
  });
  expect(model.requests.length).toBe(1);
});

test("a conversation of several prompts, with the model and the mode changed in between", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "first" }, { text: "second" }]);
  const prompts = handedOut<SDKUserMessage>();

  const running = query({ prompt: prompts.items, options: { ...door(home, model), model: "claude-opus-4-5" } });
  const seen: SDKMessage[] = [];
  prompts.give(says("one"));
  for await (const message of running) {
    seen.push(message);
    if (message.type !== "result") continue;
    if (resultsOf(seen).length > 1) {
      prompts.end();
      continue;
    }
    // Awaited inside the loop: the answers must come although no one reads messages meanwhile.
    await running.setModel("claude-haiku-4-5");
    await running.setPermissionMode("plan");
    prompts.give(says("two"));
  }

  expect(model.requests.map(({ body }) => body.model)).toEqual([
    expect.stringContaining("opus-4-5"),
    expect.stringContaining("haiku-4-5"),
  ]);
  expect(resultsOf(seen).map((result) => "result" in result && result.result)).toEqual(["first", "second"]);
  const modes = seen.flatMap((message) =>
    message.type === "system" && message.subtype === "init" ? [message.permissionMode] : [],
  );
  expect(modes).toEqual(["default", "plan"]);
});

test("interrupt() stops a run in progress and leaves the conversation open", async () => {
  using home = temporaryHome();
  // The interrupt may come before the first request has left; then there is only one.
  await using model = await startMockModel(({ messages }: any) =>
    JSON.stringify(messages).includes("are you there?") ? { text: "still here" } : { hang: true },
  );
  const prompts = handedOut<SDKUserMessage>();
  const running = query({ prompt: prompts.items, options: door(home, model) });
  const subtypes: string[] = [];

  prompts.give(says("think for ever"));
  for await (const message of running) {
    if (message.type === "system" && message.subtype === "init" && subtypes.length === 0) {
      expect(await running.interrupt()).toEqual({ still_queued: [] });
    }
    if (message.type !== "result") continue;
    subtypes.push(message.subtype);
    if (subtypes.length === 1) prompts.give(says("are you there?"));
    else prompts.end();
  }

  expect(subtypes).toEqual(["error_during_execution", "success"]);
});

test("pieces of a reply come as they are written", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello there" }]);
  const messages = await read(query({ prompt: "hi", options: { ...door(home, model), includePartialMessages: true } }));
  const text = messages.flatMap((message) =>
    message.type === "stream_event" &&
    message.event.type === "content_block_delta" &&
    message.event.delta.type === "text_delta"
      ? [message.event.delta.text]
      : [],
  );
  expect(text.join("")).toBe("hello there");
});

test("an answer in the shape that was asked for", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [{ name: "StructuredOutput", input: { colour: "red" } }] }]);
  const schema = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
  const messages = await read(
    query({ prompt: "what colour?", options: { ...door(home, model), outputFormat: { type: "json_schema", schema } } }),
  );
  const [result] = resultsOf(messages);
  expect(result).toMatchObject({
    subtype: "success",
    structured_output: { colour: "red" },
    result: '{"colour":"red"}',
  });
});

test("a run that hits its limit yields the result, then throws it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: join(home.project, "a") } }] },
  ]);
  home.write("a", "text");
  const running = query({ prompt: "read", options: { ...door(home, model), maxTurns: 1 } });
  const seen: string[] = [];
  let error: any;
  try {
    for await (const message of running) if (message.type === "result") seen.push(message.subtype);
  } catch (reason) {
    error = reason;
  }
  expect(seen).toEqual(["error_max_turns"]);
  expect([error.errorClass, error.message]).toEqual([
    "error_result",
    "Claude Code returned an error result: Reached maximum number of turns (1)",
  ]);
});

test("a session is resumed, and forked from a copy", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const options = door(home, model);
  const [first] = resultsOf(await read(query({ prompt: "a", options })));
  const [second] = resultsOf(await read(query({ prompt: "b", options: { ...options, resume: first!.session_id } })));
  const [third] = resultsOf(
    await read(query({ prompt: "c", options: { ...options, resume: first!.session_id, forkSession: true } })),
  );

  expect(second!.session_id).toBe(first!.session_id);
  expect(third!.session_id).not.toBe(first!.session_id);
  const said = model.requests[2]!.body.messages.filter(({ role }: any) => role === "assistant");
  expect(said.map(({ content }: any) => content[0].text)).toEqual(["one", "two"]);
});

test("nothing is kept of a session that shall not be", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  await read(query({ prompt: "hi", options: { ...door(home, model), persistSession: false } }));
  expect(transcriptFiles(home)).toEqual([]);
});

test("what the program knows about itself is there before any prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const prompts = handedOut<SDKUserMessage>();
  const running = query({ prompt: prompts.items, options: door(home, model) });
  const facts = await running.initializationResult();
  expect(facts).toMatchObject({ output_style: "default", account: expect.any(Object), pid: expect.any(Number) });
  expect(await running.supportedModels()).toEqual(facts.models);
  expect(await running.supportedCommands()).toEqual(facts.commands);
  const refused: any = await running.setPermissionMode("sideways" as never).catch((error: unknown) => error);
  expect([refused.errorClass, refused.errorCode]).toEqual(["control_request_failed", "invalid_mode"]);
  prompts.end();
  expect(await read(running)).toEqual([]);
});

test("what the terminal does to a session, an application does with methods", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "I see" }, { text: "again" }]);
  const done = Promise.withResolvers<void>();
  const asked: unknown[] = [];
  async function* prompts() {
    await done.promise;
    yield says("hello");
  }
  const running = query({ prompt: prompts(), options: door(home, model) });
  const ids = await running.runShellCommand("echo from the user");
  for await (const message of running) {
    if (message.type !== "result") continue;
    if (asked.length > 0) break;
    const nothing = await running.compactConversation(ids.user_message_uuid).catch((error: Error) => error.message);
    asked.push(nothing, await running.rewindConversation(ids.user_message_uuid));
    const { state } = await running.updatePermissions([
      { type: "addRules", behavior: "deny", rules: [{ toolName: "Bash" }], destination: "session" },
    ]);
    asked.push(state.rules.map(({ source, ruleValue }) => `${source} ${ruleValue.toolName}`));
    asked.push((await running.addMemory("Be kind")).path);
    done.resolve();
  }
  expect(asked).toEqual([
    "There is nothing to summarize before this prompt",
    { prompt: "<bash-input>echo from the user</bash-input>", sessionId: expect.any(String) },
    ["session Bash"],
    join(home.project, "CLAUDE.md"),
  ]);
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("<bash-stdout>from the user</bash-stdout>");
  const after = JSON.stringify(model.requests[1]!.body.messages);
  expect([after.includes("from the user"), after.includes("Be kind")]).toEqual([false, true]);
});
