// Assembles a streamed content block from its deltas. Unknown block types keep their initial content.

import { tryParse, isObject, isToolUse, type BlockDelta, type ContentBlock, type JsonObject } from "@keelson/protocol";
import type * as Arguments from "../tool/repair/arguments.ts";

export interface BlockInProgress {
  readonly start: ContentBlock;
  readonly parts: BlockDelta[];
}

/** Deeper than any tool's input. Sent back, such an input could make a server refuse every later request. */
const DEEPEST_INPUT = 500;

const LONGEST_NAME = 128;

/** The starting block. The API would reject a call whose name no tool could have when we send it back. */
export function withValidName(start: ContentBlock): ContentBlock {
  if (!isToolUse(start) || (start.name.length <= LONGEST_NAME && /^[\w-]+$/.test(start.name))) return start;
  const name = start.name.replace(/[^\w-]/g, "_").slice(0, LONGEST_NAME);
  return { ...start, name: name || "unnamed" };
}

/** `broken` says why the input of a call is unusable; the block then gets an empty input. */
export function assembleBlock({ start, parts }: BlockInProgress): { block: ContentBlock; broken?: string } {
  const block: Record<string, unknown> = { ...start };
  append(block, "text", parts, "text_delta", "text");
  append(block, "thinking", parts, "thinking_delta", "thinking");
  append(block, "signature", parts, "signature_delta", "signature");
  const citations = parts.flatMap((part) => (part.type === "citations_delta" ? [part.citation] : []));
  if (citations.length > 0) block["citations"] = citations;

  const json = parts.flatMap((part) => (part.type === "input_json_delta" ? [part.partial_json] : [])).join("");
  if (json === "" && start.type !== "tool_use") return { block: block as ContentBlock };
  const parsed = json === "" ? block["input"] : tryParse(json);
  const input = isObject(parsed) || start.type !== "tool_use" ? parsed : (meant(json, parsed) ?? parsed);
  const broken = input === undefined ? `is not valid JSON: ${quoted(json)}` : problemOf(input);
  if (broken === undefined) return { block: { ...block, input: input as JsonObject } as ContentBlock };
  return { block: { ...block, input: {} } as ContentBlock, broken };
}

/** Loaded only for a call whose input is no object. Some servers send it whole, as a string. */
function meant(json: string, whole: unknown): unknown {
  const { argumentsMeant } = require("../tool/repair/arguments.ts") as typeof Arguments;
  return argumentsMeant(json === "" ? (typeof whole === "string" ? whole : JSON.stringify(whole ?? null)) : json);
}

const LONGEST_QUOTE = 500;

/** The beginning of it: the model has to recognize what it sent. */
function quoted(json: string): string {
  return json.length <= LONGEST_QUOTE ? `\`${json}\`` : `\`${json.slice(0, LONGEST_QUOTE).toWellFormed()}…\``;
}

function problemOf(input: unknown): string | undefined {
  if (!isObject(input)) return "is not a JSON object";
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_INPUT) return "is nested too deeply";
    level = level
      .flatMap((value) => Object.values(value as object))
      .filter((value) => typeof value === "object" && value);
  }
  return undefined;
}

function append(
  block: Record<string, unknown>,
  field: string,
  parts: readonly BlockDelta[],
  type: BlockDelta["type"],
  key: string,
): void {
  const texts: string[] = [];
  for (const part of parts) if (part.type === type) texts.push(Reflect.get(part, key) as string);
  if (texts.length > 0) block[field] = `${(block[field] as string | undefined) ?? ""}${texts.join("")}`;
}
