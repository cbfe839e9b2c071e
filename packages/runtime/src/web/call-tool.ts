// A call to an MCP tool that WebSearch makes for its own call. It takes the one way every call takes: hooks, the gate and
// whoever answers its questions.

import { checkCall, settleCall, ToolError, type Ports, type Tool, type ToolContext } from "@keelson/engine";
import { blocksOf, isText, isToolResult, type JsonObject, type NewEntry } from "@keelson/protocol";
import { agentPorts } from "../session/agent-ports.ts";
import { deferredOf, toolsOf } from "../session/state.ts";
import type { WebParts } from "./web-parts.ts";

/** Returns what the tool shows. Throws ToolError if it is not there, not allowed, or fails. */
export async function callTool(name: string, query: string, parts: WebParts, context: ToolContext): Promise<string> {
  const { storage, mcp } = parts;
  const { state } = storage;
  // It would be judged by the session's rules, which may be wider than the agent's own.
  if (context.owner !== undefined)
    throw new ToolError(`A subagent cannot search through "${name}". Call that tool yourself if you have it`);
  await mcp.awaitTool(name, context.signal);
  const tool = [...toolsOf(state), ...deferredOf(state)].find((each) => each.name === name);
  if (!tool || !name.startsWith("mcp__"))
    throw new ToolError(`There is no MCP tool "${name}". Check "webSearch.tool" and the server`);
  const ports = portsFor(tool, parts, context);
  const block = { type: "tool_use", id: `${context.toolUseId}-search`, name, input: inputFor(tool, query) } as const;
  const alone = { halted: () => undefined, ended: context.signal, pass: async () => undefined };
  const settled = await settleCall(checkCall({ block, entryId: "" }, ports), ports, alone);
  // What hooks say of it is about the call that the conversation has.
  for (const entry of settled.follow ?? [])
    if (entry.type === "attachment")
      context.follow?.({ ...entry, attachment: { ...entry.attachment, toolUseID: context.toolUseId } });
  const text = resultText(settled.entry);
  if (settled.failed) throw new ToolError(text);
  return text;
}

/** The parameter for the query has one of a few names; else it is the first that is required. */
function inputFor({ input: { json } }: Tool, query: string): JsonObject {
  const known = Object.keys((json["properties"] as JsonObject | undefined) ?? {});
  const required = (json["required"] as readonly string[] | undefined) ?? [];
  const name = ["query", "q", "search", "search_query"].find((each) => known.includes(each)) ?? required[0] ?? "query";
  return { [name]: query };
}

function portsFor(tool: Tool, parts: WebParts, { signal }: ToolContext): Ports {
  const { storage, hooks } = parts;
  return {
    ...agentPorts(parts, signal),
    model: storage.state.model,
    tools: () => [tool],
    system: [],
    signal,
    partial: () => false,
    // The conversation holds one call, that of WebSearch.
    record: () => undefined,
    show: (message) => storage.outbox.show(message),
    fire: (event, input) => hooks.fire(event, input, signal),
    admitted: () => undefined,
    instructionsFor: () => [],
    interrupt: () => storage.runState.interrupt(),
    steering: () => [],
  };
}

function resultText(entry: NewEntry): string {
  const [result] = entry.type === "user" ? blocksOf(entry.message.content) : [];
  const blocks = result && isToolResult(result) ? blocksOf(result.content) : [];
  return blocks
    .filter(isText)
    .map(({ text }) => text)
    .join("\n");
}
