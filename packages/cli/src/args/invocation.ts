// What the arguments mean together: which front end, which session, which settings.

import { resolve } from "node:path";
import type { Flags } from "@keelson/config";
import type { PermissionMode } from "@keelson/protocol";
import type { Arguments } from "./args.ts";
import type * as FlagValues from "./flag-values.ts";
import type * as Choice from "./session-choice.ts";
import type { SessionFlags } from "./session-choice.ts";
import type { DebugChoice } from "../debug.ts";
import type { JoinOptions, SessionChoice, WantedSession } from "../open.ts";

export interface Invocation {
  readonly output: "text" | "json" | "stream-json";
  /** Standard input holds messages, not text. */
  readonly streamInput: boolean;
  /** With `json`: print every message of the run, not only the result. */
  readonly verbose: boolean;
  readonly partial: boolean;
  readonly replay: boolean;
  /** Include hook starts and results in the stream. */
  readonly hookEvents: boolean;
  /** Include what subagents say and think in the stream. */
  readonly agentText: boolean;
  /** Include every transcript entry in the stream. */
  readonly mirror: boolean;
  readonly liveCalls: boolean;
  /** The Setup hooks to run before the session. */
  readonly setup?: "init" | "maintenance";
  /** Run the hooks and exit without a prompt. */
  readonly setupOnly: boolean;
  /** Send permission questions to the client as control requests. */
  readonly stdioPermissions: boolean;
  readonly session: SessionChoice;
  readonly join?: JoinOptions | undefined;
  /** Work in a worktree of this name, or of a new one. */
  readonly worktree?: { readonly name?: string };
  readonly flags: Flags;
  readonly prompt: string | undefined;
  /** Set by the lead of a team for its members. */
  readonly teammate?: WantedSession["teammate"];
  /** Absent when there is no debug log. */
  readonly debug?: DebugChoice;
}

/** Arguments that cannot be used. The message is printed after `error:`; the exit code is 1. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Throws UsageError. */
export function toInvocation(given: Arguments, cwd: string): Invocation {
  const output = (given.text("output-format") ?? "text") as Invocation["output"];
  const streamInput = given.text("input-format") === "stream-json";
  const partial = given.has("include-partial-messages");
  const replay = given.has("replay-user-messages");
  if (streamInput && output !== "stream-json") {
    throw new UsageError("--input-format=stream-json requires --output-format=stream-json");
  }
  if (output === "stream-json" && !given.has("verbose")) {
    throw new UsageError("--output-format=stream-json requires --verbose");
  }
  if (partial && output !== "stream-json") {
    throw new UsageError("--include-partial-messages requires --output-format=stream-json");
  }
  if (replay && !streamInput) {
    throw new UsageError("--replay-user-messages requires --input-format=stream-json");
  }
  return {
    output,
    streamInput,
    verbose: given.has("verbose"),
    partial,
    replay,
    hookEvents: given.has("include-hook-events"),
    agentText: given.has("forward-subagent-text"),
    mirror: given.has("session-mirror"),
    liveCalls: given.has("include-running-calls"),
    ...setupOf(given),
    stdioPermissions: asksClient(given, streamInput),
    ...sessionOf(given, { ownAnswers: !streamInput }),
    ...worktreeOf(given),
    flags: toFlags(given, cwd),
    prompt: streamInput && given.prompt?.trim() === "" ? undefined : given.prompt,
    ...(["agent-id", "agent-name", "team-name"].some((flag) => given.has(flag)) ? values().teammateOf(given) : {}),
    ...debugOf(given),
  };
}

/** About a session that is there already, or gets an id. Few runs have one of them. */
const OF_SESSIONS = ["continue", "fork-session", "resume", "resume-session-at", "resume-drops-turn", "session-id"];

export function sessionOf(given: Arguments, how: SessionFlags): Pick<Invocation, "session" | "join"> {
  if (OF_SESSIONS.some((flag) => given.has(flag)))
    return (require("./session-choice.ts") as typeof Choice).chosenSession(given, how);
  const name = given.text("name");
  const persist = !given.has("no-session-persistence");
  return { session: { kind: "new", ...(name === undefined ? {} : { name }), fork: false, persist } };
}

export function worktreeOf(given: Arguments): Pick<Invocation, "worktree"> {
  const name = given.text("worktree");
  return given.has("worktree") ? { worktree: name === undefined ? {} : { name } } : {};
}

export function debugOf(given: Arguments): Pick<Invocation, "debug"> {
  const file = given.text("debug-file");
  return given.has("debug") || file !== undefined ? { debug: { filter: given.text("debug"), file } } : {};
}

export function setupOf(given: Arguments): Pick<Invocation, "setup" | "setupOnly"> {
  const setupOnly = given.has("init-only");
  if (setupOnly || given.has("init")) return { setup: "init", setupOnly };
  return given.has("maintenance") ? { setup: "maintenance", setupOnly } : { setupOnly };
}

function asksClient(given: Arguments, streamInput: boolean): boolean {
  const tool = given.text("permission-prompt-tool");
  if (tool !== undefined && tool !== "stdio" && !tool.startsWith("mcp__")) {
    throw new UsageError(`invalid value "${tool}" for --permission-prompt-tool; use stdio or mcp__SERVER__TOOL`);
  }
  // Without stream input the client has no way to answer.
  return tool === "stdio" && streamInput && given.text("permission-prompts") !== "none";
}

export function toFlags(given: Arguments, cwd: string): Flags {
  const mode = given.text("permission-mode");
  const tool = given.text("permission-prompt-tool");
  return defined({
    model: given.text("model"),
    fallbackModels: commas(given.text("fallback-model")),
    effort: given.text("effort"),
    maxThinkingTokens: given.text("thinking") === "disabled" ? 0 : given.number("max-thinking-tokens"),
    betas: given.list("betas")?.flatMap((part) => commas(part) ?? []),
    maxTurns: given.number("max-turns"),
    maxBudgetUsd: given.number("max-budget-usd"),
    jsonSchema: when(given.text("json-schema"), (text) => values().schemaFrom(text, cwd)),
    systemPrompt: promptText(given, "system-prompt", cwd),
    appendSystemPrompt: promptText(given, "append-system-prompt", cwd),
    excludeDynamicSections: given.has("exclude-dynamic-system-prompt-sections") || undefined,
    allowedTools: given.list("allowedTools"),
    disallowedTools: given.list("disallowedTools"),
    tools: given.list("tools")?.flatMap((part) => part.split(/[\s,]+/).filter((name) => name !== "")),
    permissionMode: mode === "manual" ? "default" : (mode as PermissionMode | undefined),
    skipPermissions: given.has("dangerously-skip-permissions") || undefined,
    allowSkipPermissions: given.has("allow-dangerously-skip-permissions") || undefined,
    permissionPromptTool: tool,
    addDirs: given.list("add-dir"),
    settings: given.text("settings"),
    managedSettings: when(given.text("managed-settings"), (text) => values().jsonObjectIn(text, "--managed-settings")),
    projectConfigRoot: given.text("project-config-root"),
    settingSources: settingSources(given.text("setting-sources")),
    requireTrust: given.has("require-trust") || undefined,
    mcpServers: when(given.list("mcp-config"), (configs) => values().serversFrom(configs, cwd)),
    mcpConfigFiles: given.list("mcp-config")?.filter(isNamed),
    agent: given.text("agent")?.trim() || undefined,
    agents: when(given.text("agents"), (text) => values().agentsFrom(text, cwd)),
    strictMcpConfig: given.has("strict-mcp-config") || undefined,
    pluginDirs: pluginDirs(given, cwd),
    bare: given.has("bare") || undefined,
    safe: given.has("safe-mode") || undefined,
    restricted: given.has("restricted") || undefined,
    taskBudget: given.number("task-budget"),
    disableSlashCommands: given.has("disable-slash-commands") || undefined,
  });
}

/** Addresses and archives among them are replaced before the settings are loaded (plugin-archives.ts). */
function pluginDirs(given: Arguments, cwd: string): Flags["pluginDirs"] {
  const paths = (flag: string) => (given.list(flag) ?? []).map((path) => resolve(cwd, path));
  const all = [
    ...paths("plugin-dir").map((path) => ({ path })),
    ...paths("plugin-dir-no-mcp").map((path) => ({ path, withoutMcp: true as const })),
    ...(given.list("plugin-url") ?? []).map((path) => ({ path })),
  ];
  return all.length > 0 ? all : undefined;
}

const when = <T, R>(value: T | undefined, then: (value: T) => R) => (value === undefined ? undefined : then(value));

function promptText(given: Arguments, name: string, cwd: string): string | undefined {
  const text = given.text(name);
  const file = given.text(`${name}-file`);
  if (file === undefined) return text;
  if (text !== undefined) throw new UsageError(`--${name} and --${name}-file cannot be used together`);
  return values().readNamed(`--${name}-file`, file, cwd);
}

function settingSources(text: string | undefined): Flags["settingSources"] {
  return commas(text)?.map((source) => {
    if (source === "user" || source === "project" || source === "local") return source;
    throw new UsageError(`invalid value "${source}" for --setting-sources; use user, project or local`);
  });
}

/** Few runs need it. */
const values = () => require("./flag-values.ts") as typeof FlagValues;

/** Whether this is a file name, as opposed to JSON text. */
export const isNamed = (config: string) => !config.trim().startsWith("{");

function commas(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}
