// How a session begins: initialize and what it may carry, init, and starting without either.

import { expect } from "bun:test";
import { bash, init, kinds, ofKind, result, results, turn, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const systemOf = ({ requests }: { requests: readonly any[] }) => requests[0].system.map(({ text }: any) => text);
const SCHEMA = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

/** Whatever a client may say of itself, and something it could say one day. */
const EVERYTHING = {
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

const FACTS = {
  commands: expect.any(Array),
  agents: expect.any(Array),
  output_style: "default",
  available_output_styles: ["default", "Proactive", "Concise", "Explanatory", "Learning"],
  user_output_styles_dir: expect.stringMatching(/\/\.claude\/output-styles$/),
  models: expect.arrayContaining([
    {
      value: "default",
      resolvedModel: SONNET,
      displayName: expect.any(String),
      description: expect.any(String),
      supportsEffort: true,
      supportedEffortLevels: ["low", "medium", "high", "xhigh", "max"],
      supportsAdaptiveThinking: true,
    },
  ]),
  account: { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
  pid: expect.any(Number),
  claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  keelson_version: expect.any(String),
  current_permission_mode: "default",
  session_state: "idle",
  capabilities: expect.arrayContaining(["interrupt_receipt_v1", "interrupt_cancel_queued_v1"]),
  hook_on_failure_supported: true,
};

export const START: readonly Scenario[] = [
  {
    name: "a prompt alone",
    says: [{ text: "hello there" }],
    steps: turn("hi"),
    cases: [
      { name: "needs no initialize", see: kinds, is: ["system/init", "assistant", "result"] },
      { name: "is answered", see: (seen) => result(seen).result, is: "hello there" },
      { name: "ends with nothing wrong", only: "pipe", see: ({ end }) => [end.code, end.stderr], is: [0, ""] },
      { name: "throws nothing", only: "sdk", see: ({ end }) => end, is: {} },
      {
        name: "is preceded by the folder, the model, the mode and the version",
        see: init,
        is: expect.objectContaining({
          cwd: "<project>",
          model: SONNET,
          permissionMode: "default",
          apiKeySource: "ANTHROPIC_API_KEY",
          output_style: "default",
          claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        }),
      },
      {
        name: "is preceded by lists, empty or not",
        see: (seen) => ["tools", "mcp_servers", "slash_commands", "skills", "plugins"].map((key) => init(seen)[key]),
        is: Array(5).fill(expect.any(Array)),
      },
      {
        name: "is preceded by the tools there are",
        see: (seen) => init(seen).tools,
        is: expect.arrayContaining(["Bash", "Edit", "Glob", "Grep", "Read", "Write"]),
      },
      {
        name: "has no plugin errors to tell",
        see: (seen) => "plugin_errors" in init(seen),
        is: false,
      },
    ],
  },
  {
    name: "initialize with everything",
    only: "pipe",
    steps: [
      { ask: EVERYTHING, as: "initialize" },
      { ask: { subtype: "get_hooks_listing" }, as: "hooks" },
    ],
    cases: [
      {
        name: "is accepted, and the reply is whole",
        see: ({ replies }) => replies["initialize"],
        is: {
          subtype: "success",
          response: { ...FACTS, hooks_applied: true },
          pending_permission_requests: [],
          pending_user_dialog_requests: [],
        },
      },
      {
        name: "registers the callbacks of events that are known",
        see: ({ replies }) => replies["hooks"].response.hooks,
        is: [
          {
            event: "PreToolUse",
            matcher: "Bash",
            type: "callback",
            label: "callback hook_0",
            source: "sdk",
            timeout: 5,
          },
        ],
      },
      { name: "runs nothing by itself", see: ({ requests }) => requests, is: [] },
    ],
  },
  {
    name: "initialize",
    steps: [
      { ask: { subtype: "initialize" }, as: "first" },
      { ask: { subtype: "initialize" }, as: "second" },
      ...turn("hi"),
    ],
    says: [{ text: "hello" }],
    cases: [
      {
        name: "tells what the program is",
        see: ({ replies }) => replies["first"].response,
        is: expect.objectContaining({ ...FACTS }),
      },
      {
        name: "says the same when it is repeated",
        see: ({ replies }) => replies["second"].response,
        is: expect.objectContaining({ ...FACTS }),
      },
      {
        name: "a second time is followed by what runs in the background",
        see: (seen) => ofKind(seen, "system/background_tasks_changed").map(({ tasks }) => tasks)[0],
        is: [],
      },
      {
        name: "comes before init, which comes with the prompt",
        only: "pipe",
        see: ({ order }) => order.slice(0, 4),
        is: ["reply initialize 1", "reply initialize 2", "system/background_tasks_changed", "system/init"],
      },
    ],
  },
  {
    name: "prompt, schema and title of the client",
    options: {
      systemPrompt: ["You are X", "and more"],
      outputFormat: { type: "json_schema", schema: SCHEMA },
      title: "Mine",
    },
    says: [{ calls: [{ name: "StructuredOutput", input: { a: "b" } }] }],
    steps: turn("go"),
    cases: [
      { name: "the prompt is the system prompt", see: (seen) => systemOf(seen).at(-1), is: "You are X\n\nand more" },
      { name: "the schema shapes the answer", see: (seen) => result(seen).structured_output, is: { a: "b" } },
      {
        name: "the title is told before anything else",
        see: (seen) => seen.messages[0],
        is: expect.objectContaining({ subtype: "session_title_changed", title: "Mine" }),
      },
      {
        name: "the title is kept",
        see: ({ entries }) =>
          new Set(entries.filter(({ type }) => type === "custom-title").map(({ customTitle }) => customTitle)),
        is: new Set(["Mine"]),
      },
      {
        name: "the title comes before the answer to initialize",
        only: "pipe",
        see: ({ order }) => order.slice(0, 3),
        is: ["system/session_title_changed", "reply initialize", "system/init"],
      },
    ],
  },
  {
    name: "a prompt of the client as one text",
    options: { systemPrompt: "You are a parrot" },
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [{ name: "is the system prompt", see: (seen) => systemOf(seen).slice(1), is: ["You are a parrot"] }],
  },
  {
    name: "a prompt of the client with something appended",
    only: "pipe",
    says: [{ text: "ok" }],
    steps: [
      { ask: { subtype: "initialize", systemPrompt: ["You are X"], appendSystemPrompt: "at the end" }, as: "said" },
      ...turn("go"),
    ],
    cases: [{ name: "is both", see: (seen) => systemOf(seen).slice(1), is: ["You are X\n\nat the end"] }],
  },
  {
    name: "an empty prompt of the client",
    options: { systemPrompt: [""] },
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [{ name: "is a choice", see: (seen) => systemOf(seen).length, is: 1 }],
  },
  {
    name: "no word about the system prompt",
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [
      {
        name: "on the wire leaves ours",
        only: "pipe",
        see: (seen) => systemOf(seen)[1],
        is: expect.stringContaining("# How to work"),
      },
      { name: "in the SDK's options means none", only: "sdk", see: (seen) => systemOf(seen).length, is: 1 },
    ],
  },
  {
    name: "the preset with something appended",
    only: "sdk",
    options: { systemPrompt: { type: "preset", preset: "claude_code", append: "Mind the gap" } },
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [
      {
        name: "is our prompt and the addition",
        see: (seen) => systemOf(seen).at(-1),
        is: expect.stringMatching(/# How to work[^]*Mind the gap$/),
      },
    ],
  },
  {
    name: "a second initialize while a question is open",
    only: "pipe",
    answers: { canUseTool: ["silent"] },
    says: [{ calls: [bash("touch a")] }, { text: "fine" }],
    steps: [
      { ask: { subtype: "initialize" }, as: "first" },
      { say: "go" },
      { untilAsked: 1 },
      { ask: { subtype: "initialize" }, as: "again" },
      { ask: { subtype: "interrupt" }, as: "stop" },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "tells that a run goes on",
        see: ({ replies }) => replies["again"].response.session_state,
        is: "running",
      },
      {
        name: "repeats the question",
        see: ({ replies }) => replies["again"].pending_permission_requests,
        is: [
          {
            type: "control_request",
            request_id: expect.any(String),
            request: expect.objectContaining({ subtype: "can_use_tool", tool_name: "Bash" }),
          },
        ],
      },
    ],
  },
  {
    name: "tools and directories by option",
    options: { tools: ["Read", "Bash"], disallowedTools: ["Bash"], model: "claude-haiku-4-5", permissionMode: "plan" },
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [
      { name: "only the named tools are offered", see: (seen) => init(seen).tools, is: ["Read"] },
      {
        name: "the model hears of no others",
        see: ({ requests }) => requests[0].tools.map(({ name }: any) => name),
        is: ["Read"],
      },
      { name: "the model is the chosen one", see: (seen) => init(seen).model, is: "claude-haiku-4-5" },
      { name: "the mode is the chosen one", see: (seen) => init(seen).permissionMode, is: "plan" },
    ],
  },
  {
    name: "no tools at all",
    options: { tools: [] },
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [{ name: "is possible", see: (seen) => init(seen).tools, is: [] }],
  },
  {
    name: "a flag nobody knows",
    options: { extraArgs: { "no-such-flag": null } },
    steps: turn("go"),
    cases: [
      { name: "is an error before anything happens", see: (seen) => [results(seen), seen.requests], is: [[], []] },
      {
        name: "is named on stderr",
        only: "pipe",
        see: ({ end }) => [end.code, end.stderr],
        is: [1, expect.stringContaining("no-such-flag")],
      },
      {
        name: "is named in what is thrown",
        only: "sdk",
        see: ({ end }) => end.error,
        is: {
          name: "ProcessError",
          errorClass: "process_exited_nonzero",
          message: expect.stringContaining("no-such-flag"),
        },
      },
    ],
  },
];
