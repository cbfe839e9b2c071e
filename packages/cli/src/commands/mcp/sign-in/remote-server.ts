// What `keelson mcp login` and `logout` need: the server by its name.

import type { Snapshot } from "@keelson/config";
import type { SignInServer } from "@keelson/mcp/sign-in";
import type { McpRemoteConfig } from "@keelson/protocol";
import { UsageError } from "../../../args/invocation.ts";
import { oneLine, visible } from "../../permissions/words.ts";
import { noSuchServer } from "../words.ts";

export interface RemoteServer {
  readonly server: SignInServer;
  readonly config: McpRemoteConfig & { readonly type: "http" | "sse" };
}

/** Throws UsageError if there is no such server, or if it has no sign-in. */
export function remoteServer(name: string, { mcp }: Snapshot): RemoteServer {
  const found = mcp.servers.find((server) => server.name === name);
  if (!found) {
    const unused = mcp.unused.find((server) => server.name === name);
    if (!unused) throw new UsageError(noSuchServer(name, mcp.servers));
    throw new UsageError(`MCP server "${visible(name)}" is not used: ${oneLine(unused.why, 300)}`);
  }
  const { config } = found;
  if (config.type !== "http" && config.type !== "sse") {
    throw new UsageError(
      `MCP server "${visible(name)}" is of type ${config.type}; only http and sse servers have a sign-in`,
    );
  }
  const { type, url } = config;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`MCP server "${visible(name)}" has no valid URL: ${oneLine(url)}`);
  }
  return { server: { name, url }, config: { ...config, type } };
}
