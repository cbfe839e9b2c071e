// The resources of MCP servers as the tools need them, and what the tools share.

import { ToolError } from "@keelson/engine";

export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

export interface McpResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export interface McpResources {
  /** The names of connected servers that have resources. */
  servers(): readonly string[];
  list(server: string, signal: AbortSignal): Promise<readonly McpResource[]>;
  read(server: string, uri: string, signal: AbortSignal): Promise<readonly McpResourceContent[]>;
  /** Saves content that is not shown. Returns a path the model may read. */
  save(content: { readonly server: string; readonly mimeType?: string; readonly bytes: Uint8Array }): Promise<string>;
}

export interface ListedResource extends McpResource {
  readonly server: string;
}

/** Most resources in one answer. */
const MAX_RESOURCES = 2_000;
const MAX_FIELD_LENGTH = 2_048;

export function requireServer(resources: McpResources, server: string): void {
  const servers = resources.servers();
  if (servers.includes(server)) return;
  const others = servers.length > 0 ? `Available servers: ${servers.join(", ")}` : "No server has resources";
  throw new ToolError(`Server "${server}" not found. ${others}`);
}

/** The resources of one server, or of all. A server that fails is left out unless nothing else is left. */
export async function listResources(
  resources: McpResources,
  server: string | undefined,
  signal: AbortSignal,
): Promise<ListedResource[]> {
  const servers = server === undefined ? resources.servers() : [server];
  const asked = await Promise.allSettled(servers.map((name) => resources.list(name, signal)));
  const listed = asked.flatMap((answer, at) =>
    answer.status === "fulfilled" ? answer.value.map((resource) => listedResource(resource, servers[at]!)) : [],
  );
  const failed = asked.find((answer) => answer.status === "rejected");
  if (failed && listed.length === 0) throw new ToolError(serverFailure(failed.reason));
  return listed.slice(0, MAX_RESOURCES);
}

export const serverFailure = (error: unknown) => (error instanceof Error ? error.message : String(error));

function listedResource({ uri, name, mimeType, description }: McpResource, server: string): ListedResource {
  return {
    uri,
    name: name.slice(0, MAX_FIELD_LENGTH),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(description === undefined ? {} : { description: description.slice(0, MAX_FIELD_LENGTH) }),
    server,
  };
}
