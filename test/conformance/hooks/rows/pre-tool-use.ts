// PreToolUse: what comes before a call, and every way to let it run, change it, put it off or refuse it.

import { expect } from "bun:test";
import {
  base,
  bash,
  DONE,
  exits,
  listens,
  nameOf,
  prints,
  RAN,
  says,
  script,
  TOUCH,
  TOUCHED,
  withReminder,
  type Hook,
  type Row,
} from "../row.ts";

const NAME = nameOf("PreToolUse");
const decides = (permissionDecision: string, more: object = {}) =>
  says("PreToolUse", { permissionDecision, permissionDecisionReason: "because of the rules", ...more });
const row = (name: string, hook: Hook | readonly Hook[], noticed: Row["noticed"], more: Partial<Row> = {}): Row => ({
  name,
  event: "PreToolUse",
  hooks: { PreToolUse: [hook].flat() as Hook[] },
  noticed,
  ...more,
});
/** The call ran, and the model read its result and nothing else. */
const runs = { files: RAN, heard: [expect.anything(), [TOUCHED]] };
/** It did not, and this is what the model read. */
const refused = (text: unknown) => ({ files: {}, heard: [expect.anything(), [text]] });
const UNLISTED = { settings: {} };

export const PRE_TOOL_USE: readonly Row[] = [
  row("is told of the call", listens, {
    ...runs,
    told: [
      {
        ...base("PreToolUse", "permission_mode", "effort"),
        tool_name: "Bash",
        tool_input: { command: "touch ran" },
        tool_use_id: "call_1_1",
      },
    ],
    code: 0,
    notices: [],
    stderr: "",
  }),
  row("plain text does not reach the model", prints("hello"), { ...runs, notices: [] }),
  row("exit 1 stops nothing, and people are told", exits(1, "broken"), {
    ...runs,
    notices: [expect.stringContaining(`${NAME}" exited with code 1: broken`)],
    stderr: expect.stringContaining("exited with code 1"),
  }),
  row("exit 2 blocks, and the model reads stderr", exits(2, "not here"), {
    ...refused(`error: PreToolUse:Bash hook error: [${NAME}]: not here`),
    notices: [],
    denied: [],
    result: { text: "done", ends: "completed", stop: "end_turn", denials: ["Bash"] },
    code: 0,
  }),
  row(
    "exit 2 blocks whatever the JSON allows",
    script(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
echo no >&2
exit 2`),
    refused(`error: PreToolUse:Bash hook error: [${NAME}]: no`),
  ),
  row(
    "exit 2 blocks with half of a JSON",
    script(`printf '{"hookSpecificOutput":{"hookEv'; echo no >&2; exit 2`),
    refused(`error: PreToolUse:Bash hook error: [${NAME}]: no`),
  ),
  row(
    "exit 2 without a word blocks",
    script("exit 2"),
    refused(`error: PreToolUse:Bash hook error: [${NAME}]: No stderr output`),
  ),
  row("half of a JSON with exit 0 is an error that stops nothing", prints('{"decision":"blo'), {
    ...runs,
    notices: [expect.stringContaining("JSON that could not be read")],
  }),
  row("a list is no JSON answer but text", prints('["decision","block"]'), runs),
  row("deny: the model reads the reason, to the letter", decides("deny"), {
    ...refused("error: because of the rules"),
    notices: [],
    denied: [],
  }),
  row(
    "deny with exit 1 denies",
    says("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" }, { exit: 1 }),
    {
      ...refused("error: no"),
    },
  ),
  row(
    "deny without a reason denies",
    says("PreToolUse", { permissionDecision: "deny" }),
    refused(expect.stringMatching(/^error: \S/)),
  ),
  row("the old decision: block", prints({ decision: "block", reason: "old no" }), refused("error: old no")),
  row("the old decision: approve", prints({ decision: "approve" }), runs, UNLISTED),
  row("allow answers the question", decides("allow"), runs, UNLISTED),
  row(
    "without it there is nobody to answer",
    listens,
    { ...refused(expect.stringMatching(/^error: /)), denied: ["Bash other"] },
    UNLISTED,
  ),
  row(
    "allow does not lift a deny rule",
    decides("allow"),
    { ...refused(expect.stringMatching(/^error: /)), denied: ["Bash subcommandResults"] },
    {
      settings: { permissions: { deny: ["Bash(touch *)"] } },
    },
  ),
  row(
    "allow does not lift an ask rule",
    decides("allow"),
    { ...refused(expect.stringMatching(/^error: /)), denied: ["Bash rule"] },
    {
      settings: { permissions: { ask: ["Bash(touch *)"] } },
    },
  ),
  row("ask with nobody there refuses with its reason", decides("ask"), {
    ...refused(expect.stringMatching(/^error: because of the rules/)),
    denied: ["Bash hook"],
  }),
  row(
    "ask goes to a person, who says yes",
    decides("ask"),
    {
      ...runs,
      asked: [
        expect.objectContaining({
          tool_name: "Bash",
          input: { command: "touch ran" },
          tool_use_id: "call_1_1",
          decision_reason: "because of the rules",
          decision_reason_type: "hook",
        }),
      ],
    },
    { person: { behavior: "allow", updatedInput: { command: "touch ran" } } },
  ),
  row("ask goes to a person, who says no", decides("ask"), refused("error: I would rather not"), {
    person: { behavior: "deny", message: "I would rather not" },
  }),
  row(
    "ask shows the person the new input, which is what runs",
    says("PreToolUse", { permissionDecision: "ask", updatedInput: { command: "touch other" } }),
    { files: { other: "" }, asked: [expect.objectContaining({ input: { command: "touch other" } })] },
    { person: { behavior: "allow" } },
  ),
  row("JSON may stand among blanks", prints('\n\n  {"decision":"block","reason":"no"}  \n'), refused("error: no")),
  row("an unknown decision is no decision", decides("perhaps"), {
    ...runs,
    notices: [expect.stringContaining('"permissionDecision" is not one of deny, defer, ask, allow')],
  }),
  row("defer ends the run with the call put off", decides("defer"), {
    files: {},
    heard: [expect.anything()],
    result: {
      text: "",
      ends: "tool_deferred",
      stop: "tool_deferred",
      denials: [],
      deferred: { id: "call_1_1", name: "Bash", input: { command: "touch ran" } },
    },
    code: 0,
  }),
  row("updatedInput is what runs", says("PreToolUse", { updatedInput: { command: "touch other" } }), {
    files: { other: "" },
    heard: [expect.anything(), [TOUCHED]],
  }),
  row(
    "updatedInput is what is judged",
    decides("allow", { updatedInput: { command: "touch other" } }),
    {
      ...refused(expect.stringMatching(/^error: /)),
      denied: ["Bash subcommandResults"],
    },
    { settings: { permissions: { allow: ["Bash(touch ran)"], deny: ["Bash(touch other)"] } } },
  ),
  row("updatedInput that does not fit is refused", says("PreToolUse", { updatedInput: { words: 1 } }), {
    ...refused(expect.stringContaining("InputValidationError")),
  }),
  row(
    "updatedInput replaces the whole input",
    [],
    {
      files: { other: "" },
      told: [
        expect.anything(),
        expect.objectContaining({ hook_event_name: "PostToolUse", tool_input: { command: "touch other" } }),
      ],
    },
    {
      hooks: {
        PreToolUse: [says("PreToolUse", { updatedInput: { command: "touch other" } })],
        PostToolUse: [listens],
      },
      says: [{ calls: [bash("touch ran", { description: "Makes a file" })] }, DONE],
    },
  ),
  row("the old form of a new input, a bare tool_input", prints({ tool_input: { command: "touch other" } }), {
    files: { other: "" },
  }),
  row("additionalContext goes with the result", says("PreToolUse", { additionalContext: "mind the gap" }), {
    files: RAN,
    heard: [expect.anything(), withReminder(TOUCHED, "PreToolUse:Bash hook additional context: mind the gap")],
  }),
  row("additionalContext that is no text is dropped", says("PreToolUse", { additionalContext: 7 }), {
    ...runs,
    notices: [expect.stringContaining('"additionalContext" is not a string')],
  }),
  row(
    "continue: false ends the run there, and the call is not carried out",
    prints({ continue: false, stopReason: "enough for today" }),
    {
      files: {},
      heard: [expect.anything()],
      result: { text: "", ends: "hook_stopped", stop: "tool_use", denials: [] },
      notices: [expect.stringContaining("enough for today")],
      code: 0,
    },
  ),
  row(
    "what names another event is not meant for this one",
    prints({ hookSpecificOutput: { hookEventName: "PostToolUse", permissionDecision: "deny" } }),
    {
      ...runs,
      notices: [expect.stringContaining('"hookEventName" is not PreToolUse')],
    },
  ),
  row("systemMessage is for people", prints({ systemMessage: "looked at it" }), {
    ...runs,
    notices: ["notice: PreToolUse:Bash says: looked at it"],
  }),
  row(
    "fields nobody knows change nothing",
    prints({ suppressOutput: true, mood: "fine", hookSpecificOutput: { hookEventName: "PreToolUse", colour: 1 } }),
    {
      ...runs,
      notices: [],
    },
  ),
  row("a reason is cut at 10,000 characters", prints({ decision: "block", reason: "x".repeat(20_000) }), {
    ...refused(expect.stringMatching(/^error: x{9900}\n… \(10100 more characters/)),
  }),

  row(
    "a script that is gone stops nothing",
    { type: "command", command: ".claude/hooks/gone" },
    {
      ...runs,
      notices: [expect.stringContaining(".claude/hooks/gone")],
    },
  ),
  // Another program can send the signal of a crash too.
  row("a script that crashes has not decided, so it blocks", script("ulimit -c 0; kill -SEGV $$"), {
    ...refused(expect.stringContaining("killed by SIGSEGV")),
    notices: [expect.stringContaining("killed by SIGSEGV")],
  }),
  row(
    "time over: what was printed does not count",
    script(`echo '{"decision":"block","reason":"too late"}'\nsleep 60`, { timeout: 0.3 }),
    {
      ...runs,
      notices: [expect.stringContaining("took longer than 0.3 s")],
    },
  ),
  ...[
    ["exit 1", exits(1, "broken", { onFailure: "block" }), "broken"],
    ["time over", script("sleep 60", { timeout: 0.3, onFailure: "block" }), "took longer than 0.3 s"],
    ["broken JSON", prints('{"a":', { onFailure: "block" }), "JSON"],
  ].map(([what, hook, text]) =>
    row(`onFailure block: ${what as string} refuses`, hook as Hook, {
      ...refused(expect.stringMatching(new RegExp(`^error: PreToolUse:Bash hook error: .*${text as string}`, "s"))),
    }),
  ),
  row(
    "onFailure block: a program that cannot be started refuses",
    { type: "command", command: "./gone", args: [], onFailure: "block" },
    {
      ...refused(expect.stringMatching(/^error: PreToolUse:Bash hook error: .*gone/s)),
    },
  ),
  row("onFailure block: a good end is a good end", script("exit 0", { onFailure: "block" }), runs),
  row("onFailure continue is what happens anyway", exits(1, "broken", { onFailure: "continue" }), runs),
  row(
    "exec form: no shell reads the arguments",
    { type: "command", command: "touch", args: ["a b", "$HOME;x", "${CLAUDE_PROJECT_DIR}/c"] },
    {
      files: { "$HOME;x": "", "a b": "", c: "", ran: "" },
    },
  ),
  row(
    "what a hook finds in its environment",
    script('env | grep -E "^(CLAUDE|AI_AGENT|OTEL)" | grep -Ev "TOLD|TMPDIR|FORK" | sort > env.txt; pwd >> env.txt'),
    {
      files: {
        ...RAN,
        "env.txt": expect.stringMatching(
          /^AI_AGENT=.+\nCLAUDECODE=1\nCLAUDE_CODE_CHILD_SESSION=1\nCLAUDE_CODE_ENTRYPOINT=sdk-cli\nCLAUDE_CODE_SESSION_ID=(.+)\nCLAUDE_EFFORT=low\nCLAUDE_PROJECT_DIR=(.+)\nCLAUDE_SESSION_ID=\1\n\2\n$/,
        ),
      },
      told: [expect.objectContaining({ effort: { level: "low" } })],
      keys: [
        "session_id transcript_path cwd prompt_id permission_mode effort hook_event_name tool_name tool_input tool_use_id",
      ],
    },
    { flags: ["--effort", "low"], env: { OTEL_SERVICE_NAME: "x" } },
  ),
  row(
    "a call with an input that does not fit is not shown to hooks",
    listens,
    { told: [], files: {} },
    {
      says: [{ calls: [{ name: "Bash", input: { words: 1 } }] }, DONE],
    },
  ),
  row(
    "every call of a reply is shown",
    script("exit 0"),
    {
      told: [
        expect.objectContaining({ tool_name: "Read", tool_input: { file_path: "a.txt" } }),
        expect.objectContaining({ tool_name: "Write" }),
      ],
    },
    {
      files: { "a.txt": "a\n" },
      flags: ["--permission-mode", "acceptEdits"],
      says: [
        { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
        { calls: [{ name: "Write", input: { file_path: "b.txt", content: "b" } }] },
        DONE,
      ],
    },
  ),
  row(
    "deny leaves the other calls of the reply alone",
    script('case "$input" in *"touch ran"*) echo no >&2; exit 2 ;; esac'),
    {
      files: { other: "" },
      heard: [expect.anything(), [`error: PreToolUse:Bash hook error: [${NAME}]: no`, TOUCHED]],
    },
    { says: [{ calls: [TOUCH, bash("touch other")] }, DONE] },
  ),
  row(
    "once in settings files runs every time",
    script("echo x >> times", { once: true }),
    { files: { a: "", b: "", times: "x\nx\n" } },
    {
      says: [{ calls: [bash("touch a")] }, { calls: [bash("touch b")] }, DONE],
    },
  ),
  row(
    "a hook stands where the session stands",
    { type: "command", command: "pwd >> where" },
    {
      files: {
        where: expect.stringMatching(/\/project\n$/),
        "sub/ran": "",
        "sub/where": expect.stringMatching(/\/sub\n$/),
      },
    },
    {
      files: { "sub/x": "" },
      settings: { permissions: { allow: ["Bash"] } },
      says: [{ calls: [bash("cd sub")] }, { calls: [TOUCH] }, DONE],
    },
  ),
];
