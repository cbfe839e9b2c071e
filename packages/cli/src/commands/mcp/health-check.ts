// Connects to servers for `keelson mcp list` and `get`, a few programs at a time.

import { connectTo, Slots } from "@keelson/runtime/mcp";
import { snapshotFor, type Invoked } from "../group.ts";
import type { HealthCheck } from "./health.ts";

const LOCAL = 3;
const REMOTE = 20;

export async function healthCheck(call: Invoked): Promise<HealthCheck> {
  const snapshot = await snapshotFor(call);
  const local = new Slots(LOCAL);
  const remote = new Slots(REMOTE);
  return async (server) => {
    // Only a session has the sandbox it must run in.
    if (server.confined) return { status: "configured" };
    const release = await (server.config.type === "stdio" ? local : remote).take();
    try {
      await using checked = await connectTo(server, { snapshot, entrypoint: "cli", warn: () => undefined });
      const { status, error } = checked.connection;
      if (status === "connected") return { status };
      return { status: checked.needsSignIn ? "needs-auth" : "failed", ...(error === undefined ? {} : { error }) };
    } catch (error) {
      return { status: "failed", error: error instanceof Error ? error.message : String(error) };
    } finally {
      release();
    }
  };
}
