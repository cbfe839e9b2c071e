// What calls are called, for clients: where the tools of MCP servers come from, and what every tool says about its calls.
// Live messages, the starts of calls and replays all get it here, and those who do not ask for it lose it here.

import { resolve } from "node:path";
import type { DescribedCall, ShownInput, Tool } from "@keelson/engine";
import {
  isObject,
  type CallLocation,
  type ControlRequest,
  type Outbound,
  type ToolUseBlock,
  type ToolUseMeta,
} from "@keelson/protocol";
import type { ToolOrigin } from "../mcp/servers/offered-tools.ts";

export interface CallNaming {
  /** The server of an MCP tool. */
  originOf?(tool: string): ToolOrigin | undefined;
  /** A tool by the name that the model uses. */
  toolOf?(tool: string): Tool | undefined;
  cwd(): string;
}

/** Unless more is wanted, the names of MCP tools only, which is what clients of the reference know. */
export function toolUseMeta(calls: readonly ToolUseBlock[], naming: CallNaming, wantsMore: boolean): ToolUseMeta[] {
  return calls.flatMap((call) => {
    const { id, name } = call;
    const origin = naming.originOf?.(name);
    if (origin) {
      const { title, tool, server } = origin;
      const names = { id, display_name: title ?? tool, server_display_name: server, tool_name: tool };
      return [wantsMore ? { ...names, kind: "other" as const } : names];
    }
    const tool = wantsMore ? naming.toolOf?.(name) : undefined;
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

/** The message as clients of the reference know it: with the names of MCP tools, and without the patch of a question. */
export function withoutToolMeta(message: Outbound): Outbound {
  switch (message.type) {
    case "assistant": {
      const { tool_use_meta: metas, ...rest } = message;
      if (metas === undefined || metas.every(isPlain)) return message;
      const plain = metas.filter(({ server_display_name: server }) => server !== undefined).map(plainMeta);
      return plain.length === 0 ? rest : { ...message, tool_use_meta: plain };
    }
    case "stream_event": {
      if (message.tool_use_meta === undefined) return message;
      const { tool_use_meta: _, ...rest } = message;
      return rest;
    }
    case "control_request":
      return withoutCallMeta(message);
    case "system": {
      if (message.subtype !== "status" || message.compact_boundary_uuid === undefined) return message;
      const { compact_boundary_uuid: _, ...rest } = message;
      return rest;
    }
    default:
      return message;
  }
}

/** The same for a question that is passed on some other way. */
export function withoutCallMeta(message: ControlRequest): ControlRequest {
  if (message.request.subtype !== "can_use_tool") return message;
  const { patch, kind, ...request } = message.request;
  if (patch === undefined && kind === undefined) return message;
  return { ...message, request };
}

const isPlain = (meta: ToolUseMeta) => meta.server_display_name !== undefined && meta.kind === undefined;

const plainMeta = ({ id, display_name, server_display_name, tool_name }: ToolUseMeta): ToolUseMeta => ({
  id,
  display_name,
  server_display_name,
  tool_name,
});
