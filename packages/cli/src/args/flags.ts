// Every command-line flag, as a table for the parser, the checks and the help page.

/** A section of the help page. `Clients` are programs that drive this one, such as SDKs and editors. */
export type FlagGroup = "Output" | "Sessions" | "Model" | "Prompt" | "Permissions" | "Settings" | "Clients" | "Other";

/** What follows a flag. `list` takes all words up to the next flag; `optional` takes the next word if it fits. */
export type Value =
  | { readonly kind: "none" }
  | { readonly kind: "text" | "list"; readonly label: string }
  | { readonly kind: "optional"; readonly label: string; readonly fits?: RegExp }
  | { readonly kind: "choice"; readonly label: string; readonly choices: readonly string[] }
  | { readonly kind: "integer" | "number"; readonly label: string; readonly least: number; readonly above?: boolean };

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly aliases?: readonly string[];
  readonly value: Value;
  readonly group: FlagGroup;
  /** Absent for flags that work but are not listed. */
  readonly help?: string;
  /** `later`: exists in compatible programs and is refused here. `ignored`: accepted, without effect. */
  readonly state?: "later" | "ignored";
}

const none: Value = { kind: "none" };
const one = (label: string): Value => ({ kind: "text", label });
const many = (label: string): Value => ({ kind: "list", label });
const maybe = (label: string, fits?: RegExp): Value => ({ kind: "optional", label, ...(fits ? { fits } : {}) });
const choice = (label: string, ...choices: string[]): Value => ({ kind: "choice", label, choices });
const later = (name: string, value: Value = none, short?: string): Flag => ({
  name,
  value,
  group: "Other",
  state: "later",
  ...(short === undefined ? {} : { short }),
});
const ignored = (name: string, value: Value = none): Flag => ({ name, value, group: "Other", state: "ignored" });

export const FLAGS: readonly Flag[] = [
  { name: "print", short: "p", value: none, group: "Output", help: "Print the answer and exit" },
  {
    name: "output-format",
    value: choice("format", "text", "json", "stream-json"),
    group: "Output",
    help: "Print the final text, a JSON result, or each message as a line of JSON",
  },
  {
    name: "input-format",
    value: choice("format", "text", "stream-json"),
    group: "Clients",
    help: "Read one prompt as text, or messages as lines of JSON",
  },
  {
    name: "verbose",
    value: none,
    group: "Output",
    help: "Print all messages (json); required for stream-json",
  },
  {
    name: "include-partial-messages",
    value: none,
    group: "Clients",
    help: "Include partial replies as they are written (stream-json)",
  },
  {
    name: "include-running-calls",
    value: none,
    group: "Clients",
    help: "Include which calls run and what they print (stream-json)",
  },
  {
    name: "include-hook-events",
    value: none,
    group: "Clients",
    help: "Include hook starts and results (stream-json)",
  },
  {
    name: "forward-subagent-text",
    value: none,
    group: "Clients",
    help: "Include what subagents say, not only their tool calls (stream-json)",
  },
  {
    name: "replay-user-messages",
    value: none,
    group: "Clients",
    help: "Echo each message read from standard input (stream-json)",
  },
  {
    name: "json-schema",
    value: one("schema"),
    group: "Output",
    help: "Require an answer that matches this JSON Schema, inline or in a file",
  },
  {
    name: "max-turns",
    value: { kind: "integer", label: "n", least: 1 },
    group: "Output",
    help: "Stop after this many model requests",
  },
  {
    name: "max-budget-usd",
    value: { kind: "number", label: "amount", least: 0, above: true },
    group: "Output",
    help: "Stop after spending this many US dollars",
  },
  {
    name: "task-budget",
    value: { kind: "integer", label: "tokens", least: 1 },
    group: "Output",
    help: "Give the model a token budget for the task",
  },

  {
    name: "continue",
    short: "c",
    value: none,
    group: "Sessions",
    help: "Continue the most recent session in this folder",
  },
  {
    name: "resume",
    short: "r",
    value: maybe("session"),
    group: "Sessions",
    help: "Resume a session by ID or name",
  },
  { name: "fork-session", value: none, group: "Sessions", help: "Continue in a copy and leave the original unchanged" },
  { name: "session-id", value: one("uuid"), group: "Sessions", help: "Use this UUID for the new session" },
  {
    name: "worktree",
    short: "w",
    value: maybe("name", /^\S+$/),
    group: "Sessions",
    help: "Work in a git worktree with this name (default: a new one)",
  },
  {
    name: "tmux",
    // Only after an equals sign.
    value: maybe("mode", /(?!)/),
    group: "Sessions",
    help: "With --worktree: run in a tmux session of its own",
  },
  {
    name: "resume-session-at",
    value: one("message"),
    group: "Clients",
    help: "With --resume: continue after the message with this UUID",
  },
  {
    name: "resume-drops-turn",
    value: one("prompt"),
    group: "Clients",
    help: "With --resume-session-at: fail unless exactly the turn of this prompt is dropped",
  },
  { name: "name", short: "n", value: one("name"), group: "Sessions", help: "Name the session" },
  { name: "no-session-persistence", value: none, group: "Sessions", help: "Do not save a transcript" },

  {
    name: "model",
    value: one("model"),
    group: "Model",
    help: "Use this model: an alias, a full name, or PROVIDER/ID (see keelson models)",
  },
  {
    name: "fallback-model",
    value: one("models"),
    group: "Model",
    help: "Models to try in order when the first is overloaded (comma-separated)",
  },
  {
    name: "effort",
    value: choice("level", "low", "medium", "high", "xhigh", "max"),
    group: "Model",
    help: "How much effort the model spends",
  },
  {
    name: "thinking",
    value: choice("mode", "adaptive", "enabled", "disabled"),
    group: "Model",
    help: "Whether the model thinks before answering",
  },
  {
    name: "max-thinking-tokens",
    value: { kind: "integer", label: "n", least: 0 },
    group: "Model",
    help: "Limit on thinking; 0 turns it off",
  },
  { name: "betas", value: many("betas"), group: "Model", help: "API beta features to enable" },

  { name: "system-prompt", value: one("text"), group: "Prompt", help: "Replace the system prompt" },
  { name: "system-prompt-file", value: one("file"), group: "Prompt", help: "Replace it with a file" },
  { name: "append-system-prompt", value: one("text"), group: "Prompt", help: "Add to the system prompt" },
  { name: "append-system-prompt-file", value: one("file"), group: "Prompt", help: "Add a file to it" },
  {
    name: "disable-slash-commands",
    value: none,
    group: "Prompt",
    help: "Send text that starts with / to the model unchanged; offer no commands or skills",
  },
  {
    name: "exclude-dynamic-system-prompt-sections",
    value: none,
    group: "Prompt",
    help: "Describe folder, memory and git in the first message instead of the system prompt",
  },

  {
    name: "permission-mode",
    value: choice("mode", "acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"),
    group: "Permissions",
    help: "What runs without approval",
  },
  {
    name: "dangerously-skip-permissions",
    value: none,
    group: "Permissions",
    help: "Approve everything; use only in a sandbox with nothing to lose",
  },
  {
    name: "allow-dangerously-skip-permissions",
    value: none,
    group: "Clients",
    help: "Let the client switch to bypassPermissions mode later",
  },
  {
    name: "allowedTools",
    aliases: ["allowed-tools"],
    value: many("rules"),
    group: "Permissions",
    help: 'Rules for what runs without approval, such as "Bash(git *)" Edit',
  },
  {
    name: "disallowedTools",
    aliases: ["disallowed-tools"],
    value: many("rules"),
    group: "Permissions",
    help: "Rules for what never runs",
  },
  {
    name: "tools",
    value: many("tools"),
    group: "Permissions",
    help: 'Built-in tools to offer: names, "default" for all, "" for none',
  },
  {
    name: "permission-prompt-tool",
    value: one("tool"),
    group: "Clients",
    help: 'Who approves tool calls: "stdio" (the client, over the stream) or mcp__SERVER__TOOL',
  },
  {
    name: "permission-prompts",
    value: choice("who", "host", "none"),
    group: "Clients",
    help: "none: ask no one, whatever --permission-prompt-tool says",
  },
  { name: "restricted", value: none, group: "Permissions", help: "Offer no tools that run programs" },
  { name: "add-dir", value: many("folders"), group: "Permissions", help: "Also work in these folders" },

  {
    name: "settings",
    value: one("file-or-json"),
    group: "Settings",
    help: "Settings that override user and project settings",
  },
  {
    name: "setting-sources",
    value: one("sources"),
    group: "Settings",
    help: "Settings files to read: user, project, local (comma-separated)",
  },
  {
    name: "managed-settings",
    value: one("json"),
    group: "Clients",
    help: "Policy from the parent process; it can only restrict",
  },
  {
    name: "project-config-root",
    value: one("folder"),
    group: "Clients",
    help: "Use the .claude folder of this checkout instead",
  },
  {
    name: "require-trust",
    value: none,
    group: "Settings",
    help: "In an untrusted folder, apply only its deny and ask rules",
  },
  { name: "safe-mode", value: none, group: "Settings", help: "Ignore all customization except managed settings" },
  {
    name: "plugin-dir",
    value: one("path"),
    group: "Settings",
    help: "Use the plugin in this folder or archive for this session (repeatable)",
  },
  {
    name: "plugin-url",
    value: one("url"),
    group: "Settings",
    help: "Use the plugin in the archive at this address for this session (repeatable)",
  },
  {
    name: "plugin-dir-no-mcp",
    value: one("path"),
    group: "Clients",
    help: "Like --plugin-dir, without the MCP servers of the plugin",
  },
  { name: "bare", value: none, group: "Settings", help: "No hooks, plugins, memory or instruction files" },

  {
    name: "mcp-config",
    value: many("configs"),
    group: "Settings",
    help: 'MCP servers, as JSON or files: { "mcpServers": { … } }',
  },
  {
    name: "strict-mcp-config",
    value: none,
    group: "Settings",
    help: "Use only the MCP servers of --mcp-config",
  },
  {
    name: "agent",
    value: one("name"),
    group: "Settings",
    help: "Run the session as this agent",
  },
  {
    name: "agents",
    value: one("agents"),
    group: "Settings",
    help: 'Agents, as JSON or a file: { "name": { "description": …, "prompt": … } }',
  },
  { name: "session-mirror", value: none, group: "Clients", help: "Include every transcript entry in the stream" },
  { name: "await-claim", value: none, group: "Clients", help: "Start now and wait for a client to say what to run" },
  { name: "init", value: none, group: "Other", help: "Run the init Setup hooks before the session" },
  { name: "init-only", value: none, group: "Other", help: "Run the init Setup and SessionStart hooks, then exit" },
  { name: "maintenance", value: none, group: "Other", help: "Run the maintenance Setup hooks before the session" },
  {
    name: "debug",
    short: "d",
    // In `--debug "Fix the tests"` the text is the prompt, not a filter.
    value: maybe("filter", /^!?[\w-]+(?:,\s*!?[\w-]+)*$/),
    group: "Other",
    help:
      'Log to standard error; filter by category: "api,hooks", "!tools". Categories: api, config, hooks, instructions, ' +
      "lsp, mcp, permissions, session, telemetry, tools",
  },
  {
    name: "debug-file",
    value: one("file"),
    group: "Other",
    help: "Log to a file instead (implies --debug); links are not followed",
  },
  {
    name: "ax-screen-reader",
    value: none,
    group: "Other",
    help: "At a terminal: only append text, for screen readers",
  },
  { name: "help", short: "h", value: none, group: "Other", help: "Show this help" },
  { name: "version", short: "v", value: none, group: "Other", help: "Show the version" },

  // How the lead of a team starts its members; not for people.
  { name: "agent-id", value: one("id"), group: "Clients" },
  { name: "agent-name", value: one("name"), group: "Clients" },
  { name: "team-name", value: one("name"), group: "Clients" },
  { name: "agent-color", value: one("color"), group: "Clients" },
  { name: "parent-session-id", value: one("uuid"), group: "Clients" },
  { name: "agent-hooks", value: one("json"), group: "Clients" },
  { name: "plan-mode-required", value: none, group: "Clients" },

  // How a worker of routines starts a run; not for people.
  { name: "lease-file", value: one("file"), group: "Clients" },

  // No effect: these ask for extra messages, turn on what is always on, or turn off what does not exist here.
  ignored("await-initialize"),
  ignored("prompt-suggestions", maybe("bool")),
  ignored("thinking-display", one("form")),
  ignored("system-prompt-snapshot", one("on-off")),
  ignored("no-chrome"),
  ignored("autocompact", maybe("bool")),

  later("from-pr", maybe("pr")),
  later("brief"),
  later("ide"),
  later("chrome"),
  later("file", many("specs")),
  later("bg"),
  later("background"),
  later("remote-control", maybe("name")),
  later("cloud", maybe("value")),
  later("teleport", maybe("value")),
  later("desktop"),
  later("environment", one("name")),
];
