// Divides a conversation into what a compaction summarizes and what it keeps word for word: the newest reply and what
// came after it, or everything on one side of a prompt. Pure.

import {
  blocksOf,
  isText,
  isToolResult,
  type ChainEntry,
  type ChainSubject,
  type ContentBlock,
  type ModelMessage,
} from "@keelson/protocol";
import type { SummarizedPart } from "../context/compaction-prompt.ts";
import { Conversation } from "../turn/conversation.ts";
import type { TokenAccount } from "./account.ts";

export interface Split {
  readonly head: readonly ModelMessage[];
  readonly kept: readonly ModelMessage[];
}

/** Undefined if there is too little to summarize: the head needs at least one reply. */
export function splitForSummary(messages: readonly ModelMessage[]): Split | undefined {
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  const head = messages.slice(0, Math.max(0, newest));
  return head.some(({ role }) => role === "assistant") ? { head, kept: messages.slice(newest) } : undefined;
}

/** What a compaction does with a conversation. */
export interface Division {
  /** What the model reads to write the summary. */
  readonly head: readonly ModelMessage[];
  /** Whether the newest reply and what came after it stay as they are. */
  readonly keepsNewest: boolean;
  /** Without it: what the user said last and has no reply yet. It is said again, after the summary. */
  readonly again: readonly ContentBlock[];
}

/**
 * The newest reply and what follows it stay if they take at most `most` tokens; otherwise everything is summarized. Undefined
 * if there is too little of it.
 */
export function divide(
  messages: readonly ModelMessage[],
  { account, most }: { readonly account: TokenAccount; readonly most: number },
): Division | undefined {
  const tokensOf = (some: readonly ModelMessage[]) =>
    account.tokensOf(some.flatMap(({ content }) => blocksOf(content)));
  const usual = splitForSummary(messages);
  if (usual && tokensOf(usual.kept) <= most) return { head: usual.head, keepsNewest: true, again: [] };
  const last = messages.at(-1);
  const blocks = last?.role === "user" ? blocksOf(last.content) : [];
  const fits = (at: number) => isPromptBlock(blocks[at]!) && account.tokensOf(blocks.slice(at)) <= most;
  const from = blocks.findLastIndex((_, at) => !fits(at)) + 1;
  // If there is little else, less of what was said last stays as it is.
  for (const at of [from, Math.max(from, blocks.length - 1), blocks.length]) {
    const rest = blocks.slice(0, at);
    const head =
      last && at < blocks.length
        ? [...messages.slice(0, -1), ...(at > 0 ? [{ ...last, content: rest }] : [])]
        : messages;
    if (usual || isWorthwhile(head, account)) return { head, keepsNewest: false, again: blocks.slice(at) };
  }
  return undefined;
}

/** A single exchange with fewer tokens is not worth a summary. */
const WORTHWHILE = 500;

function isWorthwhile(head: readonly ModelMessage[], account: TokenAccount): boolean {
  const said = head.flatMap(({ content }) => blocksOf(content)).filter((block) => !isReminder(block));
  return account.tokensOf(said) >= WORTHWHILE;
}

const isPromptBlock = (block: ContentBlock) => !isToolResult(block) && !isReminder(block);
const isReminder = (block: ContentBlock) => isText(block) && block.text.startsWith("<system-reminder>");

/** The newest thing the user said that has no reply yet. */
export function newestPrompt(messages: readonly ModelMessage[]): ContentBlock | undefined {
  const last = messages.at(-1);
  return last?.role === "user" ? blocksOf(last.content).findLast(isPromptBlock) : undefined;
}

/** A conversation divided at one of its prompts, of which one part becomes a summary. */
export interface PromptSplit extends SummarizedPart {
  /** What the model reads to write the summary. */
  readonly head: readonly ModelMessage[];
  /** Whether there is a reply to summarize. */
  readonly isWorthwhile: boolean;
  /** What the transcript has of the part that stays. */
  readonly keptIds: readonly string[];
  /** The conversation with the summary in it. */
  rebuild(summary: ChainSubject & { readonly uuid: string }, preface: string | undefined): Promise<Conversation>;
}

export interface SplitPlace extends SummarizedPart {
  /** The first entry of the later part. */
  readonly at: number;
  /** What the conversation begins with. */
  readonly preface: string | undefined;
}

export async function splitAtPrompt(
  entries: readonly ChainEntry[],
  { at, direction, prompt, preface }: SplitPlace,
): Promise<PromptSplit> {
  // An earlier boundary says where the conversation began until now.
  const parts = [entries.slice(0, at).filter((entry) => !isBoundary(entry)), entries.slice(at)] as const;
  const [kept, gone] = direction === "from" ? parts : parts.toReversed();
  const { messages } = await Conversation.of(direction === "from" ? entries : gone!, preface);
  return {
    direction,
    head: messages,
    isWorthwhile: gone!.some((entry) => entry.type === "assistant" && !entry.isApiErrorMessage),
    keptIds: kept!.map(({ uuid }) => uuid),
    prompt,
    rebuild: (summary, text) => Conversation.of(direction === "from" ? [...kept!, summary] : [summary, ...kept!], text),
  };
}

const isBoundary = (entry: ChainEntry) => entry.type === "system" && entry.subtype === "compact_boundary";

/** The messages with one more text for the model at their end. */
export function withRequest(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  const block: ContentBlock = { type: "text", text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }];
  return [...messages.slice(0, -1), { role: "user", content: [...blocksOf(last.content), block] }];
}
