import { expect, test } from "bun:test";
import { HOOK_EVENTS } from "@keelson/protocol";
import type { HookCallbacks } from "../hooks/callbacks.ts";
import type { Options } from "../options/options.ts";
import { NO_ANSWER } from "./control-request.ts";
import { createCaller } from "./caller.ts";

const asked = { requestId: "r1", signal: new AbortController().signal };
const answerer = (options: Options) => createCaller(options, async () => undefined);
const wrong = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing wrong",
    (error: Error) => error.message,
  );

test("a permission request reaches canUseTool with all its fields", async () => {
  const calls: unknown[] = [];
  const { answer } = answerer({
    canUseTool: async (...call) => {
      calls.push(call);
      return { behavior: "allow", updatedInput: { command: "ls" } };
    },
  });
  const suggestion = { type: "setMode", mode: "acceptEdits", destination: "session" } as const;
  const reply = await answer(
    {
      subtype: "can_use_tool" as const,
      tool_name: "Bash",
      input: { command: "touch a" },
      tool_use_id: "toolu_1",
      permission_suggestions: [suggestion],
      blocked_path: "/p/a",
      decision_reason: "because",
      display_name: "Bash",
      description: "one",
      title: "t",
      agent_id: "a1",
      default_to_no: true,
      suppress_always_allow_rule: true,
      mcp_server: { name: "m", source: "sdk" },
      matched_ask_rule: { source: "session", tool_name: "Bash", rule_content: "touch *" },
    },
    asked,
  );
  expect(calls).toEqual([
    [
      "Bash",
      { command: "touch a" },
      {
        signal: asked.signal,
        requestId: "r1",
        toolUseID: "toolu_1",
        suggestions: [suggestion],
        blockedPath: "/p/a",
        decisionReason: "because",
        displayName: "Bash",
        description: "one",
        title: "t",
        agentID: "a1",
        defaultToNo: true,
        suppressAlwaysAllowRule: true,
        mcpServer: { name: "m", source: "sdk" },
        matchedAskRule: { source: "session", toolName: "Bash", ruleContent: "touch *" },
      },
    ],
  ]);
  expect(reply).toEqual({ behavior: "allow", updatedInput: { command: "ls" }, toolUseID: "toolu_1" });
});

test("canUseTool must return a valid answer", async () => {
  const question = { subtype: "can_use_tool" as const, tool_name: "Bash", input: {}, tool_use_id: "t" };
  const saying = (result: any) => answerer({ canUseTool: async () => result }).answer(question, asked);
  expect(await saying(null)).toBe(NO_ANSWER);
  expect(await saying({ behavior: "deny", message: "no", interrupt: true })).toEqual({
    behavior: "deny",
    message: "no",
    interrupt: true,
    toolUseID: "t",
  });
  expect(await wrong(saying(true))).toContain("must return");
  expect(await wrong(saying({ behavior: "maybe" }))).toContain("must return");
  expect(await wrong(saying({ behavior: "deny" }))).toContain("message");
  expect(await wrong(answerer({}).answer(question, asked))).toBe("canUseTool callback is not provided.");
});

test("hooks of every event are announced and called by their ids", async () => {
  const called: string[] = [];
  const hooks = Object.fromEntries(
    HOOK_EVENTS.map((event) => [
      event,
      [
        {
          matcher: "x",
          hooks: [
            async (input: any, id: any) => {
              called.push(`${input.hook_event_name} ${id}`);
              return { decision: "block", reason: event } as const;
            },
          ],
        },
      ],
    ]),
  ) as HookCallbacks;
  const caller = answerer({ hooks });
  const announced = caller.initialize()["hooks"] as any;
  expect(announced.PreToolUse).toEqual([{ matcher: "x", hookCallbackIds: ["hook_0"] }]);
  expect(Object.keys(announced)).toEqual([...HOOK_EVENTS]);

  for (const event of HOOK_EVENTS) {
    const [callback_id] = announced[event][0].hookCallbackIds;
    const request = {
      subtype: "hook_callback" as const,
      callback_id,
      input: { hook_event_name: event },
      tool_use_id: "t",
    };
    expect(await caller.answer(request, asked)).toEqual({ decision: "block", reason: event });
  }
  expect(called).toEqual(HOOK_EVENTS.map((event) => `${event} t`));
});

test("a hook may return nothing, fail, or not exist", async () => {
  const caller = answerer({
    hooks: {
      Stop: [
        {
          timeout: 5,
          onFailure: "block",
          hooks: [
            async () => undefined as any,
            async () => {
              throw new Error("broken");
            },
          ],
        },
        { hooks: [async () => ({ async: true })] },
      ],
      Setup: [],
    },
  });
  expect(caller.initialize()["hooks"]).toEqual({
    Stop: [{ hookCallbackIds: ["hook_0", "hook_1"], timeout: 5, onFailure: "block" }, { hookCallbackIds: ["hook_2"] }],
  });
  expect(caller.hooks.needOnFailure).toBe(true);
  const call = (callback_id: string) =>
    caller.answer({ subtype: "hook_callback" as const, callback_id, input: {} }, asked);
  expect(await call("hook_0")).toEqual({});
  expect(await wrong(call("hook_1"))).toBe("broken");
  expect(await wrong(call("hook_9"))).toBe("No hook callback found for ID: hook_9");
});

test("elicitation is declined without a callback, and passed to it otherwise", async () => {
  const request = {
    subtype: "elicitation" as const,
    mcp_server_name: "el",
    message: "Your name?",
    mode: "form",
    requested_schema: { type: "object" },
    elicitation_id: "e1",
  };
  expect(await answerer({}).answer(request, asked)).toEqual({ action: "decline" });
  const calls: unknown[] = [];
  const { answer } = answerer({
    onElicitation: async (...call) => {
      calls.push(call);
      return { action: "accept", content: { name: "Bob" } };
    },
  });
  expect(await answer(request, asked)).toEqual({ action: "accept", content: { name: "Bob" } });
  expect(calls).toEqual([
    [
      {
        serverName: "el",
        message: "Your name?",
        mode: "form",
        requestedSchema: { type: "object" },
        elicitationId: "e1",
      },
      { signal: asked.signal, requestId: "r1" },
    ],
  ]);
  expect(await answerer({ onElicitation: async () => null }).answer(request, asked)).toBe(NO_ANSWER);
});

test("a dialog without a handler is left unanswered", async () => {
  const request = { subtype: "request_user_dialog" as const, dialog_kind: "k", payload: { a: 1 }, tool_use_id: "t" };
  expect(await answerer({}).answer(request, asked)).toBe(NO_ANSWER);
  const { answer } = answerer({ onUserDialog: async (dialog) => ({ behavior: "completed", result: dialog }) });
  expect(await answer(request, asked)).toEqual({
    behavior: "completed",
    result: { dialogKind: "k", payload: { a: 1 }, toolUseID: "t" },
  });
});

test("an unknown request is refused by name", async () => {
  const error: any = await answerer({})
    .answer({ subtype: "dance" } as never, asked)
    .catch((reason: unknown) => reason);
  expect([error.message, error.errorCode]).toEqual([
    "Unsupported control request subtype: dance",
    "unsupported_request",
  ]);
});
