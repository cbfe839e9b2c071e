// /mcp: list the servers, or reconnect, enable or disable one.

import type { ReplyTo } from "@keelson/protocol";
import { points, type RunCommand } from "../command.ts";

export const mcpCommand: RunCommand = async (args, { request }) => {
  const [verb = "", ...words] = args.split(/\s+/);
  const name = words.join(" ");
  if (verb === "") return listed(await request("mcp_status"));
  if (!["reconnect", "enable", "disable"].includes(verb) || name === "") {
    throw new Error(`Unknown arguments "${args}"; use /mcp, or /mcp reconnect|enable|disable <server>`);
  }
  if (verb === "reconnect") {
    await request("mcp_reconnect", { serverName: name });
    return `Reconnected to "${name}"`;
  }
  await request("mcp_toggle", { serverName: name, enabled: verb === "enable" });
  return verb === "enable" ? `Enabled "${name}"` : `Disabled "${name}"`;
};

function listed({ mcpServers }: ReplyTo<"mcp_status">): string {
  if (mcpServers.length === 0) return "No MCP servers. Add one with `keelson mcp add`";
  const lines = mcpServers.map(({ name, status, error, tools }) => {
    const count = status === "connected" && tools ? `, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : "";
    return `${name}: ${status}${count}${error === undefined ? "" : `, ${error}`}`;
  });
  return `MCP servers:\n\n${points(lines)}`;
}
