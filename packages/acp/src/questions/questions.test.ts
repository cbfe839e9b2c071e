import { expect, test } from "bun:test";
import type { JsonObject, UncheckedRequest } from "@keelson/protocol";
import type { ClientCapabilities } from "../schema/types.ts";
import { faultsOf } from "../schema/official.test-support.ts";
import type { EditorQuestion, QuestionContext, QuestionStep } from "./question.ts";
import { questionFor } from "./questions.ts";

const FORMS: ClientCapabilities = { elicitation: { form: {}, url: {} } };

const contextWith = (fields: Partial<QuestionContext> = {}): QuestionContext => ({
  sessionId: "s",
  cwd: "/p",
  capabilities: {},
  newId: () => "new",
  ...fields,
});

const TYPES = {
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
};

/** The question, which is valid. */
function asked(step: QuestionStep | undefined): EditorQuestion {
  if (step === undefined || !("ask" in step)) throw new Error(`Nothing is asked: ${JSON.stringify(step)}`);
  expect(faultsOf(TYPES[step.ask.method], step.ask.params)).toEqual([]);
  return step.ask;
}

const ask = (request: object, context?: Partial<QuestionContext>) =>
  asked(questionFor(request as UncheckedRequest, contextWith(context)));
const use = (tool: string, input: object, fields: object = {}) => ({
  subtype: "can_use_tool",
  tool_name: tool,
  tool_use_id: "t1",
  input,
  ...fields,
});
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const text = (text: string) => ({ type: "content", content: { type: "text", text } });
const options = (question: EditorQuestion) =>
  question.method === "session/request_permission"
    ? question.params.options.map(({ name, kind }) => `${kind}: ${name}`)
    : [];

const addRules = (destination: string, behavior = "allow") => ({
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "npm test:*" }, { toolName: "Read" }],
  behavior,
  destination,
});

test("a permission question has every way to say yes and no, and says what is remembered where and how long", () => {
  const some = [
    addRules("localSettings"),
    addRules("session"),
    addRules("localSettings", "deny"),
    { type: "setMode", mode: "acceptEdits", destination: "session" },
    { type: "addDirectories", directories: ["/x"], destination: "userSettings" },
    { type: "odd" },
    7,
  ];
  const question = ask(use("Bash", { command: "npm test" }, { permission_suggestions: some }));
  expect(options(question)).toEqual([
    "allow_once: Yes",
    "allow_always: Yes, and allow Bash(npm test:*), Read from now on (saved in .claude/settings.local.json)",
    "allow_always: Yes, and allow Bash(npm test:*), Read until this session ends (nothing is saved)",
    "allow_always: Yes, and allow all edits until this session ends (nothing is saved)",
    "allow_always: Yes, and allow access to /x from now on (saved in ~/.claude/settings.json)",
    "reject_once: No",
    "reject_once: No, and stop",
  ]);
  const allow = { behavior: "allow", updatedInput: { command: "npm test" } };
  expect(question.answer(selected("allow"))).toEqual({ reply: allow });
  expect(question.answer(selected("allow_always_3"))).toEqual({
    reply: { ...allow, updatedPermissions: [some[4]] },
  } as never);
  expect(question.answer(selected("reject"))).toEqual({ reply: { behavior: "deny", message: expect.any(String) } });
  expect(question.answer(selected("reject_and_stop"))).toEqual({
    reply: { behavior: "deny", interrupt: true, message: expect.any(String) },
  });
  const none = use("Bash", {}, { permission_suggestions: some, suppress_always_allow_rule: true });
  expect(options(ask(none))).toEqual(["allow_once: Yes", "reject_once: No", "reject_once: No, and stop"]);
});

const ODD = [
  undefined,
  null,
  "yes",
  {},
  { outcome: "selected" },
  { outcome: { outcome: "cancelled", optionId: "allow" } },
  { outcome: { outcome: "selected" } },
  selected("allow_always_9"),
  { outcome: { outcome: "Selected", optionId: "allow" } },
  { action: "accept" },
  { action: "accept", content: { question_0: "C" } },
  { action: "accept", content: { question_0: ["A"] } },
  { action: "accept", content: { other_0: 1 } },
  { action: "accept", content: [] },
  { action: "decline" },
];

const CHOICES = use("AskUserQuestion", {
  questions: [
    {
      question: "Which?",
      header: "Kind",
      options: [{ label: "A", description: "The first" }, { label: "B" }],
      multiSelect: false,
    },
    { question: "What else?", header: "", options: [{ label: "X" }, { label: "Y, Z" }], multiSelect: true },
  ],
});

test.each([
  ["a permission", use("Bash", { command: "ls" }), {}],
  ["a plan", use("ExitPlanMode", { plan: "1" }), {}],
  ["a choice", CHOICES, {}],
  ["a form", CHOICES, FORMS],
])("whatever is no answer to %s is a no", (_, request, capabilities) => {
  for (const result of ODD) {
    expect(ask(request, { capabilities }).answer(result)).toEqual({
      reply: expect.objectContaining({ behavior: "deny" }),
    });
  }
});

test("a question shows the whole command, why it is asked, and who asks", () => {
  const input = { command: "rm -rf build\nls", description: "Clean", timeout: 5 };
  const fields = {
    agent_type: "Explore",
    decision_reason: "It deletes files",
    matched_ask_rule: { source: "userSettings", tool_name: "Bash", rule_content: "rm:*" },
  };
  const { params } = ask(use("Bash", input, fields));
  expect(params).toMatchObject({
    toolCall: {
      toolCallId: "t1",
      name: "Bash",
      title: "Bash rm -rf build ls (subagent Explore)",
      kind: "execute",
      status: "pending",
      rawInput: input,
      content: [
        text("```sh\nrm -rf build\nls\n```"),
        text("Clean"),
        text('```json\n{\n  "timeout": 5\n}\n```'),
        text("It deletes files\n\nAsked by the rule Bash(rm:*) of userSettings"),
      ],
    },
  });
});

test("a question about an edit shows its diff, and about another tool its input", () => {
  const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }];
  const contentOf = (request: object) => {
    const { params } = ask(request);
    return "toolCall" in params ? params.toolCall.content : undefined;
  };
  const edit = { file_path: "a.ts", old_string: "a", new_string: "b" };
  const diff = { type: "diff", path: "/p/a.ts", oldText: "a", newText: "b" };
  expect(contentOf(use("Edit", edit, { patch: { path: "/p/a.ts", hunks } }))).toEqual([diff] as never);
  expect(contentOf(use("Edit", edit))).toEqual([diff] as never);
  const write = { file_path: "/p/n", content: "x\n" };
  expect(contentOf(use("Write", write, { patch: { path: "/p/n", isNew: true, hunks } }))).toEqual([
    { type: "diff", path: "/p/n", oldText: null, newText: "x\n" },
  ]);
  const server = { mcp_server: { name: "git", source: "project" } };
  expect(contentOf(use("mcp__git__log", { n: 1 }, server))).toEqual([
    text('```json\n{\n  "n": 1\n}\n```'),
    text("MCP server: git (project)"),
  ] as never);
});

test("the call is as the editor knows it, and its state does not go back", () => {
  const shown = () => ({
    toolCallId: "t1",
    title: "Edit the thing",
    kind: "edit" as const,
    status: "in_progress" as const,
    _meta: { claudeCode: { toolName: "Thing", parentToolUseId: "t0" } },
  });
  const { params } = ask(use("Thing", {}), { shown });
  const call = "toolCall" in params ? params.toolCall : undefined;
  expect([call?.title, call?.kind, call?.status, call?._meta]).toEqual([
    "Edit the thing",
    "edit",
    undefined,
    shown()._meta,
  ] as never);
});

test("a plan is approved with or without accepting edits, or planning goes on", () => {
  const input = { plan: "# The plan", planFilePath: "/plans/a.md" };
  const question = ask(use("ExitPlanMode", input));
  expect(options(question)).toEqual([
    "allow_always: Yes, and accept edits",
    "allow_once: Yes, and ask for each edit",
    "reject_once: No, keep planning",
  ]);
  expect(question.params).toMatchObject({
    toolCall: { kind: "switch_mode", content: [text("# The plan"), text("The plan is in /plans/a.md")] },
  });
  const approved = (mode: string) => ({
    reply: {
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [{ type: "setMode", mode, destination: "session" }],
    },
  });
  expect(question.answer(selected("acceptEdits"))).toEqual(approved("acceptEdits"));
  expect(question.answer(selected("default"))).toEqual(approved("default"));
  expect(question.answer(selected("keep_planning"))).toEqual({
    reply: { behavior: "deny", message: expect.stringContaining("Stay in plan mode") },
  });
});

const withAnswers = (answers: JsonObject) => ({
  reply: { behavior: "allow", updatedInput: { ...CHOICES.input, answers } },
});

test("questions of the model are one form where forms are shown", () => {
  const question = ask(CHOICES, { capabilities: FORMS });
  expect(question.method).toBe("elicitation/create");
  expect(question.params).toMatchObject({
    toolCallId: "t1",
    mode: "form",
    requestedSchema: {
      properties: {
        question_0: {
          type: "string",
          title: "Kind",
          oneOf: [{ const: "A", title: "A", description: "The first" }, { const: "B" }],
        },
        other_0: { type: "string" },
        question_1: { type: "array", title: "What else?", items: { anyOf: [{ const: "X" }, { const: "Y, Z" }] } },
      },
    },
  });
  const answer = (content: object) => question.answer({ action: "accept", content });
  expect(answer({ question_0: "B", question_1: ["X", "Y, Z"], other_1: " more " })).toEqual(
    withAnswers({ "Which?": "B", "What else?": "X, Y, Z, more" }),
  );
  expect(answer({ other_0: "Neither" })).toEqual(withAnswers({ "Which?": "Neither" }));
  expect(answer({})).toEqual({ reply: expect.objectContaining({ behavior: "deny" }) });
});

test("without forms they are asked one after the other, and where several may be chosen, until the user is done", () => {
  const first = ask(CHOICES);
  expect(options(first)).toEqual(["allow_once: A", "allow_once: B", "reject_once: No answer"]);
  const second = asked(first.answer(selected("choice_1")));
  expect(second.params).toMatchObject({
    toolCall: {
      title: "What else?",
      content: [text("What else?\n\n1. X\n2. Y, Z\n\nSeveral may be chosen, one after the other.")],
    },
  });
  const third = asked(second.answer(selected("choice_0")));
  expect(options(third)).toEqual(["allow_once: Y, Z", "allow_once: Done", "reject_once: No answer"]);
  expect(third.answer(selected("done"))).toEqual(withAnswers({ "Which?": "B", "What else?": "X" }));
  expect(third.answer(selected("choice_1"))).toEqual(withAnswers({ "Which?": "B", "What else?": "X, Y, Z" }));
  expect(third.answer(undefined)).toEqual({ reply: expect.objectContaining({ behavior: "deny" }) });
});

test("questions that cannot be read are asked about like any call", () => {
  expect(options(ask(use("AskUserQuestion", { questions: [{}] })))[0]).toBe("allow_once: Yes");
});

const elicitation = (fields: object) => ({
  subtype: "elicitation",
  mcp_server_name: "git",
  message: "Who?",
  ...fields,
});
const form = elicitation({
  requested_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
});
const page = elicitation({ mode: "url", url: "https://x.example/a", elicitation_id: "e" });

test("a question of an MCP server passes through where the editor takes it", () => {
  const question = ask(form, { capabilities: FORMS });
  expect(question.params).toMatchObject({
    sessionId: "s",
    mode: "form",
    message: 'MCP server "git": Who?',
    requestedSchema: form["requested_schema" as never],
  });
  expect(question.answer({ action: "accept", content: { name: "Bob" } })).toEqual({
    reply: { action: "accept", content: { name: "Bob" } },
  });
  expect(question.answer({ action: "decline" })).toEqual({ reply: { action: "decline" } });
  for (const odd of [
    undefined,
    {},
    { action: "yes" },
    { action: "accept", content: { name: {} } },
    { action: "accept", content: 1 },
  ])
    expect(question.answer(odd)).toEqual({ reply: { action: "cancel" } });
  const url = ask(page, { capabilities: FORMS });
  expect(url.params).toMatchObject({ mode: "url", url: "https://x.example/a", elicitationId: "e" });
  expect(url.answer({ action: "accept", content: { a: 1 } })).toEqual({ reply: { action: "accept" } });
});

test.each<[string, object, ClientCapabilities]>([
  ["a form, without forms", form, {}],
  ["a form, with an empty capability", form, { elicitation: {} }],
  ["a page, with forms only", page, { elicitation: { form: {} } }],
  ["no address", elicitation({ mode: "url", url: "nowhere" }), FORMS],
  ["no form", elicitation({ requested_schema: { type: "object", properties: { a: { type: "object" } } } }), FORMS],
])("nobody is asked: %s", (_, request, capabilities) => {
  expect(questionFor(request as UncheckedRequest, contextWith({ capabilities }))).toEqual({
    reply: { action: "cancel" },
  });
});

test("other requests are not for editors", () => {
  expect(questionFor({ subtype: "hook_callback", callback_id: "a" }, contextWith())).toBeUndefined();
});

test("whatever an editor can do, each question is valid, and nothing is asked in a way that it did not offer", () => {
  const requests = [CHOICES, use("Bash", { command: "ls" }), use("ExitPlanMode", {}), use("", 1 as never), form, page];
  const offers = [undefined, null, {}];
  const offered = [undefined, null, ...offers.flatMap((form) => offers.map((url) => ({ form, url })))];
  for (const elicitation of offered) {
    for (const request of requests) {
      const step = questionFor(request as UncheckedRequest, contextWith({ capabilities: { elicitation } }));
      const question = step && "ask" in step ? asked(step) : undefined;
      if (question?.method !== "elicitation/create") continue;
      expect(elicitation?.[question.params.mode]).toEqual({});
    }
  }
});
