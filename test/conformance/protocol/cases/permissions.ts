// Questions to the client before a call, everything they say, and everything that may be answered.

import { expect } from "bun:test";
import { bash, heard, init, ofKind, read, result, toldOf, turn, write, type Scenario } from "../scenario.ts";

const ALLOW = { behavior: "allow" } as const;
const question = (seen: any, at = 0) => seen.asked[at];
const QUESTION = {
  questions: [
    {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "Red", description: "warm" },
        { label: "Blue", description: "cold" },
      ],
    },
  ],
};
const DENIED_BY_EOF = "Tool permission stream closed before response received";

export const PERMISSIONS: readonly Scenario[] = [
  {
    name: "can_use_tool for a command",
    answers: { canUseTool: [ALLOW] },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      {
        name: "names the tool, the input and the call",
        see: (seen) => question(seen),
        is: expect.objectContaining({
          subtype: "can_use_tool",
          tool_name: "Bash",
          display_name: "Bash",
          input: { command: "touch a", description: "x" },
          description: "x",
          tool_use_id: "call_1_1",
        }),
      },
      {
        name: "says why it asks",
        see: (seen) => question(seen).decision_reason,
        is: expect.any(String),
      },
      {
        name: "says what kind of reason that is",
        only: "pipe",
        see: (seen) => question(seen).decision_reason_type,
        is: expect.stringMatching(/^(?:rule|mode|other|workingDir|safetyCheck|subcommandResults)$/),
      },
      {
        name: "suggests a rule to keep",
        see: (seen) => question(seen).permission_suggestions,
        is: expect.arrayContaining([
          expect.objectContaining({
            type: "addRules",
            behavior: "allow",
            destination: "localSettings",
            rules: [{ toolName: "Bash", ruleContent: expect.stringContaining("touch") }],
          }),
        ]),
      },
      { name: "allowed, is carried out", see: ({ files }) => files, is: { a: "" } },
      {
        name: "allowed, is marked as a person's choice for once",
        see: (seen) => ofKind(seen, "user")[0].tool_result_meta,
        is: [{ id: "call_1_1", permission_decision: { decision: "accept", source: "user_temporary" } }],
      },
      {
        name: "comes after the call was shown, before its result",
        only: "pipe",
        see: ({ order }) => order.filter((what) => /^(?:ask|assistant|user)/.test(what)),
        is: ["assistant", "ask can_use_tool", "user", "assistant"],
      },
    ],
  },
  {
    name: "can_use_tool for a file",
    answers: { canUseTool: [ALLOW, ALLOW] },
    says: [{ calls: [write("a.txt", "hi")] }, { calls: [read("../outside.txt")] }, { text: "done" }],
    files: { "../outside.txt": "far" },
    steps: turn("go"),
    cases: [
      {
        name: "suggests to accept edits for the session",
        see: (seen) => question(seen).permission_suggestions,
        is: expect.arrayContaining([{ type: "setMode", mode: "acceptEdits", destination: "session" }]),
      },
      {
        name: "outside of the folder names the path",
        see: (seen) => question(seen, 1).blocked_path,
        is: "<root>/outside.txt",
      },
      {
        name: "outside of the folder suggests to read there",
        see: (seen) => question(seen, 1).permission_suggestions,
        is: expect.arrayContaining([
          expect.objectContaining({
            type: "addRules",
            rules: [{ toolName: "Read", ruleContent: "/<root>/**" }],
            destination: "session",
          }),
        ]),
      },
      { name: "allowed, is carried out", see: ({ files }) => files["a.txt"], is: "hi" },
    ],
  },
  {
    name: "can_use_tool allowed with another input",
    answers: { canUseTool: [{ behavior: "allow", updatedInput: { command: "touch b" } }] },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    steps: turn("go"),
    cases: [{ name: "runs what was answered", see: ({ files }) => files, is: { b: "" } }],
  },
  {
    name: "can_use_tool allowed with another input, in the other spelling",
    only: "pipe",
    answers: { canUseTool: [{ behavior: "allow", updated_input: { command: "touch b" } }] },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    steps: turn("go"),
    cases: [{ name: "runs what was answered", see: ({ files }) => files, is: { b: "" } }],
  },
  {
    name: "can_use_tool allowed in both spellings",
    only: "pipe",
    answers: {
      canUseTool: [
        { behavior: "allow", updatedInput: { command: "touch camel" }, updated_input: { command: "touch snake" } },
      ],
    },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    steps: turn("go"),
    cases: [{ name: "prefers the observed one", see: ({ files }) => files, is: { camel: "" } }],
  },
  {
    name: "can_use_tool answered with everything",
    answers: {
      canUseTool: [
        {
          behavior: "allow",
          updatedInput: { command: "touch a" },
          updatedPermissions: [
            {
              type: "addRules",
              rules: [{ toolName: "Bash", ruleContent: "touch *" }],
              behavior: "allow",
              destination: "session",
            },
          ],
          toolUseID: "call_1_1",
          decisionClassification: "user_permanent",
        },
      ],
    },
    says: [{ calls: [bash("touch a"), bash("touch b")] }, { calls: [bash("touch c")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      { name: "asks no more for what the rule allows", see: ({ asked }) => asked.length, is: 1 },
      { name: "carries all of it out", see: ({ files }) => Object.keys(files).sort(), is: ["a", "b", "c"] },
    ],
  },
  {
    name: "can_use_tool answered with rules, and with an empty list of rules",
    answers: {
      canUseTool: [
        { behavior: "allow", updatedPermissions: [] },
        {
          behavior: "allow",
          updatedPermissions: [
            {
              type: "addRules",
              rules: [{ toolName: "Bash", ruleContent: "touch b" }],
              behavior: "allow",
              destination: "session",
            },
          ],
        },
        {
          behavior: "allow",
          updatedPermissions: [
            {
              type: "addRules",
              rules: [{ toolName: "Bash", ruleContent: "touch c" }],
              behavior: "allow",
              destination: "localSettings",
            },
          ],
        },
      ],
    },
    says: [...["a", "b", "c"].map((file) => ({ calls: [bash(`touch ${file}`)] })), { text: "done" }],
    steps: turn("go"),
    cases: [
      {
        name: "is a choice for now, unless the client says otherwise",
        see: (seen) =>
          ofKind(seen, "user").map(({ tool_result_meta }) => tool_result_meta[0].permission_decision.source),
        is: ["user_temporary", "user_temporary", "user_temporary"],
      },
    ],
  },
  {
    name: "can_use_tool answered with another mode",
    answers: {
      canUseTool: [
        { behavior: "allow", updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
      ],
    },
    says: [{ calls: [write("a.txt", "1")] }, { calls: [write("b.txt", "2")] }, { text: "done" }, { text: "more" }],
    steps: [...turn("go"), ...turn("more")],
    cases: [
      {
        name: "asks no more for edits",
        see: ({ asked, files }) => [asked.length, Object.keys(files)],
        is: [1, ["a.txt", "b.txt"]],
      },
      {
        name: "has the new mode in the next init",
        see: (seen) => ofKind(seen, "system/init").map(({ permissionMode }) => permissionMode),
        is: ["default", "acceptEdits"],
      },
    ],
  },
  {
    name: "can_use_tool denied",
    answers: { canUseTool: [{ behavior: "deny", message: "not today" }] },
    says: [{ calls: [bash("touch a")] }, { text: "understood" }],
    steps: turn("go"),
    cases: [
      { name: "tells the model why", see: (seen) => toldOf(seen, 2), is: ["error: not today"] },
      { name: "goes on", see: (seen) => result(seen).result, is: "understood" },
      {
        name: "is listed",
        see: (seen) => result(seen).permission_denials.map(({ tool_use_id }: any) => tool_use_id),
        is: ["call_1_1"],
      },
      { name: "does nothing", see: ({ files }) => files, is: {} },
      {
        name: "is marked as a person's choice",
        see: (seen) => ofKind(seen, "user")[0].tool_result_meta[0].permission_decision,
        is: expect.objectContaining({ decision: "reject", source: "user_reject" }),
      },
      { name: "is no line of its own", see: (seen) => ofKind(seen, "system/permission_denied"), is: [] },
    ],
  },
  {
    name: "can_use_tool denied with interrupt",
    answers: { canUseTool: [{ behavior: "deny", message: "stop", interrupt: true }] },
    says: [{ calls: [bash("touch a"), bash("touch b")] }, { text: "never" }],
    steps: turn("go"),
    cases: [
      {
        name: "ends the run",
        see: (seen) => [result(seen).subtype, result(seen).terminal_reason],
        is: ["error_during_execution", "aborted_tools"],
      },
      {
        name: "is told apart from a failure",
        see: (seen) => result(seen).errors[0],
        is: "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use",
      },
      {
        name: "answers every call",
        see: (seen) => ofKind(seen, "user").filter(({ tool_use_result }) => tool_use_result).length,
        is: 2,
      },
      { name: "asks the model no more", see: ({ requests }) => requests.length, is: 1 },
      { name: "asks the client no more", see: ({ asked }) => asked.length, is: 1 },
      { name: "does nothing", see: ({ files }) => files, is: {} },
    ],
  },
  {
    name: "can_use_tool answered with an error",
    answers: { canUseTool: [{ throws: "the dialog broke" }] },
    says: [{ calls: [bash("touch a")] }, { text: "understood" }],
    steps: turn("go"),
    cases: [
      {
        name: "is a no that says so",
        see: (seen) => toldOf(seen, 2),
        is: ["error: Tool permission request failed: the dialog broke"],
      },
      {
        name: "is nobody's decision",
        see: (seen) => ofKind(seen, "user")[0].tool_result_meta[0].permission_decision,
        is: { decision: "reject", source: "config", reason_type: "other" },
      },
      { name: "goes on", see: (seen) => result(seen).result, is: "understood" },
    ],
  },
  ...[
    { name: "a no without a reason", answer: { behavior: "deny" } },
    { name: "an empty answer", answer: {} },
    { name: "a behaviour nobody knows", answer: { behavior: "maybe" } },
    { name: "a bare yes", answer: true as never },
    { name: "a bare no", answer: false as never },
    { name: "a list", answer: [] as never },
  ].map(({ name, answer }): Scenario => ({
    name: `can_use_tool answered with ${name}`,
    only: "pipe",
    answers: { canUseTool: [answer] },
    says: [{ calls: [bash("touch a")] }, { text: "understood" }],
    steps: [{ say: "go" }, { until: { type: "result" } }],
    cases: [
      {
        name: "is a no, and the run goes on",
        see: (seen) => [toldOf(seen, 2), seen.files, result(seen).result],
        is: [[expect.stringMatching(/^error: Tool permission request failed/)], {}, "understood"],
      },
    ],
  })),
  {
    name: "can_use_tool answered with its id on top",
    only: "pipe",
    answers: { canUseTool: ["silent"] },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    env: { CLAUDE_CODE_ENTRYPOINT: "sdk-py" },
    steps: [
      { say: "go" },
      { untilAsked: 1 },
      {
        line: {
          type: "control_response",
          request_id: "<id of question 1>",
          response: { subtype: "success", response: { behavior: "allow" } },
        },
      },
      { until: { type: "result" } },
    ],
    cases: [{ name: "is understood", see: ({ files }) => files, is: { a: "" } }],
  },
  {
    name: "can_use_tool answered twice",
    only: "pipe",
    answers: { canUseTool: ["silent"] },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    steps: [
      { say: "go" },
      { untilAsked: 1 },
      ...[{ behavior: "deny", message: "no" }, { behavior: "allow" }].map((response) => ({
        line: {
          type: "control_response",
          response: { subtype: "success", request_id: "<id of question 1>", response },
        },
      })),
      { until: { type: "result" } },
    ],
    cases: [{ name: "counts once, the first", see: (seen) => [toldOf(seen, 2), seen.files], is: [["error: no"], {}] }],
  },
  {
    name: "can_use_tool open at the end of the input",
    only: "pipe",
    answers: { canUseTool: ["silent"] },
    says: [{ calls: [bash("touch a")] }, { text: "understood" }],
    steps: [{ say: "go" }, { untilAsked: 1 }, { end: true }],
    cases: [
      { name: "is a no", see: (seen) => toldOf(seen, 2), is: [expect.stringContaining(DENIED_BY_EOF)] },
      { name: "goes on to the result", see: (seen) => [result(seen).result, seen.end.code], is: ["understood", 0] },
    ],
  },
  {
    name: "can_use_tool open at an interrupt",
    answers: { canUseTool: ["silent"] },
    says: [{ calls: [bash("touch a")] }],
    steps: [
      { say: "go" },
      { untilAsked: 1 },
      { ask: { subtype: "interrupt" }, as: "stop" },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "is withdrawn first, then the interrupt is answered",
        only: "pipe",
        see: ({ order }) => order.slice(order.indexOf("ask can_use_tool") + 1).slice(0, 2),
        is: ["control_cancel_request", "reply interrupt 1"],
      },
      { name: "ends the run", see: (seen) => result(seen).terminal_reason, is: "aborted_tools" },
      {
        name: "is a call that the user rejected",
        see: (seen) =>
          ofKind(seen, "user")
            .slice(0, 1)
            .map(({ message, tool_use_result, tool_result_meta: [meta] }) => [
              message.content[0].content,
              tool_use_result,
              meta.non_execution_kind,
            ]),
        is: [
          [
            expect.stringMatching(/^The user doesn't want to proceed with this tool use\./),
            "User rejected tool use",
            "user-rejected",
          ],
        ],
      },
    ],
  },
  {
    name: "calls nobody needs to be asked about",
    options: { allowedTools: ["Bash(touch *)"] },
    files: { "a.txt": "alpha" },
    answers: { canUseTool: [] },
    says: [{ calls: [read("a.txt"), bash("touch b"), bash("ls")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      { name: "are not asked about", see: ({ asked }) => asked, is: [] },
      { name: "are carried out", see: ({ files }) => "b" in files, is: true },
    ],
  },
  {
    name: "calls a rule denies",
    answers: { canUseTool: [] },
    options: { settings: { permissions: { deny: ["Bash(touch *)"] } } },
    says: [{ calls: [bash("touch b")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      { name: "are not asked about", see: ({ asked }) => asked, is: [] },
      { name: "are denied", see: (seen) => toldOf(seen, 2), is: [expect.stringMatching(/^error: /)] },
    ],
  },
  {
    name: "calls a rule asks about",
    answers: { canUseTool: [ALLOW] },
    options: { settings: { permissions: { ask: ["Bash(ls *)"] } } },
    says: [{ calls: [bash("ls -a")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      {
        name: "are asked about, with the rule",
        only: "pipe",
        see: (seen) => [question(seen).decision_reason_type, question(seen).matched_ask_rule],
        is: ["rule", { source: expect.any(String), tool_name: "Bash", rule_content: "ls *" }],
      },
      { name: "run when allowed", see: (seen) => toldOf(seen, 2), is: [expect.not.stringMatching(/^error/)] },
    ],
  },
  {
    name: "dontAsk",
    options: { permissionMode: "dontAsk" },
    answers: { canUseTool: [] },
    says: [{ calls: [bash("touch a")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      { name: "asks nobody", see: ({ asked, files }) => [asked, files], is: [[], {}] },
      {
        name: "says so on a line",
        see: (seen) => ofKind(seen, "system/permission_denied").map(({ decision_reason_type }) => decision_reason_type),
        is: ["mode"],
      },
    ],
  },
  {
    name: "acceptEdits",
    options: { permissionMode: "acceptEdits" },
    answers: { canUseTool: [{ behavior: "deny", message: "no" }] },
    says: [{ calls: [write("a.txt", "1")] }, { calls: [bash("curl http://127.0.0.1:1")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      {
        name: "asks for commands, not for edits",
        see: ({ asked }) => asked.map(({ tool_name }) => tool_name),
        is: ["Bash"],
      },
      { name: "edits", see: ({ files }) => files, is: { "a.txt": "1" } },
    ],
  },
  {
    name: "a mode set between prompts",
    answers: { canUseTool: [] },
    says: [{ text: "one" }, { calls: [write("a.txt", "1")] }, { text: "two" }],
    steps: [
      ...turn("one"),
      { ask: { subtype: "set_permission_mode", mode: "acceptEdits" }, as: "mode" },
      ...turn("two"),
    ],
    cases: [
      {
        name: "is acknowledged",
        about: { subtype: "set_permission_mode", mode: "acceptEdits" },
        see: ({ replies }) => replies["mode"],
        is: { subtype: "success", response: { mode: "acceptEdits" } },
      },
      { name: "holds", see: ({ asked, files }) => [asked, files], is: [[], { "a.txt": "1" }] },
      {
        name: "is in the next init",
        see: (seen) => ofKind(seen, "system/init").map(({ permissionMode }) => permissionMode),
        is: ["default", "acceptEdits"],
      },
      {
        name: "is told before it is acknowledged",
        only: "pipe",
        see: ({ order }) => order.slice(order.indexOf("reply set_permission_mode 1") - 1).slice(0, 2),
        is: ["system/status", "reply set_permission_mode 1"],
      },
    ],
  },
  {
    name: "AskUserQuestion",
    answers: {
      canUseTool: [{ behavior: "allow", updatedInput: { ...QUESTION, answers: { "Which colour?": "Red" } } }],
    },
    says: [{ calls: [{ name: "AskUserQuestion", input: QUESTION }] }, { text: "red then" }],
    steps: turn("go"),
    cases: [
      {
        name: "comes as a question about a call",
        see: (seen) => [question(seen).tool_name, question(seen).input],
        is: ["AskUserQuestion", QUESTION],
      },
      {
        name: "says that a person is needed",
        only: "pipe",
        see: (seen) => question(seen).requires_user_interaction,
        is: true,
      },
      {
        name: "gives the answers back",
        see: (seen) => ofKind(seen, "user")[0].tool_use_result,
        is: expect.objectContaining({ questions: QUESTION.questions, answers: { "Which colour?": "Red" } }),
      },
      { name: "tells the model the choice", see: (seen) => toldOf(seen, 2), is: [expect.stringContaining("Red")] },
    ],
  },
  {
    name: "ExitPlanMode",
    options: { permissionMode: "plan" },
    answers: { canUseTool: [ALLOW] },
    says: [{ calls: [{ name: "ExitPlanMode", input: { plan: "1. do it" } }] }, { text: "on it" }],
    steps: turn("plan"),
    cases: [
      { name: "comes as a question about a call", see: (seen) => question(seen).tool_name, is: "ExitPlanMode" },
      {
        name: "says that a person is needed",
        only: "pipe",
        see: (seen) => question(seen).requires_user_interaction,
        is: true,
      },
      {
        name: "allowed, leaves plan mode and says so",
        see: (seen) => ofKind(seen, "system/status").map(({ permissionMode }) => permissionMode),
        is: ["default"],
      },
      { name: "begins in plan mode", see: (seen) => init(seen).permissionMode, is: "plan" },
    ],
  },
  {
    name: "ExitPlanMode denied",
    options: { permissionMode: "plan" },
    answers: { canUseTool: [{ behavior: "deny", message: "think again" }] },
    says: [{ calls: [{ name: "ExitPlanMode", input: { plan: "1. do it" } }] }, { text: "thinking" }],
    steps: turn("plan"),
    cases: [
      {
        name: "tells the model why",
        see: (seen) => heard(seen, 2)[0].content,
        is: expect.stringContaining("think again"),
      },
      { name: "stays in plan mode", see: (seen) => ofKind(seen, "system/status"), is: [] },
    ],
  },
];
