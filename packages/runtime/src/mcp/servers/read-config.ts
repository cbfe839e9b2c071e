// Checks the server entries that a client sends. Loaded with the first of them.

import type { ConfiguredMcp, Snapshot } from "@keelson/config";
import { checkServer } from "@keelson/config/mcp";
import type { JsonObject } from "@keelson/protocol";

/** As for `--mcp-config`, with the administrator's lists applied. */
export function readConfig(entries: JsonObject, { env, settings }: Snapshot): ConfiguredMcp {
  const checked = Object.entries(entries).map(([name, entry]) =>
    checkServer(name, entry, { scope: "dynamic", env, settings }),
  );
  return {
    servers: checked.flatMap((server) => ("config" in server ? [server] : [])),
    unused: checked.flatMap((server) => ("why" in server ? [server] : [])),
  };
}
