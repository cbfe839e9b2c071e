// The MCP and language servers that a plugin describes, not checked one by one.

import { isObject, type JsonObject } from "@keelson/protocol";
import { serversIn } from "../../mcp/read-servers.ts";
import { described, type Described, type OwnManifest } from "./named-files.ts";
import type { FolderReading } from "./read-json.ts";

export interface PluginServer {
  /** As the plugin calls it. */
  readonly name: string;
  readonly raw: unknown;
  readonly file: string;
}

/** `{"mcpServers": {…}}` and a bare map of servers. The manifest's entry of a name replaces that of `.mcp.json`. */
export function mcpServersOf(own: OwnManifest, reading: FolderReading): readonly PluginServer[] {
  const servers = described("mcpServers", ".mcp.json", own, reading).flatMap((found) => {
    const { file, value } = found;
    const warn = (text: string) => report(found, text.slice(file.length + 2), reading);
    const map = value["mcpServers"] ?? value;
    return serversIn(map, file, warn).map(([name, raw]) => ({ name, raw, file }));
  });
  return [...new Map(servers.map((server) => [server.name, server])).values()];
}

/** A bare map of servers, and `{"lspServers": {…}}`. */
export function lspServersOf(own: OwnManifest, reading: FolderReading): JsonObject {
  const servers = described("lspServers", ".lsp.json", own, reading).flatMap((found) =>
    Object.entries(serverMap(found.value)).filter(([name, server]) => {
      if (!isObject(server)) report(found, `language server "${name}" should be an object; it is ignored`, reading);
      return isObject(server) && name !== "__proto__";
    }),
  );
  return Object.fromEntries(servers) as JsonObject;
}

/** A server may be called "lspServers"; it has a command. */
function serverMap(value: Described["value"]): Readonly<Record<string, unknown>> {
  const { lspServers: inner } = value;
  return isObject(inner) && !("command" in inner) && Object.keys(value).length === 1 ? inner : value;
}

function report({ file, at, lineOf }: Described, text: string, { problems }: FolderReading): void {
  const line = lineOf(at);
  problems.push({ file, ...(line === undefined ? {} : { line }), text });
}
