// An MCP tool as the engine's own kind of tool. What it touches only its name says; the server checks its input.

import { cutMiddle, defineTool, MAX_SHOWN, ToolError, type Tool } from "@keelson/engine";
import { isObject, type ContentBlock, type JsonObject } from "@keelson/protocol";
import { asJson, blocksFrom, joinedText, type CallResult } from "./content.ts";
import { toolName } from "./naming.ts";
import { McpError } from "./rpc.ts";
import type { ToolFacts } from "./tool-facts.ts";

/** As stored and sent to clients: the blocks, or beside them what the tool said in its own shape (observed). */
type Output = readonly ContentBlock[] | { readonly content: string; readonly structuredContent: unknown };

export interface McpToolOptions {
  readonly server: string;
  readonly facts: ToolFacts;
  /** The longest text to show, unless the tool names its own. */
  readonly maxShown?: number;
  call(input: JsonObject, how: { readonly toolUseId: string; readonly signal: AbortSignal }): Promise<CallResult>;
}

export function mcpTool({ server, facts, maxShown, call }: McpToolOptions): Tool<JsonObject, Output> {
  const limit = facts.maxShown ?? maxShown ?? MAX_SHOWN;
  // What is stored is cut; what is shown goes whole to the engine, which keeps the rest in a file.
  const whole = new WeakMap<object, readonly ContentBlock[]>();

  return defineTool<JsonObject, Output>({
    name: toolName(server, facts.name),
    description: facts.description,
    input: { json: facts.inputSchema },
    parallelSafe: facts.annotations.readOnly === true,
    maxShown: limit,
    invalid: (input) =>
      isObject(input) ? undefined : `InputValidationError: ${toolName(server, facts.name)} takes an object`,

    access: () => ({ kind: "external" }),

    async run(input, { toolUseId, signal }) {
      const result = await callTool(() => call(input, { toolUseId, signal }), signal);
      const blocks = shownBlocks(result, limit);
      if (result.isError) throw new ToolError(joinedText(blocks) || `${facts.name} failed and gave no reason`);
      const output = toStored(result, blocks);
      whole.set(output, blocks);
      return output;
    },

    show(output) {
      const blocks = whole.get(output) ?? blocksFromHook(output, server, limit);
      return blocks.length > 0 ? blocks : "(The tool answered with no content)";
    },
  });
}

/** A refusal is for the model to read; being stopped is not. */
async function callTool(call: () => Promise<CallResult>, signal: AbortSignal): Promise<CallResult> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof McpError && !signal.aborted) throw new ToolError(error.message);
    throw error;
  }
}

/** Its own shape in place of the text that repeats it; images beside either. One text when there is too much. */
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

/** For an output that did not come from here: a hook's. Throws when it has no shape of ours. */
function blocksFromHook(output: unknown, server: string, limit: number): readonly ContentBlock[] {
  const content = isObject(output) ? output["content"] : output;
  if (typeof content !== "string" && !Array.isArray(content)) throw new TypeError("Not the output of an MCP tool");
  return shownBlocks({ blocks: blocksFrom(content, server) }, limit);
}

const textBlock = (text: string): ContentBlock => ({ type: "text", text });
