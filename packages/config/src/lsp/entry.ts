// Checks one entry of `lspServers` or `.lsp.json`. Unknown keys are ignored. Pure.

import { isObject, type ConfiguredLanguageServer, type JsonObject } from "@keelson/protocol";

export type LanguageServerEntry = Omit<ConfiguredLanguageServer, "name" | "scope" | "file" | "confined" | "plugin">;

export interface CheckLanguageServerOptions {
  /** Applied to every text of the entry. */
  expand(text: string): string;
  /** For servers that name none. */
  readonly memoryLimitMb: number;
  /** Makes the path of a folder absolute. */
  resolve(path: string): string;
}

const STARTUP_MS = 30_000;
const SHUTDOWN_MS = 2_000;
const REQUEST_MS = 60_000;
const LONGEST_MS = 10 * 60_000;
const RESTARTS = 3;
const MOST_RESTARTS = 100;
const LEAST_MB = 16;
const MOST_LANGUAGES = 200;
const MAX_DEPTH = 50;

/** A problem follows the name of the server: `needs a "command"`. */
export function checkLanguageServer(
  raw: unknown,
  { expand, memoryLimitMb, resolve }: CheckLanguageServerOptions,
): { readonly entry: LanguageServerEntry; readonly notes: readonly string[] } | { readonly problem: string } {
  if (!isObject(raw)) return { problem: "should be an object" };
  // Some write the program and its arguments as one list.
  const [command, ...first] = Array.isArray(raw["command"]) ? raw["command"] : [raw["command"]];
  const args = [...first, ...(Array.isArray(raw["args"]) ? raw["args"] : [])];
  if (typeof command !== "string" || command.trim() === "") return { problem: 'needs a "command"' };
  if (!args.every((each) => typeof each === "string")) return { problem: 'has "args" that are not a list of strings' };
  const { transport } = raw;
  if (transport !== undefined && transport !== "stdio") {
    return { problem: 'has a "transport" other than "stdio", which is the only one supported' };
  }
  const languages = languagesIn(raw["extensionToLanguage"]);
  if (languages === undefined) {
    return { problem: 'needs "extensionToLanguage", such as { ".ts": "typescript" }' };
  }
  const notes: string[] = [];
  const number = (key: string, least: number, most: number, usual: number) => {
    const value = raw[key];
    if (value === undefined) return usual;
    if (typeof value === "number" && value >= least && value <= most) return Math.round(value);
    notes.push(`${key} should be a number from ${least} to ${most}; it is ignored`);
    return usual;
  };
  const { workspaceFolder: folder, settings, initializationOptions, restartOnCrash, env } = raw;
  return {
    entry: {
      command: expand(command),
      args: args.map(expand),
      env: textsIn(isObject(env) ? env : {}, expand),
      languages,
      ...(initializationOptions === undefined ? {} : { initializationOptions: filled(initializationOptions, expand) }),
      ...(isObject(settings) ? { settings: filled(settings, expand) as JsonObject } : {}),
      ...(typeof folder === "string" && folder !== "" ? { workspaceFolder: resolve(expand(folder)) } : {}),
      startupTimeoutMs: number("startupTimeout", 1, LONGEST_MS, STARTUP_MS),
      shutdownTimeoutMs: number("shutdownTimeout", 1, LONGEST_MS, SHUTDOWN_MS),
      requestTimeoutMs: number("requestTimeout", 1, LONGEST_MS, REQUEST_MS),
      maxRestarts: restartOnCrash === false ? 0 : number("maxRestarts", 0, MOST_RESTARTS, RESTARTS),
      memoryLimitMb: number("memoryLimitMb", LEAST_MB, Number.MAX_SAFE_INTEGER, memoryLimitMb),
      diagnostics: raw["diagnostics"] !== false,
    },
    notes,
  };
}

/** Endings begin with a dot, also if they are written without. Undefined if there are none. */
function languagesIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  const pairs = Object.entries(value).flatMap(([ending, language]) =>
    typeof language === "string" && language !== "" && ending !== "" && ending !== "__proto__"
      ? [[`${ending.startsWith(".") ? "" : "."}${ending}`.toLowerCase(), language] as const]
      : [],
  );
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs.slice(0, MOST_LANGUAGES));
}

function textsIn(values: Readonly<Record<string, unknown>>, expand: (text: string) => string): Record<string, string> {
  const pairs = Object.entries(values).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(pairs.map(([name, text]) => [name, expand(text)]));
}

/** Expands the texts inside a value. */
function filled(value: unknown, expand: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return expand(value);
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => filled(each, expand, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, expand, depth + 1)]));
}
