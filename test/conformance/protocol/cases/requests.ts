// Every control request a client may send: what is asked, what comes back, and how errors read. One program answers the
// whole table: requests must not get in each other's way.

import { expect } from "bun:test";
import { ofKind, turn, type Case, type Request, type Scenario } from "../scenario.ts";
import { HAIKU, SONNET } from "../../../models.ts";

const PROMPT_ID = "aaaaaaaa-1111-4222-8333-444444444444";

const ok = (response?: unknown) => (response === undefined ? { subtype: "success" } : { subtype: "success", response });
const no = (error: unknown, error_code?: string) => ({
  subtype: "error",
  error,
  ...(error_code === undefined ? {} : { error_code }),
});
const text = (part: string) => expect.stringContaining(part);
const some = (shape: object) => expect.objectContaining(shape);

const unsupported = (subtype: string) => no(`Unsupported control request subtype: ${subtype}`, "unsupported_request");
const modelInfo = some({
  value: expect.any(String),
  resolvedModel: expect.any(String),
  displayName: expect.any(String),
});
const usage = some({ inputTokens: expect.any(Number), costUSD: expect.any(Number), contextWindow: expect.any(Number) });

/** In this order: some change what later ones see. */
const TABLE: readonly (readonly [request: Request, reply: unknown, only?: "pipe"])[] = [
  [{ subtype: "interrupt" }, ok({ still_queued: [] })],
  [{ subtype: "interrupt", cancel_queued: true }, ok({ still_queued: [], cancelled: [] })],
  [{ subtype: "cancel_async_message", message_uuid: "nobody" }, ok({ cancelled: false })],
  [{ subtype: "cancel_async_message" }, no('cancel_async_message: "message_uuid" must be a string')],

  [{ subtype: "set_permission_mode", mode: "plan" }, ok({ mode: "plan" })],
  [{ subtype: "set_permission_mode", mode: "acceptEdits" }, ok({ mode: "acceptEdits" })],
  [{ subtype: "set_permission_mode", mode: "dontAsk" }, ok({ mode: "dontAsk" })],
  [{ subtype: "set_permission_mode", mode: "default" }, ok({ mode: "default" })],
  [{ subtype: "set_permission_mode", mode: "bogus" }, no(text("must be one of acceptEdits, auto"), "invalid_mode")],
  [{ subtype: "set_permission_mode" }, no(text("must be one of"), "invalid_mode")],
  [{ subtype: "set_permission_mode", mode: ["plan"] }, no(text("must be one of"), "invalid_mode")],
  [{ subtype: "set_permission_mode", mode: "bypassPermissions" }, no(text("--dangerously"), "bypass_not_launched")],

  [{ subtype: "set_model", model: "claude-sonnet-4-6" }, ok({ model: "claude-sonnet-4-6" })],
  [{ subtype: "set_model", model: "haiku" }, ok({ model: HAIKU })],
  [{ subtype: "set_model", model: "default" }, ok({ model: SONNET })],
  [{ subtype: "set_model", model: null }, ok({ model: SONNET })],
  [{ subtype: "set_model" }, ok({ model: SONNET })],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 }, ok()],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: 0, thinking_display: "summarized" }, ok()],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: null }, ok()],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: -1 }, no(text("whole number"))],
  [{ subtype: "set_max_thinking_tokens", max_thinking_tokens: "many" }, no(text("whole number"))],
  [{ subtype: "list_models" }, ok({ models: expect.arrayContaining([modelInfo]) })],

  [{ subtype: "mcp_status" }, ok({ mcpServers: [] })],
  [{ subtype: "mcp_status", liveReply: true }, ok({ mcpServers: [] })],
  [{ subtype: "mcp_reconnect", serverName: "x" }, no("Server not found: x")],
  [{ subtype: "mcp_reconnect" }, no('mcp_reconnect: "serverName" must be a string')],
  [{ subtype: "mcp_toggle", serverName: "x", enabled: false }, no("Server not found: x")],
  [{ subtype: "mcp_toggle", serverName: "x" }, no('mcp_toggle: "enabled" must be true or false')],
  [{ subtype: "mcp_set_servers", servers: {} }, ok({ added: [], removed: [], errors: {} })],
  [
    { subtype: "mcp_set_servers", servers: { other: { command: "/bin/false", args: [] } } },
    ok({ added: ["other"], removed: [], errors: { other: expect.any(String) } }),
  ],
  [{ subtype: "mcp_set_servers", servers: {} }, ok({ added: [], removed: ["other"], errors: {} })],
  [{ subtype: "mcp_set_servers", servers: [] }, no(text('"servers" must be an object')), "pipe"],
  [{ subtype: "mcp_message", server_name: "nope", message: { jsonrpc: "2.0", method: "x" } }, ok()],
  [{ subtype: "mcp_message" }, ok()],
  [{ subtype: "mcp_call", tool: "mcp__el__ask", arguments: {} }, no("MCP server not connected: el")],
  [{ subtype: "mcp_call" }, no('mcp_call: "tool" must be a string')],
  [{ subtype: "mcp_read_resource", serverName: "calc", uri: "ui://x" }, no("MCP server not connected: calc")],
  [{ subtype: "mcp_read_resource", serverName: "calc" }, no('mcp_read_resource: "uri" must be a string')],
  [
    { subtype: "set_mcp_permission_mode_override", serverName: "x", mode: "auto" },
    ok({ warning: 'No MCP server "x" yet' }),
  ],
  [{ subtype: "set_mcp_permission_mode_override", serverName: "x", mode: "plan" }, no(text('"mode" must be'))],

  [
    { subtype: "rewind_files", user_message_id: PROMPT_ID, dry_run: true },
    ok({ canRewind: true, filesChanged: [], insertions: 0, deletions: 0 }),
  ],
  [{ subtype: "rewind_files", user_message_id: PROMPT_ID }, ok({ canRewind: true, skippedLinks: 0 })],
  [{ subtype: "rewind_files", user_message_id: "bbbb" }, no("No file checkpoint found for this message.")],
  [{ subtype: "rewind_files" }, no('rewind_files: "user_message_id" must be a string')],

  [{ subtype: "stop_task", task_id: "nope" }, ok({})],
  [{ subtype: "stop_task" }, no('stop_task: "task_id" must be a string')],
  [{ subtype: "background_tasks" }, ok({})],
  [{ subtype: "background_tasks", tool_use_id: "toolu_1" }, ok({ backgrounded: false })],
  [
    { subtype: "get_task_output", task_id: "zzz" },
    no(text("get_task_output: no shell or Monitor task with that task_id")),
  ],
  [{ subtype: "get_task_output" }, no('get_task_output: "task_id" must be a string')],

  [
    { subtype: "get_context_usage" },
    ok(
      some({
        categories: expect.arrayContaining([
          {
            id: "system_prompt",
            name: "System prompt",
            tokens: expect.any(Number),
            color: expect.any(String),
            kind: "used",
          },
          some({ id: "free_space", kind: "free" }),
        ]),
        totalTokens: expect.any(Number),
        maxTokens: 1_000_000,
        rawMaxTokens: 1_000_000,
        percentage: expect.any(Number),
        model: SONNET,
        memoryFiles: expect.any(Array),
        mcpTools: [],
        agents: [],
        isAutoCompactEnabled: true,
        apiUsage: some({ input_tokens: expect.any(Number) }),
      }),
    ),
  ],
  [
    { subtype: "get_context_usage", detail: "full" },
    ok(some({ systemTools: expect.arrayContaining([some({ name: "Bash" })]), gridRows: expect.any(Array) })),
  ],
  [
    { subtype: "get_usage", skip_behaviors: true },
    ok({
      session: some({ total_cost_usd: expect.any(Number), model_usage: { [SONNET]: usage } }),
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    }),
  ],
  [{ subtype: "get_session_cost" }, ok({ text: text("Total cost:            $0.") })],
  [{ subtype: "get_binary_version" }, ok(some({ version: text("2.1."), buildTime: text("T") }))],

  [
    { subtype: "get_settings" },
    ok({
      effective: some({ permissions: some({ deny: ["Read(secret.txt)"] }) }),
      sources: [some({ source: "userSettings", path: "<root>/home/.claude/settings.json" })],
      applied: some({ model: SONNET, effort: "medium" }),
    }),
  ],
  [{ subtype: "apply_flag_settings", settings: { effortLevel: "low" } }, ok()],
  [{ subtype: "get_settings" }, ok(some({ applied: some({ effort: "low" }) }))],
  [{ subtype: "apply_flag_settings", settings: { effortLevel: null } }, ok()],
  [{ subtype: "get_settings" }, ok(some({ applied: some({ effort: "medium" }) }))],
  [{ subtype: "apply_flag_settings", settings: { model: "claude-haiku-4-5" } }, ok()],
  [{ subtype: "get_settings" }, ok(some({ applied: some({ model: "claude-haiku-4-5" }) }))],
  [
    { subtype: "apply_flag_settings", settings: { permissions: 7 } },
    no(text("nothing in this request was applied and")),
  ],
  [{ subtype: "apply_flag_settings" }, no(text("nothing in this request was applied and"))],
  [{ subtype: "apply_flag_settings", settings: { permissions: { deny: ["Bash(curl *)"] } } }, ok()],
  [
    { subtype: "list_permission_rules" },
    ok({
      state: {
        rules: expect.arrayContaining([
          { source: "userSettings", ruleBehavior: "allow", ruleValue: { toolName: "Bash", ruleContent: "ls *" } },
          { source: "flagSettings", ruleBehavior: "deny", ruleValue: { toolName: "Bash", ruleContent: "curl *" } },
        ]),
        workspaceDirectories: [],
        originalCwd: "<project>",
        managedOnly: false,
      },
    }),
  ],
  [{ subtype: "update_settings", source: "userSettings", settings: { outputStyle: "default" } }, ok({})],
  [
    { subtype: "update_settings", source: "userSettings", settings: { model: "x" } },
    no("update_settings keys not allowed: model"),
  ],
  [
    { subtype: "update_settings", source: "userSettings", settings: { hooks: {}, env: {} } },
    no("update_settings keys not allowed: hooks, env"),
  ],
  [{ subtype: "update_settings", source: "policySettings", settings: {} }, no(text('"source" must be one of'))],
  [{ subtype: "update_settings", source: "userSettings" }, no(text('"settings" must be an object'))],
  [{ subtype: "update_settings", source: "userSettings", settings: { verbose: "loud" } }, no(text("verbose"))],
  [
    { subtype: "get_hooks_listing" },
    ok({
      events: [],
      hooks: [],
      eventCatalog: expect.arrayContaining([
        { name: "PreToolUse", summary: expect.any(String), supportsMatcher: true },
      ]),
      policy: {
        disabledByPolicy: false,
        managedOnly: false,
        pluginOnly: false,
        allDisabled: false,
        policyHookCount: 0,
      },
    }),
  ],

  [
    { subtype: "read_file", path: "README.md" },
    ok({ contents: "# hello\n", absPath: "<project>/README.md", lossy: false, requested_path: "README.md" }),
  ],
  [
    { subtype: "read_file", path: "<project>/README.md", max_bytes: 3 },
    ok(some({ contents: "# h", truncated: true, size: 8 })),
  ],
  [{ subtype: "read_file", path: "bytes.bin" }, ok(some({ lossy: true }))],
  [
    { subtype: "read_file", path: "bytes.bin", encoding: "base64" },
    ok(some({ contents: "aGn//g==", encoding: "base64" })),
  ],
  [{ subtype: "read_file", path: "README.md", encoding: "klingon" }, no(text('"encoding" must be'))],
  [
    { subtype: "read_file", path: "missing.txt" },
    { ...no(text("missing.txt does not exist")), missing: true },
  ],
  [{ subtype: "read_file", path: "src" }, no(text("is not a regular file"))],
  [{ subtype: "read_file", path: "/proc/self/environ" }, no(text("is not a regular file"))],
  [{ subtype: "read_file", path: "secret.txt" }, no(text("a permission rule denies reading"))],
  [{ subtype: "read_file" }, no('read_file: "path" must be a string')],
  [{ subtype: "read_file", path: "long.txt" }, ok(some({ truncated: true, size: 1_000_000 }))],
  [{ subtype: "seed_read_state", path: "README.md", mtime: 9_999_999_999_999 }, ok()],
  [{ subtype: "seed_read_state", path: "missing", mtime: 1 }, ok()],
  [{ subtype: "seed_read_state", path: "README.md" }, no(text('"mtime" must be a number'))],
  [
    { subtype: "file_suggestions", query: "READ" },
    ok({
      suggestions: [
        { path: "README.md", displayText: "README.md", type: "file" },
        { path: "src/reader.ts", displayText: "src/reader.ts", type: "file" },
      ],
      cwd: "<project>",
    }),
  ],
  [
    { subtype: "file_suggestions", query: "sr" },
    ok(some({ suggestions: expect.arrayContaining([some({ path: "src/", type: "directory" })]) })),
  ],
  [{ subtype: "file_suggestions", query: "secret" }, ok({ suggestions: [], cwd: "<project>" })],
  [{ subtype: "file_suggestions" }, no('file_suggestions: "query" must be a string')],
  [{ subtype: "register_repo_root", directory: "src" }, ok()],
  [
    { subtype: "register_repo_root", directory: "/usr" },
    no(text("register_repo_root: /usr is not a subdirectory of the session")),
  ],
  [{ subtype: "register_repo_root", directory: "../project-2" }, no(text("is not a subdirectory"))],
  [{ subtype: "register_repo_root", directory: "nowhere" }, no(text("is not a directory"))],

  [
    { subtype: "reload_plugins" },
    ok({ commands: expect.any(Array), agents: expect.any(Array), plugins: [], mcpServers: [], error_count: 0 }),
  ],
  [
    { subtype: "reload_skills" },
    ok({ skills: expect.arrayContaining([expect.objectContaining({ name: "review", builtin: true })]) }),
  ],
  [
    { subtype: "reload_output_styles" },
    ok({ available_output_styles: ["default", "Proactive", "Concise", "Explanatory", "Learning"] }),
  ],
  [{ subtype: "rename_session", title: "  New   name " }, ok()],
  [{ subtype: "rename_session", title: "  " }, no(text("title must be non-empty"))],
  [{ subtype: "rename_session", title: "x", session_id: "other" }, no(text("there is no session other"))],
  [
    { subtype: "list_sessions" },
    ok({ sessions: [some({ summary: "New name", firstPrompt: "hello", cwd: "<project>" })], total: 1 }),
  ],
  [{ subtype: "list_sessions", limit: "all" }, no('list_sessions: "limit" must be a whole number')],
  [{ subtype: "search_sessions", query: "hello" }, ok({ session_ids: [expect.any(String)] })],
  [{ subtype: "search_sessions" }, no('search_sessions: "query" must be a string')],
  [{ subtype: "preview_session", session_id: "other" }, no("preview_session: there is no session other")],
  [
    { subtype: "get_messages", limit: 1 },
    ok({ messages: [some({ type: expect.any(String), uuid: expect.any(String) })], before: expect.any(String) }),
  ],
  [{ subtype: "get_messages", before: "no-such" }, no('No message of the conversation has the id "no-such"')],
  [{ subtype: "get_messages", before: 7 }, no('get_messages: "before" must be a string')],
  [{ subtype: "get_messages", limit: 0 }, no('get_messages: "limit" must be at least 1')],
  [{ subtype: "add_prompt_history", display: "typed" }, ok()],
  [
    { subtype: "add_prompt_history", display: "x".repeat(1_000_001) },
    no(text("the prompt has more than 1,000,000 characters; leave out what was pasted")),
  ],
  [{ subtype: "get_prompt_history" }, ok({ prompts: [some({ display: "typed", project: "<project>" })] })],
  [{ subtype: "side_question", question: "what?" }, ok({ response: "beside", synthetic: false })],
  [{ subtype: "side_question" }, no('side_question: "question" must be a string')],
  [{ subtype: "generate_session_title", description: "naming", persist: false }, ok({ title: "Naming things well" })],
  [{ subtype: "set_has_subscribers", has_subscribers: false }, ok()],

  [{ subtype: "set_color", color: "red" }, unsupported("set_color")],
  [{ subtype: "no_such" }, unsupported("no_such")],
  [{ subtype: "toString" }, unsupported("toString")],
  [{ subtype: "__proto__" }, unsupported("__proto__")],
];

const name = (at: number) => `request ${at}`;

const answers: readonly Case[] = TABLE.map(([request, is, only], at) => ({
  name: `${at + 1} ${JSON.stringify(request)}`,
  ...(only === undefined ? {} : { only }),
  about: request,
  see: ({ replies }) => replies[name(at)],
  is,
}));

export const REQUESTS: readonly Scenario[] = [
  {
    name: "requests",
    files: {
      "README.md": "# hello\n",
      "src/reader.ts": "export {};\n",
      "bytes.bin": Uint8Array.of(104, 105, 255, 254),
      "secret.txt": "hush",
      "long.txt": "0123456789".repeat(100_000),
    },
    settings: { permissions: { deny: ["Read(secret.txt)"], allow: ["Bash(ls *)"] } },
    options: { enableFileCheckpointing: true },
    says: ["first", "beside", "Naming things well", "x", "y"].map((said) => ({ text: said })),
    steps: [
      ...turn("hello", { uuid: PROMPT_ID }),
      ...TABLE.map(([ask], at) => ({ ask, as: name(at) })),
      { line: { type: "control_request", request_id: "bare" } },
      { line: { type: "control_request", request_id: "empty", request: {} } },
      { line: { type: "keep_alive" } },
      { line: { type: "from_the_future" } },
      { line: { type: "update_environment_variables", variables: { FOO: "bar" } } },
      { line: { type: "control_response", response: { subtype: "success", request_id: "nobody", response: {} } } },
      { line: { type: "control_cancel_request", request_id: "nobody" } },
      { ask: { subtype: "mcp_status" }, as: "still there" },
    ],
    cases: [
      ...answers,
      {
        name: "without a subtype, or without a body, are answered too",
        only: "pipe",
        see: ({ order }) => order.filter((what) => /^reply (?:bare|empty)$/.test(what)),
        is: ["reply bare", "reply empty"],
      },
      {
        name: "are answered after lines nobody understands, and after answers nobody waited for",
        about: { subtype: "mcp_status" },
        see: ({ replies }) => replies["still there"],
        is: ok({ mcpServers: [] }),
      },
      {
        name: "for another model are told as the output of a command, echoed",
        see: (seen) =>
          ofKind(seen, "user").map(({ message, isReplay, timestamp }) => [message.content, isReplay, timestamp])[0],
        is: [
          "<local-command-stdout>Set model to claude-sonnet-4-6</local-command-stdout>",
          true,
          expect.stringMatching(/^\d{4}-.*Z$/),
        ],
      },
      {
        name: "for another mode are told in a status line each",
        see: (seen) => ofKind(seen, "system/status").map(({ status, permissionMode }) => [status, permissionMode]),
        is: ["plan", "acceptEdits", "dontAsk", "default"].map((mode) => [null, mode]),
      },
      {
        name: "for another title are told, the title made tidy",
        only: "pipe",
        see: (seen) => ofKind(seen, "system/session_title_changed").map(({ title }) => title),
        is: ["New name"],
      },
      {
        name: "that ask the model tell that they began",
        only: "pipe",
        see: (seen) => ofKind(seen, "system/control_request_progress"),
        is: [
          {
            type: "system",
            subtype: "control_request_progress",
            request_id: text("side_question"),
            status: "started",
            session_id: expect.any(String),
            uuid: expect.any(String),
          },
        ],
      },
      {
        name: "aside show the model the conversation and one question more",
        only: "pipe",
        see: ({ requests }) => requests[1].messages.map(({ role }: any) => role),
        is: ["user", "assistant", "user"],
      },
      {
        name: "leave the session as good as it was",
        see: ({ end }) => [end.code ?? 0, end.error],
        is: [0, undefined],
      },
    ],
  },
];
