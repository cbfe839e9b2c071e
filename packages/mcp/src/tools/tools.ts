// Wraps an MCP tool as an engine tool. Permission rules match it by name only; the server validates its input.

import { cutMiddle, defineTool, MAX_SHOWN, ToolError, type Tool } from "@keelson/engine";
import { isBlank, isObject, isText, type ContentBlock, type JsonObject } from "@keelson/protocol";
import { asJson, blocksFrom, handledBlocks, joinedText, type CallResult } from "./content.ts";
import { hasBinary, type PartHandling } from "./files.ts";
import { normalizeName, toolName } from "../naming.ts";
import { McpError } from "../connection/rpc.ts";
import { resultLinks, type ResultLink } from "./result-links.ts";
import type { ToolFacts } from "./tool-facts.ts";

const MAX_META_LENGTH = 16_384;

/** The form stored and sent to clients: the blocks, and what else the tool returned, if anything. */
type Output =
  | readonly ContentBlock[]
  | {
      readonly content: string | readonly ContentBlock[];
      readonly _meta?: JsonObject;
      readonly structuredContent?: unknown;
      readonly resourceLinks?: readonly ResultLink[];
    };

export interface McpToolOptions {
  readonly server: string;
  readonly facts: ToolFacts;
  /** The longest text to show, unless the tool sets its own limit. */
  readonly maxShown?: number;
  /** What to do with binary content. */
  readonly parts?: PartHandling | undefined;
  call(input: JsonObject, how: { readonly toolUseId: string; readonly signal: AbortSignal }): Promise<CallResult>;
}

export function mcpTool({ server, facts, maxShown, parts = {}, call }: McpToolOptions): Tool<JsonObject, Output> {
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
      if (result.isError) throw new ToolError(errorText(result) || `${facts.name} failed without an error message`);
      const blocks = joinedTexts(await shownBlocks(result, server, parts), limit);
      const output = toStored(result, blocks);
      whole.set(output, blocks);
      return output;
    },

    show(output) {
      const blocks = whole.get(output) ?? blocksFromHook(output, server, limit);
      return blocks.every(isBlank) ? `(${toolName(server, facts.name)} completed with no output)` : blocks;
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

function errorText({ blocks, structured }: CallResult): string {
  return joinedText(blocks) || (structured === undefined ? "" : asJson(structured));
}

/** Structured content replaces the text that repeats it; everything else stays. */
async function shownBlocks(
  { raw, blocks, structured }: CallResult,
  server: string,
  parts: PartHandling,
): Promise<readonly ContentBlock[]> {
  const content = structured === undefined ? raw : raw.filter((item) => !isTextItem(item));
  const shown = content === raw && !hasBinary(raw) ? blocks : await handledBlocks(content, server, parts);
  return structured === undefined ? shown : [...shown, textBlock(asJson(structured))];
}

const isTextItem = (item: unknown) => typeof item === "string" || (isObject(item) && item["type"] === "text");

/** Texts that are too long together become one. */
function joinedTexts(blocks: readonly ContentBlock[], limit: number): readonly ContentBlock[] {
  const texts = blocks.filter(isText);
  const text = joinedText(texts);
  if (texts.length < 2 || text.length <= limit) return blocks;
  return [textBlock(text), ...blocks.filter((block) => !isText(block))];
}

function toStored({ raw, structured, meta }: CallResult, blocks: readonly ContentBlock[]): Output {
  const cut = blocks.map((block) =>
    block.type === "text" ? textBlock(cutMiddle(joinedText([block]), MAX_SHOWN)) : block,
  );
  const links = resultLinks(raw);
  if (structured === undefined && meta === undefined && links.length === 0) return cut;
  const isWhole = joinedText(cut).length < MAX_SHOWN;
  return {
    content: structured !== undefined && cut.length === 1 ? joinedText(cut) : cut,
    ...(meta !== undefined && asJson(meta).length <= MAX_META_LENGTH ? { _meta: meta } : {}),
    ...(structured === undefined ? {} : { structuredContent: isWhole ? structured : null }),
    ...(links.length > 0 ? { resourceLinks: links } : {}),
  };
}

/** For output that a hook replaced. Throws if it is neither text nor a list of blocks. */
function blocksFromHook(output: unknown, server: string, limit: number): readonly ContentBlock[] {
  const content = isObject(output) ? output["content"] : output;
  if (typeof content !== "string" && !Array.isArray(content)) throw new TypeError("Not the output of an MCP tool");
  return joinedTexts(blocksFrom(content, server), limit);
}

const overflowName = (server: string, tool: string) =>
  `mcp-${normalizeName(server).slice(0, 40)}-${normalizeName(tool).slice(0, 40)}-${Date.now()}`;

function overflowNotice(text: string, path: string): string {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const size = `${text.length.toLocaleString("en-US")} characters across ${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}`;
  return [
    `Error: result (${size}) exceeds maximum allowed tokens. Output has been saved to ${path}.`,
    "Search the file, or read it part by part, before you answer from it. Say so if you have read only some of it.",
  ].join("\n");
}

const textBlock = (text: string): ContentBlock => ({ type: "text", text });
