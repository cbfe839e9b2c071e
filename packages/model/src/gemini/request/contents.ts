// Turns a conversation into Gemini's `contents`: roles alternate, every call is answered in the turn after it, results
// come first and in call order, nothing is empty. Thoughts are not sent back; signatures of calls are.

import {
  asReminder,
  blocksOf,
  isBlank,
  isText,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
  type ReplyOrigin,
  type ToolUseBlock,
} from "@keelson/protocol";
import { geminiFamily } from "../model.ts";
import type { Content, Part } from "../wire.ts";
import { isMedia } from "./media.ts";
import { userParts, type SentCall } from "./results.ts";
import type { Translation } from "./translation.ts";

/** What the service accepts instead of a signature, for calls that another model made. */
const SKIP_SIGNATURE = "skip_thought_signature_validator";

export function contentsOf(
  messages: readonly ModelMessage[],
  translation: Translation,
  losses: Set<string>,
): readonly Content[] {
  const contents: Content[] = [];
  let calls: readonly SentCall[] = [];
  for (const turn of turnsOf(messages)) {
    if (turn.role === "user") {
      const said = turn.blocks.map(({ block }) => block);
      contents.push({ role: "user", parts: userParts(said, calls, translation, losses) });
      calls = [];
      continue;
    }
    if (contents.length === 0) contents.push({ role: "user", parts: [{ text: LOST_BEGINNING }] });
    const made = modelParts(turn.blocks, translation);
    contents.push({ role: "model", parts: made.parts });
    calls = made.calls;
  }
  if (calls.length > 0) contents.push({ role: "user", parts: userParts([], calls, translation, losses) });
  if (contents.at(-1)?.role !== "user") contents.push({ role: "user", parts: [{ text: CONTINUE }] });
  return contents;
}

const CONTINUE = "Continue.";
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
  return [{ type: "text", text: asReminder(text.join("\n")) }];
}

function isUsable(block: ContentBlock, role: Turn["role"]): boolean {
  if (isText(block)) return !isBlank(block);
  return role === "user" ? isToolResult(block) || isMedia(block) : isToolUse(block);
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
  // Older models know neither signatures nor ids.
  const own = state?.["api"] === api && isSameModel(String(state["model"]), model) ? state : {};
  const sentId = ids && typeof own["id"] === "string" ? own["id"] : undefined;
  const given = typeof own["signature"] === "string" && trusts(id) ? own["signature"] : undefined;
  return { signature: given ?? (isFirst && signed ? SKIP_SIGNATURE : undefined), sentId };
}

const isSameModel = (one: string, other: string) => one === other || geminiFamily(one) === geminiFamily(other);
