// Text from everywhere with sequences that a terminal would obey: none of them is written, whatever shows the text.

import { expect, test } from "bun:test";
import { isObject, type Json, type JsonObject, type Outbound } from "@keelson/protocol";
import { allowRule, asks, requests } from "../../dialogs/dialog.test-support.ts";
import { assistant, FakeSession, streamEnd, streamPiece, streamStart } from "./fake-session.test-support.ts";
import { toolResult, turnEnd } from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";
import { foreignSequences } from "./sequences.test-support.ts";

/** They look like sequences of the program, but it never makes these. */
const TELLTALE = [
  "\x1b]0;owned",
  "\x1b]52;c;b3duZWQ=",
  "\x1b]8;;http://owned",
  "\x1b[7;77H",
  "\x1b[7;9r",
  "\x1b[38;5;199m",
];
const EVIL = [
  ...TELLTALE.slice(0, 3).map((sequence) => `${sequence}\x07`),
  ...TELLTALE.slice(3),
  "\x1bP1;1|x\x1b\\\x1b[2J\x1b[?1049h\x1bc\x9b2J\x9d0;x\x9c\u202e\u2066\u200f\0\x7f\ud800\r\b\x0e",
].join("");

/** What says which message it is stays as it is. */
const FIXED = new Set(
  [
    "type",
    "subtype",
    "uuid",
    "session_id",
    "request_id",
    "id",
    "tool_use_id",
    "role",
    "behavior",
    "destination",
  ].concat([
    ...["mode", "status", "state", "name:tool", "format", "transport", "scope", "source", "ruleBehavior", "task_id"],
    ...["task_type", "output_style", "permission_mode", "tool_name", "event"],
  ]),
);

/** Every text in it is hostile. */
function hostile<T>(value: T, key = ""): T {
  if (typeof value === "string") return (FIXED.has(key) ? value : `${EVIL}${value}${EVIL}`) as T;
  if (Array.isArray(value)) return value.map((each) => hostile(each, key)) as T;
  if (!isObject(value)) return value;
  const tool = value["type"] === "tool_use" ? { name: value["name"] } : {};
  return {
    ...Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)])),
    ...tool,
  } as T;
}

const call = (id: string, name: string, input: JsonObject) => assistant("m9", { type: "tool_use", id, name, input });
const system = (subtype: string, fields: JsonObject): Outbound =>
  ({ type: "system", subtype, uuid: "u", session_id: "s", ...fields }) as never;

const MESSAGES: readonly Outbound[] = [
  ...streamStart("m1"),
  streamPiece("# Title\n\nSome *words* and [a link](http://x.y) with `code`\n\n```ts\nconst a"),
  streamPiece(" = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n"),
  ...streamEnd("m1", "# Title\n\nSome *words*"),
  assistant("m2", { type: "thinking", thinking: "hmm", signature: "x" }),
  call("t1", "Bash", { command: "ls", description: "List" }),
  toolResult("t1", "one\ntwo\nthree\nfour\nfive"),
  call("t2", "Read", { file_path: "/x/y" }),
  toolResult("t2", "no", true),
  call("t3", "Edit", { file_path: "/x/y", old_string: "a\nb", new_string: "a\nc" }),
  toolResult("t3", "ok"),
  call("t4", "mcp__server__tool", { query: "x" }),
  toolResult("t4", "rows"),
  call("t5", "TodoWrite", { todos: [{ content: "Do it", status: "in_progress", activeForm: "Doing it" }] }),
  toolResult("t5", "ok"),
  call("t6", "Task", { description: "Look", prompt: "p", subagent_type: "Explore" }),
  call("t7", "WebFetch", { url: "http://x.y", prompt: "p" }),
  call("t8", "Grep", { pattern: "x", path: "y" }),
  toolResult("t8", "found"),
  system("task_started", { task_id: "b1", task_type: "local_bash", description: "npm run dev" }),
  system("api_retry", { attempt: 1, max_retries: 3, retry_delay_ms: 100, error: "overloaded", error_status: 529 }),
  system("hook_response", {
    hook_name: "h",
    hook_event: "Stop",
    output: "o",
    stdout: "o",
    stderr: "e",
    outcome: "error",
  }),
  system("compact_boundary", { compact_metadata: { trigger: "auto", pre_tokens: 5 } }),
  system("status", { status: "compacting" }),
  system("local_command_output", { content: "text" }),
  system("permission_denied", { tool_name: "Bash", message: "m", reason: "r" }),
  {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    errors: ["it broke"],
    session_id: "s",
    modelUsage: {},
  } as never,
  assistant("m3", { type: "text", text: "API Error: 400 nonsense" }),
];

const option = (label: string) => ({ label, description: `Use ${label}`, preview: "# p" });
const QUESTIONS = [
  asks(
    "Bash",
    { command: "npm test && ls", description: "Test" },
    { permission_suggestions: [allowRule("Bash", "npm *")], decision_reason: "because", agent_type: "Explore" },
  ),
  asks("Edit", { file_path: "/home/u/p/a.ts", old_string: "one", new_string: "1" }),
  asks("Write", { file_path: "/home/u/p/n.ts", content: "one" }),
  asks(
    "WebFetch",
    { url: "http://x.y", prompt: "p" },
    { permission_suggestions: [allowRule("WebFetch", "domain:x.y")] },
  ),
  asks("mcp__db__query", { sql: "select" }, { mcp_server: { name: "db", source: "project" } }),
  asks("ExitPlanMode", { plan: "# Steps\n\n1. Look", planFilePath: "/home/u/.claude/plans/x.md" }),
  asks("AskUserQuestion", {
    questions: [
      { question: "Which?", header: "Which", options: [option("A"), option("B")], multiSelect: false },
      { question: "Extras?", header: "Extras", options: [option("A"), option("B")], multiSelect: true },
    ],
  }),
  requests("elicitation", {
    mcp_server_name: "el",
    message: "Who?",
    mode: "form",
    requested_schema: {
      type: "object",
      properties: { name: { type: "string", title: "Name", description: "d" }, color: { type: "string", enum: ["r"] } },
    },
  }),
  requests("elicitation", { mcp_server_name: "el", message: "Sign in", mode: "url", url: "https://x.y/z" }),
  requests("request_user_dialog", { dialog_kind: "greeting", payload: { text: "Hello" } }),
];

const SESSION = {
  ...{ sessionId: "1", summary: "Old", firstPrompt: "hi", lastModified: 5, fileSize: 1, gitBranch: "main", cwd: "/x" },
  worktree: "w",
};
const PROMPT = { display: "earlier", project: "/p", pastedContents: {}, timestamp: 5 };
const REPLIES: Readonly<Record<string, Json>> = {
  initialize: { commands: [{ name: "compact", description: "Compact it", argumentHint: "[what]" }], agents: [] },
  get_session_info: {
    ...{ title: "Fix it", cwd: "/home/u/p", git_branch: "main", permission_mode: "default" },
    ...{ output_style: "default", added_dirs: ["/other"] },
  },
  get_settings: {
    effective: {},
    sources: [{ source: "userSettings", path: "/x", settings: {} }],
    applied: { model: "m" },
  },
  list_models: { models: [{ value: "default", resolvedModel: "m-1", displayName: "Default", description: "d" }] },
  list_permission_rules: {
    state: {
      rules: [{ source: "localSettings", ruleBehavior: "allow", ruleValue: { toolName: "Bash", ruleContent: "x *" } }],
      workspaceDirectories: ["/other"],
      originalCwd: "/home/u/p",
    },
  },
  mcp_status: {
    mcpServers: [
      {
        name: "files",
        status: "connected",
        transport: "stdio",
        scope: "user",
        tools: [{ name: "t", description: "d" }],
      },
      { name: "bad", status: "failed", transport: "stdio", scope: "user", error: "it broke" },
    ],
  },
  get_hooks_listing: { hooks: [{ event: "Stop", matcher: "x", type: "command", label: "l", source: "s", file: "/f" }] },
  list_agents: { agents: [{ name: "review", description: "Reviews", source: "project", tools: ["Read"], file: "/f" }] },
  reload_plugins: { plugins: [{ name: "git", source: "git@shop", version: "1.0" }], error_count: 1 },
  reload_skills: { skills: [{ name: "deploy", description: "Deploys", argumentHint: "<where>" }] },
  reload_output_styles: { available_output_styles: ["default", "Other"] },
  get_working_diff: { diff: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" },
  get_context_usage: {
    memoryFiles: [{ path: "/x", type: "Project", tokens: 1 }],
    categories: [{ name: "n", tokens: 5 }],
  },
  get_usage: { session: { total_cost_usd: 0.25 } },
  get_task_output: { output: "out", total_bytes: 3, truncated: false },
  side_question: { response: "because" },
  read_file: { contents: "one\ntwo\n" },
  file_suggestions: { files: ["src/a.ts"], suggestions: [{ path: "src/a.ts" }] },
  rewind_files: { canRewind: true, filesChanged: ["/x"] },
  get_prompt_history: { prompts: [PROMPT] },
  list_sessions: { sessions: [SESSION], total: 1 },
  search_sessions: { session_ids: [] },
  preview_session: { markdown: "# text" },
};

const COMMANDS = [
  "help",
  "config",
  "permissions",
  "mcp",
  "status",
  "model",
  "resume",
  "rewind",
  "theme",
  "diff",
  "export",
]
  .concat(["usage", "context", "tasks", "memory", "doctor", "agents", "hooks", "skills", "plugin", "output-style"])
  .concat(["btw why", "effort", "statusline", "keybindings", "copy-not-there"]);

test.each([
  ["drawn", false, 80],
  ["narrow", false, 40],
  ["plain", true, 80],
])("hostile text, %s", async (_, screenReader, columns) => {
  using clock = new FakeClock();
  const session = new FakeSession(hostile(REPLIES));
  let isFirst = true;
  const program = startFakeProgram({
    ...{ clock, session, screenReader, columns },
    settings: { statusLine: { type: "command", command: "x" } },
    host: {
      notices: [hostile("a warning")],
      cwd: `/home/u/${EVIL}`,
      keybindings: async () => ({ path: hostile("/k"), text: hostile("{") }),
      logins: async () => ({
        servers: async () => [
          { id: "ollama/q", title: hostile("ollama/q"), detail: hostile("Ollama on this machine") },
        ],
        providers: async () => [{ provider: "openai", title: hostile("OpenAI"), credentials: null, takesKey: true }],
        check: async () => ({ models: [hostile("openai/gpt-9")] }),
        store: async () => undefined,
        choose: async () => undefined,
      }),
      doctor: async () => hostile("well"),
      statusLine: async () => EVIL.replace("\x1b[38;5;199m", ""),
      open: async () => (isFirst ? ((isFirst = false), session) : new FakeSession(hostile(REPLIES))),
    },
  });
  const step = async (what: string) => {
    for (let turn = 0; turn < 3; turn++) {
      await program.settled();
      clock.advance(1_000);
    }
    const written = program.written();
    expect([what, foreignSequences(written, { plain: screenReader })]).toEqual([what, []]);
    expect([what, TELLTALE.filter((sequence) => written.includes(sequence))]).toEqual([what, []]);
    return written;
  };
  await step("start");
  const type = (keys: string) => (program.type(keys), step(JSON.stringify(keys)));
  for (const message of MESSAGES) {
    session.say(hostile(message));
    await step(JSON.stringify(message));
    if (program.outcome) throw new Error(`${JSON.stringify(program.outcome)} after ${JSON.stringify(message)}`);
  }
  for (const [at, question] of QUESTIONS.entries()) {
    session.say({ ...hostile(question), request_id: `r${at}` });
    expect([at, (await step(JSON.stringify(question))) === ""]).toEqual([at, false]);
    for (const keys of ["\x1b[B", "\t", "\x05", "\x1b", "\x1b"]) await type(keys);
  }
  session.say(turnEnd());
  for (const keys of ["\x0f", "\x1b[6~", "q", "\x12", "x", "\x1b", "@s", "\x15", "/", "\x15", "\x1b[A", "\x15"])
    await type(keys);
  for (const command of COMMANDS) {
    await type(`/${command}`);
    await type("\r");
    for (const keys of ["\x1b[B", " ", "\x1b[C", "\x1b[A", "\r", "\x1b[B", "\r", "\r", "\x1b", "\x1b", "\x1b", "\x15"])
      await type(keys);
    if (program.outcome) throw new Error(`/${command} ended the program: ${JSON.stringify(program.outcome)}`);
  }
  await type(`\x1b[200~${EVIL}\x1b[201~`);
  await type(`\x1b[200~${`${EVIL}\r`.repeat(30)}\x1b[201~`);
  await type("\r");
  program.end.abort();
  await program.done;
  await step("end");
});
