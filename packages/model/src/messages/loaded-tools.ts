// Tools that a conversation loaded by reference. A server accepts a reference only with the beta, from a model that knows
// them, and if the request describes the tool as one that is loaded on demand. Anything else gets the same in words, so
// that the conversation goes on with any model, and after a tool has gone.

import {
  isFolded,
  isList,
  isObject,
  isToolResult,
  type ContentBlock,
  type ModelMessage,
  type ToolResultBlock,
} from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import { bareId } from "../profiles/profiles.ts";

/** For `tool_reference` and `defer_loading`. */
export const REFERENCES_BETA = "advanced-tool-use-2025-11-20";

/** The API refuses references in requests to the smallest models. */
export const knowsReferences = (model: string): boolean => !bareId(model).includes("haiku");

/** `servesThem`: whether the server knows references at all. The same object if the request has none. */
export function withKnownReferences(request: ModelRequest, servesThem: boolean): ModelRequest {
  const hasBeta = request.betas.includes(REFERENCES_BETA);
  const isKnown = servesThem && hasBeta && knowsReferences(request.model);
  const isPlain = isKnown || !request.tools.some(({ defer_loading }) => defer_loading);
  const tools = isPlain ? request.tools : plainTools(request.tools);
  const loaded = new Set(isKnown ? tools.flatMap((tool) => (tool.defer_loading ? [tool.name] : [])) : []);
  const messages = request.messages.map((message) => inWords(message, loaded));
  const isSame = messages.every((message, at) => message === request.messages[at]);
  if (isSame && isPlain && hasBeta === isKnown) return request;
  return {
    ...request,
    tools,
    messages: isSame ? request.messages : messages,
    betas: isKnown ? request.betas : request.betas.filter((beta) => beta !== REFERENCES_BETA),
  };
}

type Definitions = ModelRequest["tools"];

const plain = new WeakMap<Definitions, Definitions>();

/** The same list for the same list, so that its bytes stay known. */
function plainTools(tools: Definitions): Definitions {
  const made = plain.get(tools) ?? tools.map(({ defer_loading: _, ...tool }) => tool);
  plain.set(tools, made);
  return made;
}

/** What was made of a message, and of which references it was made. Only few messages have any. */
const known = new WeakMap<
  ModelMessage,
  { readonly names: readonly string[]; readonly made: Map<string, ModelMessage> }
>();

function inWords(message: ModelMessage, loaded: ReadonlySet<string>): ModelMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const { names, made } = known.get(message) ?? remembered(message, message.content);
  const unknown = names.filter((name) => !loaded.has(name));
  if (unknown.length === 0) return message;
  const key = unknown.join("\n");
  const content = message.content.map((block) => (isToolResult(block) ? resultInWords(block, loaded) : block));
  const said = made.get(key) ?? { ...message, content };
  made.set(key, said);
  return said;
}

function remembered(message: ModelMessage, content: readonly ContentBlock[]) {
  const names = content.flatMap((block) => referencesIn(block).map(({ tool_name }) => tool_name));
  const entry = { names, made: new Map<string, ModelMessage>() };
  known.set(message, entry);
  return entry;
}

function resultInWords(result: ToolResultBlock, loaded: ReadonlySet<string>): ToolResultBlock {
  if (referencesIn(result).every(({ tool_name }) => loaded.has(tool_name))) return result;
  const content = (result.content as readonly ContentBlock[]).map((block) =>
    isReference(block) && !loaded.has(block.tool_name)
      ? { type: "text" as const, text: `The tool "${block.tool_name}" can be called by its name.` }
      : block,
  );
  return { ...result, content };
}

type Reference = ContentBlock & { readonly type: "tool_reference"; readonly tool_name: string };

function referencesIn(block: ContentBlock): readonly Reference[] {
  if (!isToolResult(block) || isFolded(block, "content")) return [];
  // A damaged transcript may have anything there.
  const content: unknown = block.content;
  return isList(content) ? content.filter(isReference) : [];
}

const isReference = (block: unknown): block is Reference =>
  isObject(block) && block["type"] === "tool_reference" && typeof block["tool_name"] === "string";
