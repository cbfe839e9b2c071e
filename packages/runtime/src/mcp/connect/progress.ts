// Shows clients that a long MCP call is still running: whenever the server reports progress, but at most once a second,
// and every 30 seconds in any case.

import type { McpCallOptions } from "@keelson/mcp";
import type { ConnectorOptions } from "./connector.ts";

const INTERVAL_MS = 30_000;
const SHORTEST_MS = 1_000;

export async function withProgress<T>(
  tool: string,
  { toolUseId, ...how }: McpCallOptions,
  { show, elapsedMs }: Pick<ConnectorOptions, "show" | "elapsedMs">,
  call: (how: McpCallOptions) => Promise<T>,
): Promise<T> {
  if (toolUseId === undefined) return call(how);
  const started = performance.now();
  const elapsed = () => elapsedMs?.(toolUseId) ?? performance.now() - started;
  let shown = started;
  const report = () => {
    shown = performance.now();
    void show({
      type: "tool_progress",
      tool_use_id: toolUseId,
      tool_name: tool,
      parent_tool_use_id: null,
      elapsed_time_seconds: Math.round(elapsed() / 1000),
    });
  };
  const timer = setInterval(report, INTERVAL_MS);
  try {
    return await call({
      ...how,
      toolUseId,
      onProgress: () => {
        if (performance.now() - shown >= SHORTEST_MS) report();
      },
    });
  } finally {
    clearInterval(timer);
  }
}
