// Callbacks of the client: each event with what it is told, and what each output does.

import { expect } from "bun:test";
import { bash, heard, ofKind, result, toldOf, turn, type Answer, type Hook, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const out = (hookEventName: string, more: object): Answer => ({ hookSpecificOutput: { hookEventName, ...more } });
const once = (...outputs: Answer[]): readonly Hook[] => [{ outputs }];
const inputs = (seen: any, event?: string) =>
  seen.asked
    .filter(({ subtype }: any) => subtype === "hook_callback")
    .map(({ input }: any) => input)
    .filter(({ hook_event_name }: any) => event === undefined || hook_event_name === event);
const events = (seen: any) => inputs(seen).map(({ hook_event_name }: any) => hook_event_name);
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const BASE = {
  session_id: UUID,
  transcript_path: expect.stringMatching(/\.jsonl$/),
  cwd: "<project>",
};
const TOUCH = { command: "touch a", description: "x" };
const ONE_CALL = [{ calls: [bash("touch a")] }, { text: "done" }];

/** A hook before a call that says this, and what comes of it. */
const before = (
  name: string,
  output: Answer,
  cases: Scenario["cases"],
  more: Partial<Scenario> & { readonly hook?: Partial<Hook> } = {},
): Scenario => {
  const { hook, ...rest } = more;
  return {
    name: `PreToolUse ${name}`,
    options: { allowedTools: ["Bash"] },
    says: ONE_CALL,
    steps: turn("go"),
    ...rest,
    answers: { ...rest.answers, hooks: { PreToolUse: [{ ...hook, outputs: [output] }] } },
    cases,
  };
};
const didNot = { name: "keeps the call from happening", see: ({ files }: any) => files, is: {} };
const did = { name: "lets the call happen", see: ({ files }: any) => files, is: { a: "" } };

export const HOOKS: readonly Scenario[] = [
  {
    name: "callbacks for all events of a run",
    options: { allowedTools: ["Bash"] },
    answers: {
      hooks: Object.fromEntries(
        ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop"].map(
          (event) => [event, once({})],
        ),
      ),
    },
    says: [{ calls: [bash("touch a")] }, { calls: [bash("exit 3")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      {
        name: "are called in order",
        see: events,
        is: [
          "UserPromptSubmit",
          "PreToolUse",
          "PostToolUse",
          "PostToolBatch",
          "PreToolUse",
          "PostToolUseFailure",
          "PostToolBatch",
          "Stop",
        ],
      },
      {
        name: "UserPromptSubmit is told the prompt",
        see: (seen) => inputs(seen, "UserPromptSubmit")[0],
        is: expect.objectContaining({ ...BASE, permission_mode: "default", prompt: "go" }),
      },
      {
        name: "PreToolUse is told the call",
        see: (seen) => inputs(seen, "PreToolUse")[0],
        is: expect.objectContaining({
          ...BASE,
          prompt_id: UUID,
          permission_mode: "default",
          effort: { level: expect.any(String) },
          tool_name: "Bash",
          tool_input: TOUCH,
          tool_use_id: "call_1_1",
        }),
      },
      {
        name: "PostToolUse is told the result, too",
        see: (seen) => inputs(seen, "PostToolUse")[0],
        is: expect.objectContaining({
          ...BASE,
          tool_name: "Bash",
          tool_input: TOUCH,
          tool_response: expect.objectContaining({ stdout: "", stderr: "" }),
          tool_use_id: "call_1_1",
        }),
      },
      {
        name: "PostToolUseFailure is told the error",
        see: (seen) => inputs(seen, "PostToolUseFailure")[0],
        is: expect.objectContaining({ ...BASE, tool_name: "Bash", error: expect.stringContaining("3") }),
      },
      {
        name: "PostToolBatch is told all calls of a reply",
        see: (seen) => inputs(seen, "PostToolBatch")[0].tool_calls,
        is: [expect.objectContaining({ tool_name: "Bash", tool_input: TOUCH, tool_use_id: "call_1_1" })],
      },
      {
        name: "Stop is told what was said last and what goes on",
        see: (seen) => inputs(seen, "Stop")[0],
        is: expect.objectContaining({
          ...BASE,
          stop_hook_active: false,
          last_assistant_message: "done",
          background_tasks: [],
          session_crons: [],
        }),
      },
      {
        name: "of a call carry the call's id, others one of their own",
        see: ({ asked }) => {
          const [submit, pre] = asked;
          return [pre.tool_use_id, typeof submit.tool_use_id];
        },
        is: ["call_1_1", "string"],
      },
      {
        name: "are called by the names they were given",
        see: ({ asked }) => asked.map(({ callback_id }) => callback_id).slice(0, 3),
        is: ["hook_0", "hook_1", "hook_2"],
      },
      {
        name: "leave no lines on the stream",
        see: ({ messages }) => messages.filter(({ subtype }) => String(subtype).startsWith("hook_")),
        is: [],
      },
    ],
  },
  {
    name: "matchers",
    options: { allowedTools: ["Bash"] },
    answers: {
      hooks: {
        PreToolUse: [
          { matcher: "Write|Edit", outputs: [{ decision: "block", reason: "wrong one" }] },
          { matcher: "Bash", outputs: [{}] },
          { matcher: "*", outputs: [{}] },
          { outputs: [{}] },
        ],
      },
    },
    says: ONE_CALL,
    steps: turn("go"),
    cases: [
      {
        name: "choose who is called",
        see: ({ asked }) => asked.map(({ callback_id }) => callback_id).sort(),
        is: ["hook_1", "hook_2", "hook_3"],
      },
    ],
  },
  before("denying", out("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "house rules" }), [
    {
      name: "tells the model why",
      see: (seen) => toldOf(seen, 2),
      is: ["error: PreToolUse:Bash hook error: house rules"],
    },
    { name: "is listed among the denials", see: (seen) => result(seen).permission_denials.length, is: 1 },
    { name: "is no line of its own", see: (seen) => ofKind(seen, "system/permission_denied"), is: [] },
    didNot,
  ]),
  before("blocking the old way", { decision: "block", reason: "house rules" }, [
    {
      name: "tells the model why",
      see: (seen) => toldOf(seen, 2),
      is: ["error: PreToolUse:Bash hook error: house rules"],
    },
    didNot,
  ]),
  before(
    "allowing",
    out("PreToolUse", { permissionDecision: "allow" }),
    [{ name: "asks nobody", see: ({ asked }) => asked.map(({ subtype }) => subtype), is: ["hook_callback"] }, did],
    { options: {}, answers: { canUseTool: [] } },
  ),
  before(
    "asking",
    out("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    [
      {
        name: "asks the client although a rule allows it",
        see: ({ asked }) => asked.map(({ subtype }) => subtype),
        is: ["hook_callback", "can_use_tool"],
      },
      did,
    ],
    { answers: { canUseTool: [{ behavior: "allow" }] } },
  ),
  before("deferring", out("PreToolUse", { permissionDecision: "defer" }), [
    {
      name: "ends the run with the call in its result",
      see: (seen) => {
        const { subtype, result: text, stop_reason, terminal_reason, deferred_tool_use } = result(seen);
        return { subtype, text, stop_reason, terminal_reason, deferred_tool_use };
      },
      is: {
        subtype: "success",
        text: "",
        stop_reason: "tool_deferred",
        terminal_reason: "tool_deferred",
        deferred_tool_use: { id: "call_1_1", name: "Bash", input: TOUCH },
      },
    },
    didNot,
  ]),
  before(
    "changing the input",
    out("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "touch b" } }),
    [{ name: "runs the other one", see: ({ files }) => files, is: { b: "" } }],
  ),
  before("adding context", out("PreToolUse", { additionalContext: "the sky is low" }), [
    {
      name: "tells the model",
      see: ({ requests }) => JSON.stringify(requests[1].messages.at(-1)),
      is: expect.stringContaining("the sky is low"),
    },
    did,
  ]),
  before("with a message for people", { systemMessage: "mind the step" }, [
    {
      name: "shows it",
      see: (seen) => ofKind(seen, "system/informational").map(({ level, content }) => [level, content]),
      is: [["notice", expect.stringContaining("mind the step")]],
    },
    did,
  ]),
  before("failing", { throws: "broken" }, [
    { name: "is nothing but a notice", see: (seen) => ofKind(seen, "system/informational").length, is: 1 },
    did,
  ]),
  before("failing where failure blocks", { throws: "broken" }, [didNot], { hook: { onFailure: "block" } }),
  before(
    "with an output nobody knows",
    { fromTheFuture: true, hookSpecificOutput: { hookEventName: "PreToolUse", x: 1 } },
    [did],
  ),
  before("saying it will take long", { async: true }, [did]),
  // What a client guards with must not be slipped past by being slow.
  before("too slow for its time", "silent", [didNot], { hook: { timeout: 0.2 } }),
  before("too slow where failure blocks", "silent", [didNot], { hook: { timeout: 0.2, onFailure: "block" } }),
  {
    name: "a callback open at the end of the input",
    only: "pipe",
    options: { allowedTools: ["Bash"] },
    answers: { hooks: { PreToolUse: once("silent") } },
    says: ONE_CALL,
    steps: [{ say: "go" }, { untilAsked: 1 }, { end: true }],
    cases: [did, { name: "lets the run end", see: (seen) => [result(seen).result, seen.end.code], is: ["done", 0] }],
  },
  {
    name: "a callback open at an interrupt",
    options: { allowedTools: ["Bash"] },
    answers: { hooks: { PreToolUse: once("silent") } },
    says: ONE_CALL,
    steps: [
      { say: "go" },
      { untilAsked: 1 },
      { ask: { subtype: "interrupt" }, as: "stop" },
      { until: { type: "result" } },
    ],
    cases: [didNot, { name: "ends the run", see: (seen) => result(seen).subtype, is: "error_during_execution" }],
  },
  {
    name: "UserPromptSubmit blocking",
    answers: { hooks: { UserPromptSubmit: once({ decision: "block", reason: "not this word" }, {}) } },
    says: [{ text: "fine" }],
    steps: [...turn("bad word"), ...turn("good word")],
    cases: [
      { name: "asks no model", see: ({ requests }) => requests.length, is: 1 },
      {
        name: "says so to people",
        see: (seen) => ofKind(seen, "system/informational").map(({ level, content }) => [level, content]),
        is: [["warning", expect.stringContaining("not this word")]],
      },
      {
        name: "says so to programs",
        see: (seen) => ofKind(seen, "system/informational").map(({ prompt_submit_outcome: outcome }) => outcome),
        is: [{ kind: "blocked_by_hook", prompt_kept: false, reason: "not this word" }],
      },
      {
        name: "has a result that says so",
        see: (seen) => [result(seen).subtype, result(seen).result],
        is: ["success", expect.stringContaining("not this word")],
      },
      {
        name: "leaves the prompt out of the conversation",
        see: ({ requests }) => JSON.stringify(requests).includes("bad word"),
        is: false,
      },
    ],
  },
  {
    name: "UserPromptSubmit adding context",
    answers: { hooks: { UserPromptSubmit: once(out("UserPromptSubmit", { additionalContext: "it is Tuesday" })) } },
    says: [{ text: "fine" }],
    steps: turn("hi"),
    cases: [
      {
        name: "tells the model",
        see: ({ requests }) => JSON.stringify(requests[0].messages),
        is: expect.stringContaining("it is Tuesday"),
      },
    ],
  },
  {
    name: "PostToolUse blocking",
    options: { allowedTools: ["Bash"] },
    answers: { hooks: { PostToolUse: once({ decision: "block", reason: "look again" }) } },
    says: ONE_CALL,
    steps: turn("go"),
    cases: [
      {
        name: "tells the model",
        see: ({ requests }) => JSON.stringify(requests[1].messages.at(-1)),
        is: expect.stringContaining("look again"),
      },
      did,
    ],
  },
  {
    name: "PostToolUse adding context",
    options: { allowedTools: ["Bash"] },
    answers: { hooks: { PostToolUse: once(out("PostToolUse", { additionalContext: "well done" })) } },
    says: ONE_CALL,
    steps: turn("go"),
    cases: [
      {
        name: "tells the model",
        see: ({ requests }) => JSON.stringify(requests[1].messages.at(-1)),
        is: expect.stringContaining("well done"),
      },
      {
        name: "is not part of what the tool said",
        see: (seen) => JSON.stringify(ofKind(seen, "user")),
        is: expect.not.stringContaining("well done"),
      },
    ],
  },
  {
    name: "PostToolUse changing the output",
    options: { allowedTools: ["Bash"] },
    answers: {
      hooks: {
        PostToolUse: once(
          out("PostToolUse", {
            updatedToolOutput: { stdout: "other", stderr: "", interrupted: false, isImage: false },
          }),
        ),
      },
    },
    says: [{ calls: [bash("echo secret")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      { name: "is what the model hears", see: (seen) => toldOf(seen, 2), is: [expect.stringContaining("other")] },
    ],
  },
  {
    name: "Stop blocking",
    answers: { hooks: { Stop: once({ decision: "block", reason: "one more thing" }, {}) } },
    says: [{ text: "done" }, { text: "now done" }],
    steps: turn("go"),
    cases: [
      {
        name: "is heard by the model",
        see: (seen) => heard(seen, 2).at(-1).text,
        is: expect.stringContaining("Stop hook feedback:\none more thing"),
      },
      {
        name: "is told the second time that it was asked before",
        see: (seen) => inputs(seen, "Stop").map(({ stop_hook_active }: any) => stop_hook_active),
        is: [false, true],
      },
      { name: "has one result", see: (seen) => result(seen).result, is: "now done" },
    ],
  },
  {
    name: "PermissionRequest allowing",
    answers: {
      canUseTool: ["silent"],
      hooks: { PermissionRequest: once(out("PermissionRequest", { decision: { behavior: "allow" } })) },
    },
    says: ONE_CALL,
    steps: turn("go"),
    cases: [
      did,
      {
        name: "is told what would be asked",
        see: (seen) => inputs(seen, "PermissionRequest")[0],
        is: expect.objectContaining({
          ...BASE,
          tool_name: "Bash",
          tool_input: TOUCH,
          permission_suggestions: expect.any(Array),
        }),
      },
    ],
  },
  {
    name: "PermissionRequest denying",
    answers: {
      canUseTool: ["silent"],
      hooks: {
        PermissionRequest: once(out("PermissionRequest", { decision: { behavior: "deny", message: "never here" } })),
      },
    },
    says: ONE_CALL,
    steps: turn("go"),
    cases: [
      didNot,
      { name: "tells the model why", see: (seen) => toldOf(seen, 2), is: [expect.stringContaining("never here")] },
    ],
  },
  {
    name: "model switches",
    answers: { hooks: { PreModelSwitch: once({}), PostModelSwitch: once({}) } },
    says: [{ text: "one" }, { text: "two" }],
    steps: [...turn("one"), { ask: { subtype: "set_model", model: "claude-haiku-4-5" }, as: "model" }, ...turn("two")],
    cases: [
      { name: "are told before and after", see: events, is: ["PreModelSwitch", "PostModelSwitch"] },
      {
        name: "say from where to where",
        see: (seen) => inputs(seen).map(({ from_model, to_model }: any) => [from_model, to_model]),
        is: [1, 2].map(() => [SONNET, "claude-haiku-4-5"]),
      },
      {
        name: "say what it would cost",
        see: (seen) => inputs(seen)[0],
        is: expect.objectContaining({
          requested_model: "claude-haiku-4-5",
          source: "sdk",
          context_tokens: 120,
          cache_ttl: "5m",
          estimated_cache_write_usd: expect.closeTo(0.00015, 6),
          pricing: "catalog",
        }),
      },
    ],
  },
  {
    name: "a model switch that is refused",
    answers: {
      hooks: {
        PreModelSwitch: once(
          out("PreModelSwitch", { permissionDecision: "deny", permissionDecisionReason: "too dear" }),
        ),
      },
    },
    says: [{ text: "one" }, { text: "two" }],
    steps: [...turn("one"), { ask: { subtype: "set_model", model: "claude-haiku-4-5" }, as: "model" }, ...turn("two")],
    cases: [
      {
        name: "is answered with why",
        about: { subtype: "set_model" },
        see: ({ replies }) => replies["model"],
        is: { subtype: "error", error: "too dear" },
      },
      { name: "does not happen", see: ({ requests }) => requests[1].model, is: SONNET },
    ],
  },
];
