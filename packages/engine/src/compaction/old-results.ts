// Frees room without a summary: old tool results are replaced by a note. Done rarely and for many at once, because
// everything behind the first change has to be read by the model again. Pure.

import { blocksOf, isToolResult, jsonOf, type ModelMessage, type ToolResultBlock } from "@keelson/protocol";
import { lengthOf, mediaTokens } from "./account.ts";

/** Of the newest messages with results, these stay. */
const MESSAGES_KEPT = 3;
/** Shorter results are not worth it. */
const LEAST_CHARACTERS = 1_000;

export interface OldResults {
  /** The ids of the calls. */
  readonly ids: readonly string[];
  readonly characters: number;
  /** The pictures and documents among them. */
  readonly media: number;
  readonly mediaTokens: number;
  readonly mediaCharacters: number;
}

/** The results that can go. `mediaOnly`: only those with pictures or documents. */
export function oldResults(messages: readonly ModelMessage[], { mediaOnly = false } = {}): OldResults {
  const ids: string[] = [];
  const found = { characters: 0, media: 0, mediaTokens: 0, mediaCharacters: 0 };
  let newer = 0;
  for (const message of messages.toReversed()) {
    const results = message.role === "user" ? blocksOf(message.content).filter(isToolResult) : [];
    if (results.length === 0 || newer++ < MESSAGES_KEPT) continue;
    for (const result of results) {
      if (isNeeded(result)) continue;
      const hasMedia = blocksOf(result.content).some((block) => mediaTokens(block) !== undefined);
      // Where the number of pictures matters, small ones count as much as large ones.
      if (mediaOnly ? !hasMedia : jsonOf(result).length < LEAST_CHARACTERS) continue;
      ids.push(result.tool_use_id);
      for (const block of blocksOf(result.content)) {
        const tokens = mediaTokens(block);
        if (tokens === undefined) found.characters += lengthOf(block);
        else {
          found.media++;
          found.mediaTokens += tokens;
          found.mediaCharacters += lengthOf(block);
        }
      }
    }
  }
  return { ids, ...found };
}

/** Tools that were loaded on demand exist only as long as the result that loaded them. */
const isNeeded = ({ content }: ToolResultBlock) =>
  typeof content !== "string" && content.some(({ type }) => type === "tool_reference");
