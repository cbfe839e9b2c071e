// How `keelson mcp` words servers, scopes and states.

import type { EditScope } from "@keelson/config/mcp";
import type { ConfiguredMcpServer, McpScope, UnusedMcpServer } from "@keelson/protocol";
import { didYouMean } from "../../args/nearest.ts";
import { oneLine, visible } from "../permissions/words.ts";

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

/** Without the code that only says that there is no connection. */
export const plainError = (error: string) => error.replace(/^MCP error -32000: /, "");

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
  const { command, args, url } = server.written;
  const kind = kindOf(server);
  if (typeof url === "string" && kind === "unknown") return oneLine(url);
  if (typeof url === "string" && kind !== "stdio") return `${oneLine(url)} (${kind.toUpperCase()})`;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  return oneLine(words.join(" "), 200);
}
