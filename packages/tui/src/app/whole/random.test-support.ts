// For tests with random events: what a session answers, what it asks, and numbers from a seed.

import type { TerminalHost } from "../../host.ts";
import { allowRule, asks, requests } from "../../dialogs/dialog.test-support.ts";

const past = { timestamp: 1, project: "/home/u/p", pastedContents: {} };
const earlier = [
  { ...past, display: "fix the bug" },
  { ...past, display: "!make test" },
];
const listed = [
  {
    ...{ sessionId: "s1", summary: "Old", firstPrompt: "hi", lastModified: 1, fileSize: 1, cwd: "/home/u/p" },
    gitBranch: "main",
  },
  {
    ...{ sessionId: "s2", summary: "Older", firstPrompt: "hello", lastModified: 0, fileSize: 1, cwd: "/elsewhere" },
    worktree: "wt",
  },
];

export const REPLIES: Readonly<Record<string, unknown>> = {
  initialize: { commands: [{ name: "compact", description: "Compact it", argumentHint: "[what]" }], agents: [] },
  get_session_info: {
    title: "Fix it",
    cwd: "/home/u/p",
    git_branch: "main",
    permission_mode: "default",
    output_style: "default",
    added_dirs: [],
  },
  get_hooks_listing: {
    hooks: [
      { event: "Stop", matcher: "", type: "command", label: "check.sh", source: "userSettings", file: "/s.json" },
    ],
  },
  list_agents: {
    agents: [{ name: "review", description: "Reviews", source: "project", tools: ["Read"], file: "/p/review.md" }],
  },
  reload_plugins: { plugins: [{ name: "git", source: "git@shop", version: "1.0" }], error_count: 0 },
  reload_skills: { skills: [{ name: "deploy", description: "Deploys", argumentHint: "<where>" }] },
  reload_output_styles: { available_output_styles: ["default"] },
  rewind_files: { canRewind: true, filesChanged: [] },
  side_question: { response: "because" },
  get_settings: { effective: { theme: "dark" }, sources: [], applied: { model: "m-1" } },
  list_models: { models: [{ value: "default", resolvedModel: "m-1", displayName: "Default", description: "d" }] },
  list_permission_rules: { state: { rules: [], workspaceDirectories: [], originalCwd: "/home/u/p" } },
  update_permissions: { state: { rules: [], workspaceDirectories: [], originalCwd: "/home/u/p" } },
  mcp_status: {
    mcpServers: [{ name: "files", status: "connected", transport: "stdio", scope: "user", tools: [{ name: "read" }] }],
  },
  get_working_diff: { diff: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" },
  get_context_usage: { memoryFiles: [{ path: "/home/u/p/CLAUDE.md", type: "Project", tokens: 120 }] },
  get_usage: { session: { total_cost_usd: 0.25 } },
  set_permission_mode: {},
  interrupt: {},
  cancel_async_message: { cancelled: true },
  read_file: { contents: "one\ntwo\n" },
  file_suggestions: { files: ["src/a.ts", "src/b.ts"] },
  run_shell_command: {},
  update_settings: {},
  apply_flag_settings: {},
  mcp_reconnect: new Error('Could not connect to "files": it crashed'),
  get_task_output: { output: "one\ntwo\n", total_bytes: 8, truncated: false },
  background_tasks: {},
  stop_task: {},
  get_prompt_history: { prompts: earlier },
  list_sessions: { sessions: listed, total: 2 },
  search_sessions: { session_ids: ["s2"] },
  preview_session: { markdown: "**hi**" },
  rename_session: undefined,
};

/** A host with a status line. */
export const HOST: Partial<TerminalHost> = { statusLine: async () => "status\nof two rows" };

const option = (label: string) => ({ label, description: `Use ${label}` });
const question = (text: string, multiSelect: boolean) => ({
  question: text,
  header: text.slice(0, 8),
  options: [option("Postgres"), option("SQLite")],
  multiSelect,
});
export const QUESTIONS = [
  asks("Bash", { command: "npm test", description: "Test" }, { permission_suggestions: [allowRule("Bash", "npm *")] }),
  asks("Edit", { file_path: "/home/u/p/a.ts", old_string: "one", new_string: "1" }),
  asks("ExitPlanMode", { plan: "# Steps\n\n1. Look", planFilePath: "/home/u/.claude/plans/x.md" }),
  asks("AskUserQuestion", { questions: [question("Which?", false), question("Extras?", true)] }),
  requests("elicitation", {
    mcp_server_name: "el",
    message: "Who are you?",
    mode: "form",
    requested_schema: {
      type: "object",
      properties: {
        name: { type: "string" },
        age: { type: "integer" },
        tags: { type: "array", items: { enum: ["a"] } },
      },
      required: ["name"],
    },
  }),
  requests("elicitation", { mcp_server_name: "el", message: "Sign in", mode: "url", url: "https://x.test/in" }),
  requests("request_user_dialog", { dialog_kind: "unknown", payload: { a: 1 } }),
];

export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}
