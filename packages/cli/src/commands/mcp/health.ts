// The state of a server as `keelson mcp list` and `get` show it.

import type { ConfiguredMcpServer } from "@keelson/protocol";
import { oneLine, shellWord, visible } from "../permissions/words.ts";
import { isUnused, kindOf, plainError, type AnyServer } from "./words.ts";

export interface Health {
  readonly status: "connected" | "failed" | "needs-auth" | "pending" | "disabled" | "configured";
  readonly error?: string;
}

/** Connects to a server and says how that went. Never throws. */
export type HealthCheck = (server: ConfiguredMcpServer) => Promise<Health>;

/** Servers that are not used, or that no one approved, are never started. */
export async function healthOf(server: AnyServer, check: HealthCheck | undefined): Promise<Health> {
  if (isUnused(server)) return { status: server.status, error: server.why };
  if (server.unapproved) return { status: "pending" };
  return (await check?.(server)) ?? { status: "configured" };
}

export function healthText({ status, error }: Health, server: AnyServer): string {
  const { name } = server;
  const why = error === undefined ? "" : `: ${oneLine(plainError(error), 300)}`;
  switch (status) {
    case "connected":
      return "✓ Connected";
    case "failed":
      return `✗ Failed${why}`;
    case "needs-auth":
      // A WebSocket has no sign-in; its error says what it has instead.
      if (kindOf(server) === "ws") return `! Needs authentication${why}`;
      return `! Needs authentication; run: keelson mcp login ${shellWord(visible(name))}`;
    case "pending":
      return why === ""
        ? `⏸ Pending approval; run: keelson mcp approve ${shellWord(visible(name))}`
        : `⏸ Pending${why}`;
    case "disabled":
      return `○ Disabled${why}`;
    case "configured":
      return "Configured";
  }
}
