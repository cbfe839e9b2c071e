// What a client says of itself when it initializes, and what comes of it.

import { expect, test } from "bun:test";
import { readTranscript, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { answer, CHAT, control, kindOf, messagesOf, prompt, told } from "./front-door.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command, description: "x" } }] });
const replyTo = (id: string) => (line: any) => line.response?.request_id === id;
const asks = (subtype: string) => (line: any) => line.type === "control_request" && line.request.subtype === subtype;
const systemOf = (model: { requests: readonly { body: any }[] }, at = 0) =>
  model.requests[at]!.body.system.map(({ text }: any) => text);

test("everything it may say is accepted, and the reply is whole", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  const everything = {
    subtype: "initialize",
    hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["hook_0"], timeout: 5 }], NoSuchEvent: [{}] },
    sdkMcpServers: ["calc"],
    sdkMcpServerConfigs: { calc: { timeout: 1000 } },
    sdkMcpServerManifests: { calc: { initializeResult: {} } },
    jsonSchema: { type: "object", properties: { a: { type: "string" } } },
    systemPrompt: ["You are X"],
    appendSystemPrompt: "more",
    systemPromptSnapshot: {},
    planModeInstructions: "plan so",
    toolAliases: { A: "B" },
    excludeDynamicSections: true,
    agents: { x: { description: "d", prompt: "p" } },
    title: "A title",
    skills: ["a"],
    promptSuggestions: true,
    agentProgressSummaries: true,
    forwardSubagentText: true,
    supportedDialogKinds: ["k"],
    perTaskStopAffordance: true,
    plugins: [],
    fromTheFuture: 1,
  };
  program.send(control("r1", everything));
  const { json } = await program.waitForLine(replyTo("r1"));

  expect(json).toEqual({
    type: "control_response",
    response: {
      subtype: "success",
      request_id: "r1",
      response: {
        commands: expect.any(Array),
        agents: expect.any(Array),
        output_style: "default",
        available_output_styles: ["default"],
        models: expect.arrayContaining([
          {
            value: "default",
            resolvedModel: "claude-sonnet-5",
            displayName: expect.any(String),
            description: expect.any(String),
            supportsEffort: true,
            supportedEffortLevels: ["low", "medium", "high", "xhigh", "max"],
            supportsAdaptiveThinking: true,
          },
        ]),
        account: { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
        pid: program.pid,
        claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        keelson_version: expect.any(String),
        current_permission_mode: "default",
        session_state: "idle",
        capabilities: expect.arrayContaining(["interrupt_receipt_v1"]),
        hook_on_failure_supported: true,
        hooks_applied: true,
      },
      pending_permission_requests: [],
      pending_user_dialog_requests: [],
    },
  });
  program.send(control("r2", { subtype: "get_hooks_listing" }));
  const listing = (await program.waitForLine(replyTo("r2"))).json as any;
  expect(listing.response.response.hooks).toEqual([
    { event: "PreToolUse", matcher: "Bash", type: "callback", label: "callback hook_0", source: "sdk", timeout: 5 },
  ]);
});

test("the client's own prompt, schema and title hold from the first run on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [{ name: "StructuredOutput", input: { a: "b" } }] }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const said = { systemPrompt: ["You are X", "and more"], appendSystemPrompt: "at the end", jsonSchema: schema };
  program.send(control("r1", { subtype: "initialize", ...said, title: "Mine" }));
  program.send(prompt("go"));
  const result = (await program.waitForLine(({ type }) => type === "result")).json as any;

  expect(result.structured_output).toEqual({ a: "b" });
  expect(systemOf(model).at(-1)).toBe("You are X\n\nand more\n\nat the end");
  program.closeStdin();
  const ended = await program.done;
  expect(ended.messages.map(kindOf).slice(0, 3)).toEqual([
    "system/session_title_changed",
    "control_response",
    "system/init",
  ]);
  const titles = (readTranscript(home) as any[]).filter(({ type }) => type === "custom-title");
  expect(new Set(titles.map(({ customTitle }) => customTitle))).toEqual(new Set(["Mine"]));
});

test("an empty prompt is a choice, an absent one leaves ours", async () => {
  const systemAfter = async (said: object) => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "ok" }]);
    await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
    program.send(control("r1", { subtype: "initialize", hooks: null, ...said }));
    program.send(prompt("go"));
    await program.waitForLine(({ type }) => type === "result");
    return systemOf(model);
  };
  const [empty, ours] = [await systemAfter({ systemPrompt: [""] }), await systemAfter({})];
  expect([empty.length, ours.length]).toEqual([1, 2]);
  expect(ours[1]).toContain("# How to work");
});

test("a callback judges a call: asked with its id, obeyed when it denies", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch a"), { text: "understood" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  const hooks = { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["hook_7"] }] };
  program.send(control("r1", { subtype: "initialize", hooks }));
  program.send(prompt("go"));
  const asked = (await program.waitForLine(asks("hook_callback"))).json as any;
  expect(asked.request).toMatchObject({
    callback_id: "hook_7",
    input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "touch a" } },
  });
  expect(asked.request.input.tool_use_id).toBe(asked.request.tool_use_id);
  const deny = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not today" };
  program.send(answer(asked.request_id, { hookSpecificOutput: deny }));
  const result = (await program.waitForLine(({ type }) => type === "result")).json as any;
  expect(result).toMatchObject({ subtype: "success", result: "understood" });
  expect(told(model.requests[1]!)[0]).toMatchObject({ is_error: true, content: expect.stringContaining("not today") });
});

test("a callback that is never answered fails with the end of the input, and the run goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("echo hi"), { text: "done" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(control("r1", { subtype: "initialize", hooks: { PreToolUse: [{ hookCallbackIds: ["hook_0"] }] } }));
  program.send(prompt("go"));
  await program.waitForLine(asks("hook_callback"));
  program.closeStdin();
  const ended = await program.done;
  expect(ended.code).toBe(0);
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["done"]);
});

test("a second initialize is answered alike, then told of background work and of what still waits for an answer", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch a"), { text: "fine" }]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(control("r1", { subtype: "initialize" }));
  program.send(prompt("go"));
  const question = (await program.waitForLine(asks("can_use_tool"))).json as any;
  program.send(control("r2", { subtype: "initialize" }));
  const again = await program.waitForLine(replyTo("r2"));
  expect((again.json as any).response).toMatchObject({
    response: { session_state: "running", pid: program.pid },
    pending_permission_requests: [question],
  });
  const next = await program.waitForLine(() => true, { after: again });
  expect(next.json).toMatchObject({ type: "system", subtype: "background_tasks_changed", tasks: [] });
  program.send(answer(question.request_id, { behavior: "deny", message: "no" }));
  program.closeStdin();
  expect((await program.done).code).toBe(0);
});
