// /status and /doctor: what this session is, and whether the installation is in order.

import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol";
import { elapsed } from "../../blocks/amounts.ts";
import type { Panel } from "../../screen/view.ts";
import type { PanelContext, PanelEnd } from "../context.ts";
import { closing, textPanel } from "../parts.ts";
import { wrappedLines } from "../wrapped-lines.ts";

export async function statusPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { requests, sessionId } = context;
  const [settings, servers, usage, info] = await Promise.all([
    requests.request("get_settings"),
    requests.request("mcp_status"),
    requests.request("get_usage"),
    requests.request("get_session_info"),
  ]);
  const { applied, sources } = settings;
  const { total_cost_usd: cost, total_duration_ms: duration } = usage.session;
  const connected = servers.mcpServers.filter(({ status }) => status === "connected").length;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["Version", `${VERSION} (compatible with ${COMPATIBLE_VERSION})`],
    ["Session", info.title === null ? sessionId : `${sessionId} (${info.title})`],
    ["Folder", info.git_branch ? `${info.cwd}, branch ${info.git_branch}` : info.cwd],
    ...info.added_dirs.map((path) => ["Also", path] as const),
    ["Model", applied.effort === null ? applied.model : `${applied.model}, effort ${applied.effort}`],
    ["Mode", info.permission_mode],
    ["Output style", info.output_style],
    ["Duration", elapsed(duration)],
    ["Cost", cost === null ? "unknown: a model has no price" : `$${cost.toFixed(4)}`],
    [
      "MCP servers",
      servers.mcpServers.length === 0 ? "none" : `${connected} of ${servers.mcpServers.length} connected`,
    ],
    ...(sources.length === 0
      ? [["Settings", "no files"] as const]
      : sources.map(({ path, source }) => ["Settings", `${path} (${source})`] as const)),
  ];
  const most = Math.max(...facts.map(([name]) => name.length));
  const text = facts.map(([name, value]) => `${`${name}:`.padEnd(most + 2)} ${value}`).join("\n");
  return closing(textPanel({ title: "Status", keys: context.keys, lines: wrappedLines(text) }));
}

export async function doctorPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const text = await context.host.doctor();
  return closing(textPanel({ title: "Doctor", keys: context.keys, lines: wrappedLines(text) }));
}
