// Checks the server entries that a client sends. Loaded with the first of them.

import { basename } from "node:path";
import type { ConfiguredMcp, Snapshot } from "@keelson/config";
import { checkServer, whyNoClientServers } from "@keelson/config/mcp";
import type { JsonObject } from "@keelson/protocol";

/** As for `--mcp-config`, with what an administrator says of servers applied. */
export function readConfig(entries: JsonObject, snapshot: Snapshot): ConfiguredMcp {
  const { env, settings } = snapshot;
  const why = whyNone(snapshot);
  const checked = Object.entries(entries).map(([name, entry]) => {
    const server = checkServer(name, entry, { scope: "dynamic", env, settings });
    if (why === undefined || "why" in server) return server;
    const { scope, written } = server;
    return { name, scope, written, status: "disabled" as const, why };
  });
  return {
    servers: checked.flatMap((server) => ("config" in server ? [server] : [])),
    unused: checked.flatMap((server) => ("why" in server ? [server] : [])),
  };
}

function whyNone({ settings, flags, sources }: Snapshot): string | undefined {
  if (settings.disableSideloadFlags)
    return "Managed settings do not allow MCP servers from clients (disableSideloadFlags)";
  const isExclusive = ({ path, stamp }: Snapshot["sources"][number]) =>
    basename(path) === "managed-mcp.json" && stamp !== "absent";
  const why = whyNoClientServers({ settings, flags, exclusive: sources.find(isExclusive)?.path });
  return why && why.charAt(0).toUpperCase() + why.slice(1);
}
