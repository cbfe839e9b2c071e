// Wraps an MCP tool as an engine tool. Permission rules match it by name only; the server validates its input.

import { cutMiddle, defineTool, MAX_SHOWN, ToolError, type Tool } from "@keelson/engine";
import { isObject, type ContentBlock, type JsonObject } from "@keelson/protocol";
import { asJson, blocksFrom, joinedText, type CallResult } from "./content.ts";
import { normalizeName, toolName } from "../naming.ts";
import { McpError } from "../connection/rpc.ts";
import type { ToolFacts } from "./tool-facts.ts";

/** The form stored and sent to clients: the blocks, or text plus the structured content if the tool returned any. */
type Output = readonly ContentBlock[] | { readonly content: string; readonly structuredContent: unknown };

export interface McpToolOptions {
  readonly server: string;
  readonly facts: ToolFacts;
  /** The longest text to show, unless the tool sets its own limit. */
  readonly maxShown?: number;
  call(input: JsonObject, how: { readonly toolUseId: string; readonly signal: AbortSignal }): Promise<CallResult>;
}

export function mcpTool({ server, facts, maxShown, call }: McpToolOptions): Tool<JsonObject, Output> {
  const limit = facts.maxShown ?? maxShown ?? MAX_SHOWN;
  // The stored output is cut. The engine gets the whole text to show, and saves what does not fit to a file.
  const whole = new WeakMap<object, readonly ContentBlock[]>();

  return defineTool<JsonObject, Output>({
    name: toolName(server, facts.name),
    description: facts.description,
    input: { json: facts.inputSchema },
    parallelSafe: facts.annotations.readOnly === true,
    maxShown: limit,
    invalid: (input) =>
      isObject(input) ? undefined : `InputValidationError: ${toolName(server, facts.name)} requires an object`,

    overflow: (text) => ({
      name: overflowName(server, facts.name),
      notice: (path) => overflowNotice(text, path),
    }),

    access: () => ({ kind: "external", server: normalizeName(server) }),

    async run(input, { toolUseId, signal }) {
      const result = await callTool(() => call(input, { toolUseId, signal }), signal);
      const blocks = shownBlocks(result, limit);
      if (result.isError) throw new ToolError(joinedText(blocks) || `${facts.name} failed without an error message`);
      const output = toStored(result, blocks);
      whole.set(output, blocks);
      return output;
    },

    show(output) {
      const blocks = whole.get(output) ?? blocksFromHook(output, server, limit);
      return blocks.length > 0 ? blocks : "(The tool returned no content)";
    },
  });
}

/** Turns a server error into one the model reads, unless the call was cancelled. */
async function callTool(call: () => Promise<CallResult>, signal: AbortSignal): Promise<CallResult> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof McpError && !signal.aborted) throw new ToolError(error.message);
    throw error;
  }
}

/** Structured content replaces the text that repeats it; images stay. Texts that are too long together become one. */
function shownBlocks(
  { blocks, structured }: Pick<CallResult, "blocks" | "structured">,
  limit: number,
): readonly ContentBlock[] {
  const shown =
    structured === undefined
      ? blocks
      : [textBlock(asJson(structured)), ...blocks.filter(({ type }) => type !== "text")];
  const texts = shown.filter(({ type }) => type === "text");
  const text = joinedText(texts);
  if (texts.length < 2 || text.length <= limit) return shown;
  return [textBlock(text), ...shown.filter(({ type }) => type !== "text")];
}

function toStored({ structured }: CallResult, blocks: readonly ContentBlock[]): Output {
  const cut = blocks.map((block) =>
    block.type === "text" ? textBlock(cutMiddle(joinedText([block]), MAX_SHOWN)) : block,
  );
  if (structured === undefined) return cut;
  const content = joinedText(cut);
  return { content, structuredContent: content.length < MAX_SHOWN ? structured : null };
}

/** For output that a hook replaced. Throws if it is neither text nor a list of blocks. */
function blocksFromHook(output: unknown, server: string, limit: number): readonly ContentBlock[] {
  const content = isObject(output) ? output["content"] : output;
  if (typeof content !== "string" && !Array.isArray(content)) throw new TypeError("Not the output of an MCP tool");
  return shownBlocks({ blocks: blocksFrom(content, server) }, limit);
}

const overflowName = (server: string, tool: string) =>
  `mcp-${normalizeName(server).slice(0, 40)}-${normalizeName(tool).slice(0, 40)}-${Date.now()}`;

function overflowNotice(text: string, path: string): string {
  const lines = text.split("\n").length;
  const size = `${text.length.toLocaleString("en-US")} characters across ${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}`;
  return [
    `Error: result (${size}) exceeds maximum allowed tokens. Output has been saved to ${path}.`,
    "Search the file, or read it part by part, before you answer from it. Say so if you have read only some of it.",
  ].join("\n");
}

const textBlock = (text: string): ContentBlock => ({ type: "text", text });
