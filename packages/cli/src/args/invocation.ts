// What the arguments mean together: which front end, which session, which flags. Reads the files that flags name.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Flags } from "@keelson/config";
import { isObject, type JsonObject, type PermissionMode } from "@keelson/protocol";
import type { Arguments } from "./args.ts";
import type { DebugChoice } from "../debug.ts";
import type { SessionChoice } from "../open.ts";

export interface Invocation {
  readonly output: "text" | "json" | "stream-json";
  /** Messages, not text, come from standard input. */
  readonly streamInput: boolean;
  /** With `json`: every message of the run, not only the result. */
  readonly verbose: boolean;
  readonly partial: boolean;
  readonly replay: boolean;
  /** Hooks at work are part of the stream. */
  readonly hookEvents: boolean;
  /** Every transcript entry is part of the stream. */
  readonly mirror: boolean;
  /** Which Setup hooks run before the session, if any. */
  readonly setup?: "init" | "maintenance";
  /** Nothing is asked: hooks run, and that is all. */
  readonly setupOnly: boolean;
  /** Permission questions go to the client as control requests. */
  readonly stdioPermissions: boolean;
  readonly session: SessionChoice;
  readonly flags: Flags;
  readonly prompt: string | undefined;
  /** Absent: no debug log. */
  readonly debug?: DebugChoice;
}

/** A combination that makes no sense. Shown as it stands; the exit code is 1. */
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
    throw new UsageError("Error: --input-format=stream-json requires output-format=stream-json.");
  }
  if (output === "stream-json" && !given.has("verbose")) {
    throw new UsageError("Error: When using --print, --output-format=stream-json requires --verbose");
  }
  if (partial && output !== "stream-json") {
    throw new UsageError("Error: --include-partial-messages requires --print and --output-format=stream-json.");
  }
  if (replay && !streamInput) {
    throw new UsageError(
      "Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json.",
    );
  }
  return {
    output,
    streamInput,
    verbose: given.has("verbose"),
    partial,
    replay,
    hookEvents: given.has("include-hook-events"),
    mirror: given.has("session-mirror"),
    ...setupOf(given),
    stdioPermissions: asksClient(given, streamInput),
    session: sessionChoice(given),
    flags: toFlags(given, cwd),
    prompt: streamInput && given.prompt?.trim() === "" ? undefined : given.prompt,
    ...debugOf(given),
  };
}

function debugOf(given: Arguments): Pick<Invocation, "debug"> {
  const file = given.text("debug-file");
  return given.has("debug") || file !== undefined ? { debug: { filter: given.text("debug"), file } } : {};
}

function setupOf(given: Arguments): Pick<Invocation, "setup" | "setupOnly"> {
  const setupOnly = given.has("init-only");
  if (setupOnly || given.has("init")) return { setup: "init", setupOnly };
  return given.has("maintenance") ? { setup: "maintenance", setupOnly } : { setupOnly };
}

function asksClient(given: Arguments, streamInput: boolean): boolean {
  const tool = given.text("permission-prompt-tool");
  if (tool !== undefined && tool !== "stdio") {
    throw new UsageError(`Error: --permission-prompt-tool '${tool}' is not available in this version yet; use stdio`);
  }
  // Without stream input nobody could answer, and a question without an answer is a no.
  return tool === "stdio" && streamInput && given.text("permission-prompts") !== "none";
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function sessionChoice(given: Arguments): SessionChoice {
  const sessionId = given.text("session-id");
  const target = given.text("resume");
  const at = given.text("resume-session-at");
  const name = given.text("name");
  const fork = given.has("fork-session");
  const resumes = given.has("resume");
  const continues = given.has("continue");

  if (sessionId !== undefined && !UUID.test(sessionId)) {
    throw new UsageError("Error: Invalid session ID. Must be a valid UUID.");
  }
  if (resumes && continues) throw new UsageError("Error: --continue and --resume cannot be used together");
  if (sessionId !== undefined && (resumes || continues) && !fork) {
    throw new UsageError(
      "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.",
    );
  }
  if (resumes && (target === undefined || target === "")) {
    throw new UsageError(
      "Error: --resume requires a valid session ID when used with --print. Usage: keelson -p --resume <session>",
    );
  }
  if (at !== undefined && !resumes) throw new UsageError("Error: --resume-session-at requires --resume");
  const drops = given.text("resume-drops-turn");
  if (drops !== undefined && at === undefined) {
    throw new UsageError("Error: --resume-drops-turn requires --resume-session-at");
  }

  return {
    kind: resumes ? "resume" : continues ? "continue" : "new",
    ...(target === undefined ? {} : { target }),
    ...(sessionId === undefined ? {} : { sessionId: sessionId.toLowerCase() }),
    ...(at === undefined ? {} : { at }),
    ...(drops === undefined ? {} : { drops }),
    ...(name === undefined ? {} : { name }),
    fork,
    persist: !given.has("no-session-persistence"),
  };
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
    jsonSchema: jsonSchema(given.text("json-schema"), cwd),
    systemPrompt: promptText(given, "system-prompt", cwd),
    appendSystemPrompt: promptText(given, "append-system-prompt", cwd),
    allowedTools: given.list("allowedTools"),
    disallowedTools: given.list("disallowedTools"),
    tools: given.list("tools")?.flatMap((part) => part.split(/[\s,]+/).filter((name) => name !== "")),
    permissionMode: mode === "manual" ? "default" : (mode as PermissionMode | undefined),
    skipPermissions: given.has("dangerously-skip-permissions") || undefined,
    allowSkipPermissions: given.has("allow-dangerously-skip-permissions") || undefined,
    permissionPromptTool: tool,
    addDirs: given.list("add-dir"),
    settings: given.text("settings"),
    managedSettings: managedSettings(given.text("managed-settings")),
    projectConfigRoot: given.text("project-config-root"),
    settingSources: settingSources(given.text("setting-sources")),
    requireTrust: given.has("require-trust") || undefined,
    mcpServers: mcpServers(given.list("mcp-config"), cwd),
    mcpConfigFiles: given.list("mcp-config")?.filter(isNamed),
    bare: given.has("bare") || undefined,
    safe: given.has("safe-mode") || undefined,
    restricted: given.has("restricted") || undefined,
    taskBudget: given.number("task-budget"),
  });
}

const managedSettings = (text: string | undefined) =>
  text === undefined ? undefined : objectIn(text, "--managed-settings");

function settingSources(text: string | undefined): Flags["settingSources"] {
  return commas(text)?.map((source) => {
    if (source === "user" || source === "project" || source === "local") return source;
    throw new UsageError(
      `Error processing --setting-sources: Invalid setting source: ${source}. Valid options are: user, project, local`,
    );
  });
}

/** Not the JSON text itself. */
const isNamed = (config: string) => !config.trim().startsWith("{");

/** Of several configurations that name the same server, the last one counts. */
function mcpServers(configs: readonly string[] | undefined, cwd: string): JsonObject | undefined {
  if (configs === undefined) return undefined;
  const all = configs.map((config) => {
    const text = isNamed(config) ? readNamed("--mcp-config", config, cwd) : config;
    const servers = objectIn(text, "--mcp-config")["mcpServers"];
    if (!isObject(servers)) throw new UsageError('Error: --mcp-config must hold an object under "mcpServers"');
    return servers;
  });
  return Object.assign({}, ...all) as JsonObject;
}

function objectIn(text: string, flag: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Error: ${flag} is not valid JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new UsageError(`Error: ${flag} must be a JSON object`);
  return value as JsonObject;
}

function jsonSchema(text: string | undefined, cwd: string): JsonObject | undefined {
  if (text === undefined) return undefined;
  return objectIn(text.trim().startsWith("{") ? text : readNamed("--json-schema", text, cwd), "--json-schema");
}

function promptText(given: Arguments, name: string, cwd: string): string | undefined {
  const text = given.text(name);
  const file = given.text(`${name}-file`);
  if (file === undefined) return text;
  if (text !== undefined) {
    throw new UsageError(`Error: Cannot use both --${name} and --${name}-file. Please use only one.`);
  }
  return readNamed(`--${name}-file`, file, cwd);
}

const MAX_FILE = 10 * 1024 * 1024;

function readNamed(flag: string, path: string, cwd: string): string {
  const file = resolve(cwd, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`Error: ${flag}: file not found: ${file}`);
  // Process substitution hands us a pipe, which is as good as a file; a directory is not.
  if (stat.isDirectory()) throw new UsageError(`Error: ${flag}: ${file} is a directory`);
  if (stat.size > MAX_FILE) throw new UsageError(`Error: ${flag}: ${file} is larger than ${MAX_FILE} bytes`);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Error: ${flag}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

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
