// The moments that the model's view shows: each plays the program against the scripted model and returns a text.

import {
  runKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, prompt, STREAM, told } from "../sessions/front-door.ts";
import { blockText, messageText, stable, toolTexts, viewOf } from "./view.ts";

/** A plain project: a repository with two files. Git is asked in time or not, so the state is left out. */
function plainProject(): TemporaryHome {
  const home = temporaryHome({ git: true });
  home.write("a.txt", "alpha\nbeta\n");
  home.write("src/main.ts", "export const one = 1;\n");
  return home;
}

const WITHOUT_GIT = { CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1" };
const ASKED = ["--permission-prompt-tool", "stdio"];

interface Play {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly stdin?: readonly object[];
  readonly script?: readonly ScriptedReply[];
  prepare?(home: TemporaryHome): void;
}

/** The requests of a session. */
export async function play({ args = ["-p", "go"], env = {}, stdin, script = [{ text: "done" }], prepare }: Play) {
  using home = plainProject();
  prepare?.(home);
  await using model = await startMockModel(script);
  await runKeelson(args, { home, url: model.url, env: { ...WITHOUT_GIT, ...env }, ...(stdin ? { stdin } : {}) });
  return model.requests.map((request) => stable({ ...request, ended: undefined }, home));
}

const first = (options: Play) => async () => viewOf((await play(options))[0]!.body);

const AGENTS = ["Explore", "Plan", "general-purpose", "claude", "Bash", "statusline-setup"];

/** The first request of each agent. */
async function agents(): Promise<string> {
  const script = AGENTS.flatMap((subagent_type): ScriptedReply[] => [
    { calls: [{ name: "Agent", input: { description: "Look", prompt: "Find one", subagent_type } }] },
    { text: "It is in src/main.ts" },
  ]);
  const requests = await play({ script: [...script, { text: "done" }] });
  const views = AGENTS.map((name, at) => `##### ${name}\n${viewOf(requests[2 * at + 1]!.body)}`);
  return [...views, "##### What comes back", ...told(requests.at(-1)! as never).map(blockText)].join("\n");
}

/** What the model reads for each call: one call in each turn. */
async function resultsOf(calls: readonly ScriptedCall[], options: Omit<Play, "script"> = {}): Promise<string> {
  const requests = await play({ ...options, script: [...calls.map((call) => ({ calls: [call] })), { text: "done" }] });
  return calls
    .map((call, at) => {
      const { content } = requests[at + 1]!.body.messages.at(-1);
      return `=== ${call.name} ${JSON.stringify(call.input)}\n${content.map(blockText).join("\n")}`;
    })
    .join("\n");
}

const CALLS: readonly ScriptedCall[] = [
  { name: "Read", input: { file_path: "a.txt" } },
  { name: "Read", input: { file_path: "none.txt" } },
  { name: "Read", input: { file_path: "src" } },
  { name: "Edit", input: { file_path: "a.txt", old_string: "alpha", new_string: "gamma" } },
  { name: "Edit", input: { file_path: "a.txt", old_string: "delta", new_string: "x" } },
  { name: "Edit", input: { file_path: "a.txt", old_string: "a", new_string: "x" } },
  { name: "Edit", input: { file_path: "src/main.ts", old_string: "one", new_string: "two" } },
  { name: "Write", input: { file_path: "new.txt", content: "new\n" } },
  { name: "Write", input: { file_path: "src/main.ts", content: "x" } },
  { name: "Glob", input: { pattern: "**/*.ts" } },
  { name: "Glob", input: { pattern: "*.none" } },
  { name: "Grep", input: { pattern: "one", output_mode: "content" } },
  { name: "Grep", input: { pattern: "nowhere" } },
  { name: "Bash", input: { command: "echo hello" } },
  { name: "Bash", input: { command: "true" } },
  { name: "Bash", input: { command: "echo oh; exit 3" } },
  { name: "TodoWrite", input: { todos: [{ content: "a", status: "pending", activeForm: "a" }] } },
  { name: "ToolSearch", input: { query: "select:WebFetch,CronCreate" } },
  { name: "ToolSearch", input: { query: "zebra" } },
  { name: "Skill", input: { skill: "nope" } },
  { name: "Agent", input: { description: "x", prompt: "x", subagent_type: "nope" } },
  { name: "TaskStop", input: { task_id: "nope" } },
  { name: "TaskOutput", input: { task_id: "nope" } },
  { name: "NotebookEdit", input: { notebook_path: "a.txt", new_source: "x" } },
  { name: "WebFetch", input: { url: "ftp://example.com", prompt: "x" } },
  { name: "SendMessage", input: { to: "nobody", message: "x", summary: "x" } },
  { name: "CronCreate", input: { cron: "MON", prompt: "x" } },
  { name: "CronList", input: {} },
  { name: "Read", input: {} },
  { name: "Teleport", input: {} },
];

const REFUSED: readonly ScriptedCall[] = [
  { name: "Bash", input: { command: "touch made" } },
  { name: "Bash", input: { command: "git push" } },
  { name: "Write", input: { file_path: "new.txt", content: "x" } },
  { name: "Read", input: { file_path: "secret.txt" } },
  { name: "WebFetch", input: { url: "https://example.com/", prompt: "x" } },
  { name: "Glob", input: { pattern: "*.none" } },
];

const hooked = (home: TemporaryHome) => {
  home.write("secret.txt", "s");
  const command = (text: string, code: number) => ({ type: "command", command: `echo "${text}" >&2; exit ${code}` });
  home.settings({
    hooks: { PreToolUse: [{ matcher: "Glob", hooks: [command("Use Grep here", 2)] }] },
    permissions: { deny: ["Bash(git push:*)", "Read(secret.txt)"] },
  });
};

async function refusals(): Promise<string> {
  const [alone, planned] = await Promise.all([
    resultsOf(REFUSED, { prepare: hooked }),
    resultsOf(REFUSED.slice(0, 3), { args: ["-p", "go", "--permission-mode", "plan"] }),
  ]);
  return `##### Nobody can approve\n${alone}\n##### Plan mode\n${planned}`;
}

const SAYS = (hookEventName: string, additionalContext: string) => ({
  type: "command",
  command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } })}'`,
});

/** What hooks and the instructions of a folder say to a call. */
const feedback = () =>
  resultsOf(
    [
      { name: "Read", input: { file_path: "src/main.ts" } },
      { name: "Edit", input: { file_path: "src/main.ts", old_string: "one", new_string: "two" } },
      { name: "Bash", input: { command: "exit 3" } },
    ],
    {
      args: ["-p", "go", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
      prepare(home) {
        home.write("src/CLAUDE.md", "Names are English.");
        const lint = { type: "command", command: 'echo "main.ts:1: unused" >&2; exit 2' };
        home.settings({
          hooks: {
            PreToolUse: [{ matcher: "Edit", hooks: [SAYS("PreToolUse", "This file is generated")] }],
            PostToolUse: [{ matcher: "Edit", hooks: [lint] }],
            PostToolUseFailure: [{ hooks: [SAYS("PostToolUseFailure", "See docs/build.md")] }],
            PostToolBatch: [{ hooks: [SAYS("PostToolBatch", "The tests are red")] }],
          },
        });
      },
    },
  );

/** The request for a summary, and the first request after it. */
async function compaction(): Promise<string> {
  const stdin = [prompt("first"), prompt("second"), prompt("/compact keep the numbers"), prompt("third")];
  const answers = ["one", "two", "<analysis>a</analysis>\n<summary>\n1. They counted.\n</summary>", "three"];
  const requests = await play({ args: [...CHAT], stdin, script: answers.map((text) => ({ text })) });
  const [, , asked, after] = requests;
  return [
    "##### The request for a summary ends with",
    messageText(asked!.body.messages.at(-1)),
    "##### The next request",
    viewOf(after!.body),
  ].join("\n");
}

async function tools(): Promise<string> {
  const args = [...CHAT, ...ASKED];
  const [request] = await play({ args, stdin: [prompt("go")], env: { ENABLE_TOOL_SEARCH: "false" } });
  return toolTexts(request!.body);
}

export const MOMENTS: Readonly<Record<string, () => Promise<string>>> = {
  "first-print": first({ args: ["-p", "go", ...STREAM] }),
  "first-asked": first({ args: [...CHAT, ...ASKED], stdin: [prompt("go")] }),
  "first-plan": first({ args: [...CHAT, ...ASKED, "--permission-mode", "plan"], stdin: [prompt("go")] }),
  "first-small": first({ env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "32000" } }),
  agents,
  tools,
  results: () => resultsOf(CALLS, { args: ["-p", "go", "--allowedTools", "Bash,Edit,Write,NotebookEdit"] }),
  refusals,
  feedback,
  compaction,
};
