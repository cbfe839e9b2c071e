// What the user's turn contains: the results of the calls before it, pictures that results cannot carry, and the rest.

import { blocksOf, isText, isToolResult, readField, type ContentBlock, type ToolResultBlock } from "@keelson/protocol";
import type { Part } from "../wire.ts";
import { fitsInResult, isMedia, mediaPart } from "./media.ts";
import type { Translation } from "./translation.ts";

const NO_RESULT = "The call was interrupted before it returned a result. It may or may not have taken effect.";

/** A call as it was sent, for its result. */
export interface SentCall {
  /** Ours. */
  readonly id: string;
  readonly name: string;
  /** The server's. */
  readonly sentId?: string;
}

/** The results of the calls before, then pictures that results cannot carry, then the rest. */
export function userParts(
  blocks: readonly ContentBlock[],
  calls: readonly SentCall[],
  translation: Translation,
  losses: Set<string>,
): readonly Part[] {
  const results = new Map<string, ToolResultBlock[]>();
  for (const block of blocks)
    if (isToolResult(block)) results.set(block.tool_use_id, [...(results.get(block.tool_use_id) ?? []), block]);
  const answered = calls.map((call) => answer(call, results.get(call.id)?.shift(), translation, losses));
  const rest = blocks.flatMap((block): readonly Part[] => {
    if (isText(block)) return [{ text: block.text }];
    if (!isToolResult(block)) return [mediaPart(block, translation.traits, losses)];
    // A result without a call: its text is worth keeping.
    return results.get(block.tool_use_id)?.includes(block) ? strayResult(block, translation, losses) : [];
  });
  return [...answered.map(({ part }) => part), ...answered.flatMap(({ after }) => after), ...rest];
}

function answer(
  { name, sentId }: SentCall,
  result: ToolResultBlock | undefined,
  translation: Translation,
  losses: Set<string>,
): { readonly part: Part; readonly after: readonly Part[] } {
  const { texts, media } = resultContent(result?.content ?? NO_RESULT, translation, losses);
  const inside = media.filter((part) => translation.mediaInResults && fitsInResult(part));
  const outside = media.filter((part) => !inside.includes(part));
  if (outside.length > 0) texts.push("[the files of this result follow]");
  const text = texts.join("\n") || (inside.length > 0 ? "(see the attached file)" : "(no output)");
  const isError = result === undefined || result.is_error === true;
  const part: Part = {
    functionResponse: {
      ...(sentId === undefined ? {} : { id: sentId }),
      name,
      response: isError ? { error: text } : { output: text },
      ...(inside.length > 0 ? { parts: inside.map(({ inlineData }) => ({ inlineData: inlineData! })) } : {}),
    },
  };
  return { part, after: outside.length > 0 ? [{ text: `Files of the result of ${name}:` }, ...outside] : [] };
}

function strayResult({ content }: ToolResultBlock, translation: Translation, losses: Set<string>): readonly Part[] {
  const { texts, media } = resultContent(content, translation, losses);
  return [{ text: `The result of an earlier call:\n${texts.join("\n") || "(no output)"}` }, ...media];
}

function resultContent(content: ToolResultBlock["content"], { traits }: Translation, losses: Set<string>) {
  const texts: string[] = [];
  const media: Part[] = [];
  for (const block of blocksOf(content)) {
    if (isText(block)) texts.push(block.text);
    else if (block.type === "tool_reference")
      texts.push(`The tool "${String(readField(block, "tool_name"))}" can be called now.`);
    else if (isMedia(block)) {
      const part = mediaPart(block, traits, losses);
      if (part.text === undefined) media.push(part);
      else texts.push(part.text);
    }
  }
  return { texts, media };
}
