// Translates a conversation to the items of a Responses request. Pure.

import {
  blocksOf,
  isBlank,
  isObject,
  isText,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type JsonObject,
  type ModelMessage,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@keelson/protocol";
import { fitIds, RESPONSES_IDS } from "../../fit/ids.ts";
import type { FittedNames } from "../../fit/names.ts";
import { blocksToSend } from "../../fit/reminders.ts";
import { openThinking } from "../../thinking-envelope.ts";
import { partsOf, type ChatPart, type ContentOptions, type Loss } from "../chat/content.ts";
import { memoized, type Memo } from "../shared/memo.ts";
import { CONTINUE } from "../shared/request-parts.ts";
import { isSameFamily } from "../shared/flavour.ts";

export const RESPONSES_API = "openai-responses";

export interface InputItemOptions extends Omit<ContentOptions, "cacheMarks"> {
  readonly model: string;
  readonly names: FittedNames;
  readonly memory: ReasoningMemory;
}

/** What a provider knows about the conversations that it has sent. */
export interface ReasoningMemory {
  /** Ids of reasoning items that the server did not accept. They are only ever added. */
  readonly rejected: Set<string>;
  readonly translated: Memo<Translated>;
}

export function emptyMemory(): ReasoningMemory {
  return { rejected: new Set(), translated: new WeakMap() };
}

export function toInputItems(messages: readonly ModelMessage[], options: InputItemOptions): JsonObject[] {
  const out: JsonObject[] = [];
  const { model, images, documents, memory } = options;
  const key = [model, images, documents, memory.rejected.size].join("\n");
  let calling: ModelMessage | undefined;
  for (const message of messages) {
    const { items, losses } = memoized(memory.translated, message, calling, key, () =>
      translate(message, calling, options),
    );
    if (items.length === 0) continue;
    for (const loss of losses) options.lose(loss);
    out.push(...items);
    calling = message.role === "assistant" ? message : undefined;
  }
  out.push(...outputsOf(callsOf(calling), [], options));
  if (out.at(-1)?.["role"] === "assistant")
    out.push({ role: "user", content: [{ type: "input_text", text: CONTINUE }] });
  return out;
}

/** What a message becomes, after the one whose calls it answers. */
interface Translated {
  readonly items: readonly JsonObject[];
  readonly losses: readonly Loss[];
}

function translate(original: ModelMessage, calling: ModelMessage | undefined, given: InputItemOptions): Translated {
  const losses: Loss[] = [];
  const options = { ...given, lose: (loss: Loss) => void losses.push(loss) };
  const [message] = fitIds([original], RESPONSES_IDS);
  const blocks = blocksToSend(message!);
  const open = callsOf(calling);
  if (original.role === "assistant") {
    const items = assistantItems(blocks, options);
    return { items: items.length > 0 ? [...outputsOf(open, [], options), ...items] : [], losses };
  }
  const outputs = outputsOf(open, blocks.filter(isToolResult), options);
  const rest = blocks.filter((block) => !isToolResult(block));
  const parts = inputParts(rest, options);
  return { items: parts.length > 0 ? [...outputs, { role: "user", content: parts }] : outputs, losses };
}

function callsOf(message: ModelMessage | undefined): readonly ToolUseBlock[] {
  return message ? blocksOf(fitIds([message], RESPONSES_IDS)[0]!.content).filter(isToolUse) : [];
}

/** A reasoning item must be directly before what it led to, so one that led to nothing is left out. */
function assistantItems(blocks: readonly ContentBlock[], options: InputItemOptions): JsonObject[] {
  const items: JsonObject[] = [];
  let reasoning: JsonObject | undefined;
  const add = (item: JsonObject) => {
    if (reasoning) items.push(reasoning);
    reasoning = undefined;
    items.push(item);
  };
  for (const block of blocks) {
    if (block.type === "thinking") reasoning = reasoningItem(block as ThinkingBlock, options) ?? reasoning;
    else if (isText(block) && !isBlank(block))
      add({ role: "assistant", content: [{ type: "output_text", text: block.text.toWellFormed() }] });
    else if (isToolUse(block)) add(callItem(block, options));
  }
  return items;
}

/** Without its id: a call with one demands the reasoning that led to it, which may be gone. */
function callItem({ id, name, input }: ToolUseBlock, { names }: InputItemOptions): JsonObject {
  return { type: "function_call", call_id: id, name: names.out(name), arguments: JSON.stringify(input ?? {}) };
}

function reasoningItem({ signature = "" }: ThinkingBlock, { model, memory }: InputItemOptions): JsonObject | undefined {
  const state = openThinking(signature);
  if (state?.api !== RESPONSES_API || !isSameFamily(state.model, model)) return undefined;
  const item = state["item"];
  // Another server may have written the signature: nothing but reasoning goes back this way, least of all instructions.
  if (!isObject(item) || item["type"] !== "reasoning" || "role" in item) return undefined;
  if (typeof item["id"] !== "string" || memory.rejected.has(item["id"])) return undefined;
  return item as JsonObject;
}

const NO_RESULT = "The call has no result.";

/** One item per call, in the order of the calls. Pictures and files fit inside. */
function outputsOf(
  calls: readonly ToolUseBlock[],
  results: readonly ToolResultBlock[],
  options: InputItemOptions,
): JsonObject[] {
  return calls.map(({ id }) => {
    const result = results.find(({ tool_use_id }) => tool_use_id === id);
    const parts = inputParts(blocksOf(result?.content ?? NO_RESULT), options);
    const marked = result?.is_error ? withErrorPrefix(parts) : parts;
    return { type: "function_call_output", call_id: id, output: outputOf(marked) };
  });
}

function withErrorPrefix(parts: readonly InputPart[]): readonly InputPart[] {
  const [first, ...rest] = parts;
  if (first?.type !== "input_text") return [{ type: "input_text", text: "Error: see below" }, ...parts];
  return [{ type: "input_text", text: `Error: ${first.text}` }, ...rest];
}

function outputOf(parts: readonly InputPart[]): string | readonly InputPart[] {
  if (parts.length === 0) return "(no output)";
  if (!parts.every(({ type }) => type === "input_text")) return parts;
  return parts.map((part) => (part.type === "input_text" ? part.text : "")).join("\n\n");
}

type InputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string };

function inputParts(blocks: readonly ContentBlock[], options: InputItemOptions): InputPart[] {
  return partsOf(blocks, { ...options, cacheMarks: false }).map(inputPart);
}

function inputPart(part: ChatPart): InputPart {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "image_url") return { type: "input_image", image_url: part.image_url.url, detail: "auto" };
  return { type: "input_file", ...part.file };
}
