// The conversation as the model reads it: a fold over entries, extended while a run goes on.
// Messages and blocks are never changed once they are in: the text of each is worked out only once.

import {
  blocksOf,
  isToolResult,
  isToolUse,
  type AttachmentSubject,
  type ChainSubject,
  type ContentBlock,
  type ModelMessage,
  type TextBlock,
  type ToolResultBlock,
  type UserSubject,
} from "@keelson/protocol";
import type { Call } from "./turn.ts";

export const NO_RESULT = "The call was interrupted before it gave a result. Whether it took effect is not known.";

/** Of what stands beside the conversation, what the model has read. */
const SHOWN = new Set(["hook_additional_context", "plan_mode", "plan_mode_exit"]);

export class Conversation {
  readonly #messages: ModelMessage[] = [];
  #replyId: string | undefined;
  #deferred: Call[] = [];
  #preface: TextBlock | undefined;

  /** Text of ours that stands before the first real prompt. Set before any entry is added. */
  constructor(preface?: string) {
    if (preface !== undefined) this.#preface = { type: "text", text: preface };
  }

  /** The conversation some entries amount to, made well formed where a session was cut off. */
  static of(entries: Iterable<ChainSubject & { readonly parentUuid?: string | null }>, preface?: string): Conversation {
    const conversation = new Conversation(preface);
    for (const entry of entries) conversation.add(entry);
    conversation.seal();
    return conversation;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  add(entry: ChainSubject & { readonly parentUuid?: string | null }): void {
    if (entry.type === "user") this.#addUser(this.#prefaced(entry));
    else if (entry.type === "assistant" && !entry.isApiErrorMessage) this.#addReply(entry.message);
    else if (entry.type === "attachment") this.#addAttachment(entry);
  }

  /** Calls a hook put off that still have no answer. They are the caller's to settle now. */
  takeDeferred(): readonly Call[] {
    return this.#deferred.splice(0);
  }

  #addAttachment(entry: AttachmentSubject & { readonly parentUuid?: string | null }): void {
    if (entry.attachment.type === "hook_deferred_tool") this.#defer(entry);
    // What stands in the system's place elsewhere depends on a model that takes it; here everything is the user's.
    const texts = SHOWN.has(entry.attachment.type) ? (entry.rendered ?? []) : [];
    const blocks = texts.filter(({ content }) => typeof content === "string" && content !== "");
    if (blocks.length > 0) this.#addUser(blocks.map(({ content }) => ({ type: "text", text: content })));
  }

  #prefaced(entry: UserSubject): readonly ContentBlock[] {
    const blocks = blocksOf(entry.message.content);
    if (!this.#preface || entry.isMeta) return blocks;
    const whole = [this.#preface, ...blocks];
    this.#preface = undefined;
    return whole;
  }

  #defer({ attachment, parentUuid }: AttachmentSubject & { readonly parentUuid?: string | null }): void {
    const reply = this.#messages.findLast(({ role }) => role === "assistant");
    const calls = blocksOf(reply?.content ?? []).filter(isToolUse);
    const block = calls.find(({ id }) => id === attachment["toolUseID"]);
    if (block) this.#deferred.push({ block, entryId: parentUuid ?? "" });
  }

  /** One assistant message for each reply, though it was recorded block by block. */
  #addReply({ id, content }: { readonly id: string; readonly content: readonly ContentBlock[] }): void {
    const last = this.#messages.at(-1);
    if (last?.role === "assistant" && this.#replyId === id) {
      this.#messages[this.#messages.length - 1] = {
        role: "assistant",
        content: [...blocksOf(last.content), ...content],
      };
    } else {
      this.#messages.push({ role: "assistant", content });
    }
    this.#replyId = id;
  }

  /** Results in the order of their calls, then everything else; neighbours become one message. */
  #addUser(blocks: readonly ContentBlock[]): void {
    if (this.#deferred.length > 0) {
      const answered = blocks.filter(isToolResult).map((result) => result.tool_use_id);
      this.#deferred = this.#deferred.filter(({ block }) => !answered.includes(block.id));
    }
    const last = this.#messages.at(-1);
    if (last?.role !== "user") {
      this.#messages.push({ role: "user", content: blocks });
      return;
    }
    const all = [...blocksOf(last.content), ...blocks];
    const results = all.filter(isToolResult);
    const others = all.filter((block) => !isToolResult(block));
    if (results.length > 1) this.#sortByCall(results);
    this.#messages[this.#messages.length - 1] = { role: "user", content: [...results, ...others] };
  }

  #sortByCall(results: ToolResultBlock[]): void {
    const reply = this.#messages.at(-2);
    if (reply?.role !== "assistant") return;
    const order = new Map(
      blocksOf(reply.content)
        .filter(isToolUse)
        .map((call, index) => [call.id, index]),
    );
    results.sort((a, b) => (order.get(a.tool_use_id) ?? order.size) - (order.get(b.tool_use_id) ?? order.size));
  }

  /**
   * Makes it well formed after a run that broke off: answers calls that have no answer, drops answers to calls nobody
   * made, and replies that only began to think.
   */
  seal(): void {
    const sealed: ModelMessage[] = [];
    const newest = blocksOf(this.#messages.findLast(({ role }) => role === "assistant")?.content ?? []);
    this.#deferred = this.#deferred.filter(({ block }) => newest.includes(block));
    const put = new Set(this.#deferred.map(({ block }) => block.id));
    for (const message of this.#messages) {
      const open = openCalls(sealed.at(-1)).filter((id) => !put.has(id));
      if (message.role === "user") {
        const blocks = settled(blocksOf(message.content), open);
        if (blocks.length > 0) sealed.push({ role: "user", content: blocks });
      } else if (!blocksOf(message.content).every(isThought)) {
        if (open.length > 0) sealed.push({ role: "user", content: open.map(unanswered) });
        sealed.push(message);
      }
    }
    const open = openCalls(sealed.at(-1)).filter((id) => !put.has(id));
    if (open.length > 0) sealed.push({ role: "user", content: open.map(unanswered) });
    this.#messages.splice(0, this.#messages.length, ...joined(sealed));
  }
}

function openCalls(message: ModelMessage | undefined): string[] {
  if (message?.role !== "assistant") return [];
  return blocksOf(message.content)
    .filter(isToolUse)
    .map((call) => call.id);
}

/** One answer for each open call, in the order of the calls, then everything else. */
function settled(blocks: readonly ContentBlock[], open: readonly string[]): readonly ContentBlock[] {
  const answers = new Map<string, ContentBlock>();
  for (const block of blocks) {
    if (isToolResult(block) && !answers.has(block.tool_use_id)) answers.set(block.tool_use_id, block);
  }
  const others = blocks.filter((block) => !isToolResult(block));
  const whole = [...open.map((id) => answers.get(id) ?? unanswered(id)), ...others];
  return whole.length === blocks.length && whole.every((block, at) => block === blocks[at]) ? blocks : whole;
}

const unanswered = (id: string): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: NO_RESULT,
  is_error: true,
});

const isThought = (block: ContentBlock) => block.type === "thinking" || block.type === "redacted_thinking";

/** Dropping a message can leave two of a kind beside each other. */
function joined(messages: readonly ModelMessage[]): ModelMessage[] {
  const result: ModelMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last?.role === message.role && message.role === "user") {
      result[result.length - 1] = { role: "user", content: [...blocksOf(last.content), ...blocksOf(message.content)] };
    } else {
      result.push(message);
    }
  }
  return result;
}
