// What calls are called, for clients: where the tools of MCP servers come from, and what every tool says about its calls.
// Live messages, the starts of calls and replays all get it here.

import { resolve } from "node:path";
import type { DescribedCall, ShownInput, Tool } from "@keelson/engine";
import { isObject, type CallLocation, type ToolUseBlock, type ToolUseMeta } from "@keelson/protocol";
import type { ToolOrigin } from "../mcp/servers/offered-tools.ts";

export interface CallNaming {
  /** The server of an MCP tool. */
  originOf?(tool: string): ToolOrigin | undefined;
  /** A tool by the name that the model uses. Absent if the client knows MCP tools only, as those of the reference do. */
  toolOf?(tool: string): Tool | undefined;
  cwd(): string;
}

/** Of calls about which nothing is known, there is nothing to say. */
export function toolUseMeta(calls: readonly ToolUseBlock[], naming: CallNaming): ToolUseMeta[] {
  return calls.flatMap((call) => {
    const { id, name } = call;
    const origin = naming.originOf?.(name);
    if (origin) {
      const { title, tool, server } = origin;
      const names = { id, display_name: title ?? tool, server_display_name: server, tool_name: tool };
      return [naming.toolOf ? { ...names, kind: "other" as const } : names];
    }
    const tool = naming.toolOf?.(name);
    return tool ? [described(call, tool, naming.cwd())] : [];
  });
}

function described({ id, input }: ToolUseBlock, tool: Tool, cwd: string): ToolUseMeta {
  const { name: tool_name, kind = "other" } = tool;
  const locations: CallLocation[] = [];
  const said = tool.describe?.(shownInput(isObject(input) ? input : {}, cwd, locations));
  const about: Partial<DescribedCall> = typeof said === "string" ? { title: said } : (said ?? {});
  return {
    id,
    display_name: about.name || tool_name,
    tool_name,
    kind,
    ...(about.title === undefined ? {} : { title: about.title }),
    ...(about.note ? { note: about.note } : {}),
    ...(locations.length === 0 ? {} : { locations }),
  };
}

/** Notes what is read as a path. */
function shownInput(input: Readonly<Record<string, unknown>>, cwd: string, locations: CallLocation[]): ShownInput {
  const text = (field: string) => textOfValue(input[field]);
  return {
    text,
    path(field, line) {
      const written = text(field);
      if (written === "") return "";
      const path = resolve(cwd, written);
      locations.push({ path, ...(line !== undefined && line >= 1 && Number.isInteger(line) ? { line } : {}) });
      if (path === cwd) return ".";
      return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : written;
    },
  };
}

const textOfValue = (value: unknown) =>
  typeof value === "string" ? value : typeof value === "number" ? `${value}` : "";
