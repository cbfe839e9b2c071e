// How a built-in tool looks to an MCP client: its output as JSON in one text block, as the reference answers, and what
// only a block can carry (images, documents) as a block.

import type { SettledCall, Tool } from "@keelson/engine";
import type { ServedResult } from "@keelson/mcp/server";
import {
  blocksOf,
  isToolResult,
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  type JsonObject,
} from "@keelson/protocol";

/** The tool with its output shown as JSON. The engine still limits it and adds what hooks say, as a block of its own. */
export function servedTool(tool: Tool): Tool {
  return {
    ...tool,
    show(output: unknown) {
      const shown = tool.show(output);
      const isText = typeof shown === "string" || shown.every(({ type }) => type === "text");
      return isText ? [{ type: "text", text: JSON.stringify(output) ?? "null" }] : shown;
    },
  };
}

/** The answer of a settled call, in words for people: the reader may be no model, and none of ours. */
export function servedResult({ entry, deferred, failed, permission, context = [] }: SettledCall): ServedResult {
  if (deferred) return errorResult("A hook deferred the call, and calls over MCP cannot be resumed later");
  const said = context.map((text) => ({ type: "text", text }));
  if (permission?.behavior === "deny" && permission.forPeople !== undefined)
    return { content: [{ type: "text", text: permission.forPeople }, ...said], isError: failed };
  const message = entry.type === "user" ? entry.message : undefined;
  const [result, ...beside] = blocksOf(message?.content ?? []);
  const blocks = result && isToolResult(result) ? blocksOf(result.content) : [];
  return { content: [...[...blocks, ...beside].map(mcpBlock), ...said], isError: failed };
}

export const errorResult = (text: string): ServedResult => ({ content: [{ type: "text", text }], isError: true });

const ERROR_TAGS = /^<tool_use_error>([\s\S]*)<\/tool_use_error>/;

function mcpBlock(block: ContentBlock): JsonObject {
  if (block.type === "image") {
    const { source } = block as ImageBlock;
    return { type: "image", mimeType: source.media_type, data: source.data };
  }
  if (block.type === "document") {
    const { source } = block as DocumentBlock;
    const resource = { uri: "keelson:document", mimeType: source.media_type, blob: source.data };
    return { type: "resource", resource };
  }
  // The tags are for a model that reads tool results; a client has `isError`.
  const text = String((block as { text?: unknown }).text ?? "").replace(ERROR_TAGS, "$1");
  return { type: "text", text };
}
