// Turns a conversation into Gemini's `contents`: roles alternate, every call is answered in the turn after it, results
// come first and in call order, nothing is empty. Thoughts are not sent back; signatures of calls are.

import {
  blocksOf,
  isBlank,
  isText,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
} from "@keelson/protocol";
import type { ReplyOrigin, ToolResultBlock, ToolUseBlock } from "@keelson/protocol";
import type { ModelTraits } from "../../dialect.ts";
import type { FittedNames } from "../../fit/names.ts";
import { fitsInResult, isMedia, mediaPart } from "./media.ts";
import { geminiFamily } from "../model.ts";
import type { Content, Part } from "../wire.ts";

export interface Translation {
  /** The state of calls is kept under this name: signatures of one service mean nothing to another. */
  readonly api: string;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly names: FittedNames;
  /** Calls must have a signature: a real one, or the documented value that skips the check. */
  readonly signed: boolean;
  /** Whether the signature of a call may be sent back. */
  readonly trusts: (callId: string) => boolean;
  /** Results may contain pictures. */
  readonly mediaInResults: boolean;
  /** The server knows ids of calls. */
  readonly ids: boolean;
}

/** What the service accepts instead of a signature, for calls that another model made. */
const SKIP_SIGNATURE = "skip_thought_signature_validator";
const NO_RESULT = "The call was interrupted before it returned a result. It may or may not have taken effect.";

export function contentsOf(
  messages: readonly ModelMessage[],
  translation: Translation,
  losses: Set<string>,
): readonly Content[] {
  const contents: Content[] = [];
  let calls: readonly SentCall[] = [];
  for (const turn of turnsOf(messages)) {
    if (turn.role === "user") {
      contents.push({ role: "user", parts: userParts(turn.blocks, calls, translation, losses) });
      calls = [];
      continue;
    }
    if (contents.length === 0) contents.push({ role: "user", parts: [{ text: LOST_BEGINNING }] });
    const made = modelParts(turn.blocks, translation);
    contents.push({ role: "model", parts: made.parts });
    calls = made.calls;
  }
  if (calls.length > 0) contents.push({ role: "user", parts: userParts([], calls, translation, losses) });
  return contents;
}

const LOST_BEGINNING = "The beginning of this conversation was lost.";

/** A block, and the reply that it is from. */
interface Placed {
  readonly block: ContentBlock;
  readonly reply?: ReplyOrigin;
}

interface Turn {
  readonly role: ModelMessage["role"];
  readonly blocks: Placed[];
}

/** Messages without what cannot be sent; neighbours of the same role are one turn. */
function turnsOf(messages: readonly ModelMessage[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const usable = readable(message).filter((block) => isUsable(block, role));
    if (usable.length === 0) continue;
    const placed = usable.map((block) => ({ block, reply: message.reply }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...placed);
    else turns.push({ role, blocks: placed });
  }
  return turns;
}

/** A system message amid the conversation becomes a reminder. */
function readable(message: ModelMessage): readonly ContentBlock[] {
  const blocks = blocksOf(message.content);
  if ((message.role as string) !== "system") return blocks;
  const text = blocks.filter(isText).map((block) => block.text);
  return [{ type: "text", text: `<system-reminder>\n${text.join("\n")}\n</system-reminder>` }];
}

function isUsable(block: ContentBlock, role: Turn["role"]): boolean {
  if (isText(block)) return !isBlank(block);
  return role === "user" ? isToolResult(block) || isMedia(block) : isToolUse(block);
}

/** A call as it was sent, for its result. */
interface SentCall {
  /** Ours. */
  readonly id: string;
  readonly name: string;
  /** The server's. */
  readonly sentId?: string;
}

function modelParts(blocks: readonly Placed[], translation: Translation) {
  const calls: SentCall[] = [];
  const parts = blocks.map(({ block, reply }): Part => {
    if (!isToolUse(block)) return { text: (block as { readonly text: string }).text };
    const { signature, sentId } = stateOf(block, reply, translation, calls.length === 0);
    const id = sentId === undefined ? {} : { id: sentId };
    const name = translation.names.out(block.name);
    calls.push({ id: block.id, name, sentId });
    return {
      functionCall: { ...id, name, args: block.input },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    };
  });
  return { parts, calls };
}

function stateOf(
  { id }: ToolUseBlock,
  reply: ReplyOrigin | undefined,
  { api, model, signed, trusts, ids }: Translation,
  isFirst: boolean,
) {
  const state = reply?.callState?.[id];
  const isOurs = state?.["api"] === api;
  const given = isOurs && geminiFamily(String(state["model"])) === geminiFamily(model) ? state["signature"] : undefined;
  const own = typeof given === "string" && trusts(id) ? given : undefined;
  const sentId = ids && isOurs && typeof state["id"] === "string" ? state["id"] : undefined;
  return { signature: own ?? (isFirst && signed ? SKIP_SIGNATURE : undefined), sentId };
}

/** The results of the calls before, then pictures that results cannot carry, then the rest. */
function userParts(
  blocks: readonly Placed[],
  calls: readonly SentCall[],
  translation: Translation,
  losses: Set<string>,
): readonly Part[] {
  const results = new Map<string, ToolResultBlock[]>();
  for (const { block } of blocks)
    if (isToolResult(block)) results.set(block.tool_use_id, [...(results.get(block.tool_use_id) ?? []), block]);
  const answered = calls.map((call) => answer(call, results.get(call.id)?.shift(), translation, losses));
  const rest = blocks.flatMap(({ block }): readonly Part[] => {
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
  if (outside.length > 0) texts.push("[what this call showed follows the results]");
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
  return { part, after: outside.length > 0 ? [{ text: `What the call of ${name} showed:` }, ...outside] : [] };
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
      texts.push(`The tool "${String(block["tool_name" as never])}" can be called now.`);
    else if (isMedia(block)) {
      const part = mediaPart(block, traits, losses);
      if (part.text === undefined) media.push(part);
      else texts.push(part.text);
    }
  }
  return { texts, media };
}
