// How `keelson mcp` words servers, scopes and states.

import type { EditScope } from "@keelson/config/mcp";
import type { ConfiguredMcpServer, McpScope, UnusedMcpServer } from "@keelson/protocol";
import { didYouMean } from "../../args/nearest.ts";
import { oneLine, shellWord, visible } from "../permissions/words.ts";

export type AnyServer = ConfiguredMcpServer | UnusedMcpServer;

export const isUnused = (server: AnyServer): server is UnusedMcpServer => "why" in server;

export const SCOPE_TEXT: Readonly<Record<McpScope, string>> = {
  enterprise: "enterprise (set by your administrator; no others may be used)",
  managed: "managed (set by your administrator)",
  local: "local (only you, only in this folder)",
  project: "project (everyone who works in this folder)",
  user: "user (only you, in all folders)",
  dynamic: "dynamic (--mcp-config)",
  plugin: "plugin",
  agent: "agent",
};

/** The error for a name that no scope defines. */
export function noSuchServer(name: string, known: readonly AnyServer[]): string {
  const names = known.map((server) => server.name);
  return `no MCP server "${visible(name)}"${didYouMean(name, names) || "; to list them, run: keelson mcp list"}`;
}

/** Without the code, which is for programs. */
export const plainError = (error: string) => error.replace(/^MCP error -32\d{3}: /, "");

/** `file`, and for the local scope the folder it is about, as the reference prints it. */
export function modifiedLine(file: string, scope: EditScope, cwd: string): string {
  return `File modified: ${visible(file)}${scope === "local" ? ` [project: ${visible(cwd)}]` : ""}`;
}

/** `stdio`, `http` … as written, before any check. */
export function kindOf({ written }: AnyServer): string {
  const { type, command } = written;
  if (typeof type === "string") return visible(type);
  return command === undefined ? "unknown" : "stdio";
}

/** The command line or the URL, as written: variables stay unexpanded. */
export function targetOf(server: AnyServer): string {
  const { url } = server.written;
  const kind = kindOf(server);
  if (typeof url === "string" && kind === "unknown") return oneLine(url);
  if (typeof url === "string" && kind !== "stdio") return `${oneLine(url)} (${kind.toUpperCase()})`.trimStart();
  return oneLine(commandWords(server.written).join(" "), 200);
}

/** The command and its arguments, as far as they can be used. */
function commandWords({ command, args }: AnyServer["written"]): readonly string[] {
  return [command, ...argumentsIn(args)].filter((word) => typeof word === "string");
}

/** Numbers may be written without quotes. */
export const argumentsIn = (args: unknown): readonly string[] =>
  Array.isArray(args) ? args.filter((each) => typeof each !== "object").map(String) : [];

/** All that a server runs and sends. */
export interface ServerContents {
  readonly kind: "command" | "url";
  /** The command line, or the URL. */
  readonly starts: string;
  /** Variables, or headers. */
  readonly settings: readonly string[];
  /** A command that prints headers. */
  readonly helper?: string;
}

/** For whoever approves it, so nothing is cut without saying so: padding must not hide the end of a command. */
export function contentsToApprove(server: AnyServer): ServerContents {
  const { written } = server;
  const { url, env, headers, headersHelper } = written;
  // An entry may have fields of both kinds; its type decides.
  const isProgram = kindOf(server) === "stdio";
  const pairs = Object.entries((isProgram ? env : headers) ?? {}).map(
    ([name, value]) => `${name}${isProgram ? "=" : ": "}${String(value)}`,
  );
  const more = pairs.length - MOST_SETTINGS;
  return {
    kind: isProgram ? "command" : "url",
    starts: long(isProgram ? commandWords(written).map(quotedWord).join(" ") : String(url)),
    settings: [...pairs.slice(0, MOST_SETTINGS).map(long), ...(more > 0 ? [`… and ${more} more`] : [])],
    ...(!isProgram && typeof headersHelper === "string" ? { helper: long(headersHelper) } : {}),
  };
}

const MOST_SETTINGS = 50;
const MOST_CHARACTERS = 4_000;

const quotedWord = (word: string) => (/^[^\s'"]+$/.test(word) ? word : shellWord(word));

function long(text: string): string {
  const more = text.length - MOST_CHARACTERS;
  return more <= 0 ? text : `${text.slice(0, MOST_CHARACTERS)}… and ${more} more characters`;
}
