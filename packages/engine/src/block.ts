// Puts a streamed content block together from its deltas. Unknown block types keep what they started with.

import { tryParse, isObject, type BlockDelta, type ContentBlock, type JsonObject } from "@keelson/protocol";

export interface BlockInProgress {
  readonly start: ContentBlock;
  readonly parts: BlockDelta[];
}

/** `broken` holds the text of a tool input that is not JSON; the block then has an empty input. */
export function assembleBlock({ start, parts }: BlockInProgress): { block: ContentBlock; broken?: string } {
  const block: Record<string, unknown> = { ...start };
  append(block, "text", parts, "text_delta", "text");
  append(block, "thinking", parts, "thinking_delta", "thinking");
  append(block, "signature", parts, "signature_delta", "signature");
  const citations = parts.flatMap((part) => (part.type === "citations_delta" ? [part.citation] : []));
  if (citations.length > 0) block["citations"] = citations;

  const json = parts.flatMap((part) => (part.type === "input_json_delta" ? [part.partial_json] : [])).join("");
  if (json === "") return { block: block as ContentBlock };
  const input = tryParse(json);
  if (isObject(input)) return { block: { ...block, input: input as JsonObject } as ContentBlock };
  return { block: { ...block, input: {} } as ContentBlock, broken: json };
}

function append(
  block: Record<string, unknown>,
  field: string,
  parts: readonly BlockDelta[],
  type: BlockDelta["type"],
  key: string,
): void {
  const texts: string[] = [];
  for (const part of parts) if (part.type === type) texts.push((part as unknown as Record<string, string>)[key]!);
  if (texts.length > 0) block[field] = `${(block[field] as string | undefined) ?? ""}${texts.join("")}`;
}
