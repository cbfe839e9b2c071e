// Every flag of the command line as data: the parser, the checks and the help page all read this table.

export type FlagGroup = "Output" | "Sessions" | "Model" | "Prompt" | "Permissions" | "Settings" | "Other";

/** What follows a flag. `list` takes every word up to the next flag; `optional` takes one if it is there and fits. */
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
  /** Absent: works, but is not listed. */
  readonly help?: string;
  /** `later`: known to compatible programs, refused here until it exists. `ignored`: accepted without effect. */
  readonly state?: "later" | "ignored";
}

/** Words that name a command elsewhere; nobody means them as a prompt. */
export const COMMANDS_LATER: readonly string[] =
  "agents auth auto-mode gateway install mcp plugin plugins project purge setup-token update upgrade".split(" ");

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
  { name: "print", short: "p", value: none, group: "Output", help: "Answer the prompt on standard output and exit" },
  {
    name: "output-format",
    value: choice("format", "text", "json", "stream-json"),
    group: "Output",
    help: "The final text, one JSON result, or one JSON message per line as they come",
  },
  {
    name: "input-format",
    value: choice("format", "text", "stream-json"),
    group: "Output",
    help: "A prompt as text, or JSON messages, one per line, for as many prompts as you like",
  },
  {
    name: "verbose",
    value: none,
    group: "Output",
    help: "Required for stream-json with --print; with json, print an array of all messages",
  },
  {
    name: "include-partial-messages",
    value: none,
    group: "Output",
    help: "Also the pieces of a reply while it is being written (stream-json)",
  },
  {
    name: "include-hook-events",
    value: none,
    group: "Output",
    help: "Also every hook that starts and what it answered (stream-json)",
  },
  {
    name: "replay-user-messages",
    value: none,
    group: "Output",
    help: "Repeat each message from standard input on standard output (stream-json)",
  },
  {
    name: "json-schema",
    value: one("schema"),
    group: "Output",
    help: "Answer with JSON that fits this JSON Schema, given inline or as a file",
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
    help: "Stop when this many dollars are spent",
  },
  {
    name: "task-budget",
    value: { kind: "integer", label: "tokens", least: 1 },
    group: "Output",
    help: "Tell the model to make do with this many tokens",
  },

  { name: "continue", short: "c", value: none, group: "Sessions", help: "Go on with the last session of this folder" },
  {
    name: "resume",
    short: "r",
    value: maybe("session"),
    group: "Sessions",
    help: "Go on with a session, by its ID or its name",
  },
  { name: "fork-session", value: none, group: "Sessions", help: "Go on in a copy; the session itself stays as it is" },
  { name: "session-id", value: one("uuid"), group: "Sessions", help: "The ID the new session shall have" },
  {
    name: "resume-session-at",
    value: one("message"),
    group: "Sessions",
    help: "With --resume: go on after the message with this UUID",
  },
  {
    name: "resume-drops-turn",
    value: one("prompt"),
    group: "Sessions",
    help: "With --resume-session-at: only if that leaves out the turn of this prompt and no other",
  },
  { name: "name", short: "n", value: one("name"), group: "Sessions", help: "A name to find the session by" },
  { name: "no-session-persistence", value: none, group: "Sessions", help: "Keep no transcript" },

  { name: "model", value: one("model"), group: "Model", help: "The model to ask, by alias or full name" },
  {
    name: "fallback-model",
    value: one("models"),
    group: "Model",
    help: "Models to turn to, in this order, when the first is overloaded (comma-separated)",
  },
  {
    name: "effort",
    value: choice("level", "low", "medium", "high", "xhigh", "max"),
    group: "Model",
    help: "How much effort the model puts into an answer",
  },
  {
    name: "thinking",
    value: choice("mode", "adaptive", "enabled", "disabled"),
    group: "Model",
    help: "Whether it thinks first",
  },
  {
    name: "max-thinking-tokens",
    value: { kind: "integer", label: "n", least: 0 },
    group: "Model",
    help: "How long it may think; 0 for not at all",
  },
  { name: "betas", value: many("betas"), group: "Model", help: "Beta features to ask the API for" },

  { name: "system-prompt", value: one("text"), group: "Prompt", help: "Replaces the system prompt" },
  { name: "system-prompt-file", value: one("file"), group: "Prompt", help: "The same, from a file" },
  { name: "append-system-prompt", value: one("text"), group: "Prompt", help: "Added to the system prompt" },
  { name: "append-system-prompt-file", value: one("file"), group: "Prompt", help: "The same, from a file" },

  {
    name: "permission-mode",
    value: choice("mode", "acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"),
    group: "Permissions",
    help: "What may happen without asking",
  },
  {
    name: "dangerously-skip-permissions",
    value: none,
    group: "Permissions",
    help: "Ask about nothing; only for a sandbox without access to anything you care about",
  },
  {
    name: "allow-dangerously-skip-permissions",
    value: none,
    group: "Permissions",
    help: "Let a client choose that mode later",
  },
  {
    name: "allowedTools",
    aliases: ["allowed-tools"],
    value: many("rules"),
    group: "Permissions",
    help: 'Rules for what may run unasked, such as "Bash(git *)" Edit',
  },
  {
    name: "disallowedTools",
    aliases: ["disallowed-tools"],
    value: many("rules"),
    group: "Permissions",
    help: "Rules for what may never run",
  },
  {
    name: "tools",
    value: many("tools"),
    group: "Permissions",
    help: 'The built-in tools to offer: names, "default" for all of them, "" for none',
  },
  {
    name: "permission-prompt-tool",
    value: one("tool"),
    group: "Permissions",
    help: 'Who answers permission questions; "stdio" asks the client over the stream',
  },
  { name: "permission-prompts", value: choice("who", "host", "none"), group: "Permissions" },
  { name: "restricted", value: none, group: "Permissions", help: "No tools that run programs" },
  { name: "add-dir", value: many("folders"), group: "Permissions", help: "Further folders to work in" },

  { name: "settings", value: one("file-or-json"), group: "Settings", help: "Settings above those of user and project" },
  {
    name: "setting-sources",
    value: one("sources"),
    group: "Settings",
    help: "Which settings files to read: user, project, local (comma-separated)",
  },
  {
    name: "managed-settings",
    value: one("json"),
    group: "Settings",
    help: "Policy of whoever starts the program; only what makes things stricter counts",
  },
  {
    name: "project-config-root",
    value: one("folder"),
    group: "Settings",
    help: "A checkout whose .claude counts in place of this folder's",
  },
  {
    name: "require-trust",
    value: none,
    group: "Settings",
    help: "Of a folder that is not trusted, take only what denies and asks",
  },
  { name: "safe-mode", value: none, group: "Settings", help: "Nothing customised but what an administrator set up" },
  { name: "bare", value: none, group: "Settings", help: "No hooks, plugins, memory or instruction files" },

  {
    name: "mcp-config",
    value: many("configs"),
    group: "Settings",
    help: "MCP servers, as JSON or files; in this version those inside a client",
  },
  { name: "session-mirror", value: none, group: "Other", help: "Every transcript entry is part of the stream too" },
  { name: "await-claim", value: none, group: "Other", help: "Wait, loaded, for a client to say what to run and where" },
  { name: "init", value: none, group: "Other", help: "Run the Setup hooks of a first start before the session" },
  { name: "init-only", value: none, group: "Other", help: "Run them and the SessionStart hooks, then exit" },
  { name: "maintenance", value: none, group: "Other", help: "Run the Setup hooks for upkeep before the session" },
  {
    name: "debug",
    short: "d",
    // A prompt is no filter: `--debug "Fix the tests"` asks.
    value: maybe("filter", /^!?[\w-]+(?:,\s*!?[\w-]+)*$/),
    group: "Other",
    help: 'Log what happens to standard error, by category: "api,hooks", or "!tools" for all others',
  },
  { name: "debug-file", value: one("file"), group: "Other", help: "Write the debug log to a file (implies --debug)" },
  { name: "help", short: "h", value: none, group: "Other", help: "This page" },
  { name: "version", short: "v", value: none, group: "Other", help: "The version, ours and the compatible one" },

  // Accepted without effect: they only ask for more messages or switch on what is on, or off what does not exist here.
  ignored("forward-subagent-text"),
  ignored("await-initialize"),
  ignored("prompt-suggestions", maybe("bool")),
  ignored("strict-mcp-config"),
  ignored("thinking-display", one("form")),
  ignored("exclude-dynamic-system-prompt-sections"),
  ignored("system-prompt-snapshot", one("on-off")),
  ignored("no-chrome"),
  ignored("ax-screen-reader"),
  ignored("autocompact", maybe("bool")),

  later("agent", one("agent")),
  later("agents", one("json")),
  later("plugin-dir", one("folder")),
  later("plugin-dir-no-mcp", one("folder")),
  later("plugin-url", one("url")),
  later("worktree", maybe("name"), "w"),
  later("tmux", maybe("mode")),
  later("from-pr", maybe("pr")),
  later("disable-slash-commands"),
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
