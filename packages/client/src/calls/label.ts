// What a tool call is called. The session says it (`tool_use_meta`); where it does not, as in streams of other programs,
// it is worked out from the name and the input alone.

import type { CallLocation, JsonObject, ToolKind, ToolUseMeta } from "@keelson/protocol";

export interface CallLabel {
  /** The name of the tool for people. */
  readonly name: string;
  /** The MCP server that it is of. */
  readonly server?: string;
  readonly kind: ToolKind;
  /** What the call is about. Empty if the name says it all; absent if only its arguments can say it. */
  readonly title?: string;
  /** What the model says that it does. */
  readonly note?: string;
  readonly locations: readonly CallLocation[];
}

export interface NamedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** `cwd`: paths inside it are shown relative to it. */
export function labelOf(call: NamedCall, meta: ToolUseMeta | undefined, cwd = ""): CallLabel {
  if (meta === undefined) return guessedLabel(call, cwd);
  const { display_name: name, server_display_name: server, kind = "other", title, note, locations = [] } = meta;
  return {
    name,
    kind,
    locations,
    ...(server === undefined ? {} : { server }),
    ...(title === undefined ? {} : { title }),
    ...(note === undefined ? {} : { note }),
  };
}

function guessedLabel({ name, input }: NamedCall, cwd: string): CallLabel {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return { name: tool, server, kind: "other", locations: [] };
  const kind = guessedKind(name);
  const title = guessedTitle(kind, input, cwd);
  const note = kind === "execute" ? textIn(input, ["description"]) : undefined;
  const path = TOUCHING.has(kind) ? textIn(input, PATH_FIELDS) : undefined;
  const line = input["offset"] ?? input["line"];
  return {
    name,
    kind,
    locations:
      path === undefined || !isAbsolute(path)
        ? []
        : [{ path, ...(typeof line === "number" && line > 0 ? { line } : {}) }],
    ...(title === undefined ? {} : { title }),
    ...(note === undefined ? {} : { note }),
  };
}

/** By a word in the name; the first that fits. */
const KINDS: readonly (readonly [ToolKind, readonly string[]])[] = [
  ["fetch", ["web", "fetch", "browse", "http"]],
  ["search", ["search", "grep", "glob", "find"]],
  ["think", ["todo", "task", "agent", "think"]],
  ["switch_mode", ["mode"]],
  ["delete", ["delete", "remove"]],
  ["move", ["move", "rename"]],
  ["edit", ["edit", "write", "patch", "replace"]],
  ["read", ["read", "view", "ls", "cat"]],
  ["execute", ["bash", "shell", "command", "exec", "terminal", "run"]],
];

function guessedKind(name: string): ToolKind {
  const words = (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
  return KINDS.find(([, some]) => some.some((word) => words.includes(word)))?.[0] ?? "other";
}

/** A kind that a session says; one that is not known is something else. */
export const toolKind = (said: unknown): ToolKind => KINDS.find(([kind]) => kind === said)?.[0] ?? "other";

const TOUCHING: ReadonlySet<ToolKind> = new Set(["read", "edit", "delete", "move", "search"]);
const PATH_FIELDS = ["file_path", "notebook_path", "filePath", "path", "directory"];

/** Only where the kind says what an argument means. */
function guessedTitle(kind: ToolKind, input: JsonObject, cwd: string): string | undefined {
  switch (kind) {
    case "execute":
      return textIn(input, ["command", "cmd", "script"]);
    case "fetch":
      return textIn(input, ["url", "uri", "query"]);
    case "think":
      return textIn(input, ["subject", "description", "title"]);
    case "search": {
      const what = textIn(input, ["pattern", "query"]);
      const where = textIn(input, PATH_FIELDS);
      if (what === undefined || where === undefined) return what;
      return `${what} in ${relativePath(where, cwd)}`;
    }
    case "read":
    case "edit":
    case "delete":
    case "move": {
      const path = textIn(input, PATH_FIELDS);
      return path === undefined ? undefined : relativePath(path, cwd);
    }
    default:
      return undefined;
  }
}

function textIn(input: JsonObject, fields: readonly string[]): string | undefined {
  return fields
    .map((field) => input[field])
    .find((value): value is string => typeof value === "string" && value !== "");
}

const isAbsolute = (path: string) => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path);

/** Relative to the folder if it is in it. */
export function relativePath(path: string, cwd: string): string {
  if (path === cwd) return ".";
  return cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** The arguments of a call that has no title, one after the other. Long ones are cut unless all of it is wanted. */
export function listArguments(input: JsonObject, { whole = false } = {}): string {
  return Object.entries(input)
    .map(([key, value]) => {
      const text = JSON.stringify(value) ?? "";
      return `${key}: ${whole || text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`}`;
    })
    .join(whole ? ",\n" : ", ");
}

const MOST_CHARS = 80;

/** One line for clients that show no more of a call: `Read src/a.ts`, `git: list_issues (repo: "r")`. */
export function callLine({ name, input }: NamedCall, label: CallLabel): string {
  const tool = label.server === undefined ? label.name : `${label.server}: ${label.name}`;
  const title = label.title ?? listArguments(input);
  if (title === "") return tool || name;
  return label.title === undefined ? `${tool} (${title})` : `${tool} ${title}`;
}
