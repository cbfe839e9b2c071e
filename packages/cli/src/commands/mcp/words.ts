// How `keelson mcp` words servers, scopes and states.

import type { EditScope } from "@keelson/config/mcp";
import type { ConfiguredMcpServer, McpScope, UnusedMcpServer } from "@keelson/protocol";
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
  if (typeof url === "string" && kindOf(server) !== "stdio") return `${oneLine(url)} (${kindOf(server).toUpperCase()})`;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  return oneLine(words.join(" "), 200);
}
