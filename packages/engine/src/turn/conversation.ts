// The conversation as the model reads it: built from entries and extended during a run. Messages and blocks never
// change once added, so the JSON text of each is built only once.

import {
  asReminder,
  blocksOf,
  isBlank,
  isCommandRecord,
  isFolded,
  isObject,
  isText,
  isToolResult,
  isToolUse,
  isWholeBlock,
  withoutAddedContext,
  type AssistantSubject,
  type AttachmentSubject,
  type ByUser,
  type ChainSubject,
  type ContentBlock,
  type ModelMessage,
  type ReplyOrigin,
  type SystemSubject,
  type TextBlock,
  type ToolResultBlock,
  type UserSubject,
} from "@keelson/protocol";
import { inputTokens, TokenAccount } from "../compaction/account.ts";
import { withoutResults } from "../compaction/cleared-results.ts";
import type { StreamedCall } from "./turn.ts";

/** Attachments whose text the model reads. */
const SHOWN = new Set([
  "agent_listing_delta",
  "agent_mention",
  "directory",
  "file",
  "hook_additional_context",
  "invoked_skills",
  "keelson_mention",
  "mcp_resource",
  "plan_mode",
  "plan_mode_exit",
  "plan_file_reference",
  "queued_command",
  "skill_listing",
  "todo_reminder",
]);

/** In place of a result that has nothing in it. */
export const NO_OUTPUT = "(no output)";

const THOUGHTS = new Set(["thinking", "redacted_thinking"]);

/** Counts for the limits of automatic compaction. */
export interface CompactionCount {
  droppedTokens: number;
  /** Requests since the last one. */
  turns: number;
  /** How often in a row the conversation was full again soon after one, in this run. */
  refills: number;
  /** How often the server found it too long since the last reply. */
  refusals: number;
}

/** An entry with its place in the transcript, if known. */
type Placed = ChainSubject & { readonly uuid?: string; readonly parentUuid?: string | null; readonly isProven?: true };

export class Conversation {
  readonly #messages: ModelMessage[] = [];
  readonly #replies = new Set<string>();
  #replyId: string | undefined;
  #replyEnded = false;
  #deferred: StreamedCall[] = [];
  #preface: TextBlock | undefined;
  readonly account = new TokenAccount();
  /** What compactions have done to it so far. */
  readonly compactions: CompactionCount = { droppedTokens: 0, turns: Infinity, refills: 0, refusals: 0 };
  /** The newest reply and everything after it. */
  #newest: string[] = [];
  /** Blocks that belong to a call: beside its result, or behind it. */
  readonly #callOf = new WeakMap<ContentBlock, string>();
  /** Kept by a compaction: what these reported counted what is gone. */
  #preserved: ReadonlySet<unknown> = new Set();

  /** `preface` is our own text before the first real prompt. It is set before any entry is added. */
  constructor(preface?: string) {
    if (preface !== undefined) this.#preface = { type: "text", text: preface };
  }

  /**
   * Rebuilds a conversation from entries, and makes it well formed if the session was cut off. Anyone may have written a
   * transcript: without proof, no one's word in it is the user's.
   */
  static async of(entries: Iterable<Placed>, preface?: string): Promise<Conversation> {
    const conversation = new Conversation(preface);
    const seen = new Set<string>();
    for (const entry of entries) {
      // A line that is in the file twice counts once.
      if (entry.uuid !== undefined && seen.size === seen.add(entry.uuid).size) continue;
      const isClaim = "byUser" in entry && entry.isProven !== true;
      conversation.add(isClaim ? { ...entry, byUser: undefined } : entry);
    }
    await conversation.seal();
    return conversation;
  }

  /** Continues with these messages, which another conversation made. */
  static from(messages: readonly ModelMessage[]): Conversation {
    const conversation = new Conversation();
    conversation.#messages.push(...messages);
    conversation.#recount();
    return conversation;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  hasReply(id: string): boolean {
    return this.#replies.has(id);
  }

  add(entry: Placed): void {
    if (isCommandRecord(entry)) return;
    if (entry.type === "user") this.#addUser(this.#prefaced(entry), wordsOf(entry), callIn(entry));
    else if (entry.type === "assistant" && !entry.isApiErrorMessage) this.#addReply(entry);
    else if (entry.type === "attachment") this.#addAttachment(entry);
    else if (entry.type === "system") this.#addMark(entry);
    if (entry.uuid !== undefined) this.#newest.push(entry.uuid);
  }

  /** The ids of the newest reply and of everything after it: what a compaction keeps. */
  get newest(): readonly string[] {
    return this.#newest;
  }

  /** Begins anew: `summary` takes the place of everything before the newest reply, or of everything. */
  compact(summary: Placed, preface: string | undefined, { keepsNewest = true } = {}): void {
    const at = this.#messages.findLastIndex(({ role }) => role === "assistant");
    const all = this.#messages.splice(0);
    const kept = keepsNewest ? all.slice(at) : [];
    const newest = keepsNewest ? [...this.#newest] : [];
    if (!keepsNewest) this.#deferred = [];
    this.#preface = preface === undefined ? undefined : { type: "text", text: preface };
    this.add(summary);
    this.#messages.push(...kept);
    this.#newest = newest;
    this.#recount();
  }

  /** Continues with what another conversation has. */
  become(other: Conversation): void {
    this.#messages.splice(0, Infinity, ...other.#messages);
    this.#preface = other.#preface;
    this.#newest = other.#newest;
    this.#deferred = other.#deferred;
    this.#recount();
  }

  #recount(): void {
    this.account.restart(this.#messages.map(({ content }) => blocksOf(content)));
  }

  /** Replaces these tool results by a note. */
  clearResults(ids: readonly string[]): void {
    const old = new Set(ids);
    for (const [at, message] of this.#messages.entries()) this.#messages[at] = withoutResults(message, old);
  }

  /** What a compaction wrote into the transcript besides its summary. */
  #addMark({ subtype, compactMetadata, microcompactMetadata }: SystemSubject): void {
    if (subtype === "compact_boundary" && isObject(compactMetadata)) {
      const { preservedMessages, cumulativeDroppedTokens } = compactMetadata;
      const kept = isObject(preservedMessages) ? preservedMessages["uuids"] : undefined;
      this.#preserved = new Set(Array.isArray(kept) ? kept : []);
      if (typeof cumulativeDroppedTokens === "number") this.compactions.droppedTokens = cumulativeDroppedTokens;
    }
    if (subtype === "microcompact_boundary" && isObject(microcompactMetadata)) {
      const { compactedToolIds: ids } = microcompactMetadata;
      if (Array.isArray(ids)) this.clearResults(ids.filter((id) => typeof id === "string"));
    }
  }

  /** Calls that a hook deferred and that still have no answer. The caller must settle them now. */
  takeDeferred(): readonly StreamedCall[] {
    return this.#deferred.splice(0);
  }

  #addAttachment(entry: AttachmentSubject & { readonly parentUuid?: string | null }): void {
    if (entry.attachment.type === "hook_deferred_tool") this.#defer(entry);
    // Other clients can put some of these in the system prompt, if the model allows it. Here they are all user text.
    const shown = SHOWN.has(entry.attachment.type) ? (entry.rendered ?? []) : [];
    const readable = shown.filter(({ content }) => typeof content === "string" || Array.isArray(content));
    const blocks = readable.flatMap(({ content }) => blocksOf(content));
    const { toolUseID: call } = entry.attachment;
    const words = typeof entry.byUser === "string" ? [entry.byUser] : [];
    this.#addUser(blocks.filter(isWholeBlock), words, typeof call === "string" ? call : undefined);
  }

  #prefaced(entry: UserSubject): readonly ContentBlock[] {
    const { message, added } = withoutAddedContext(entry);
    const own = blocksOf(message.content);
    const blocks: readonly ContentBlock[] =
      added === undefined ? own : [...own, { type: "text", text: asReminder(added) }];
    const isOurs = entry.isMeta && entry.origin === undefined;
    if (!this.#preface || isOurs || own.every(isToolResult)) return blocks;
    return [...this.#takePreface(), ...blocks];
  }

  #defer({ attachment, parentUuid }: AttachmentSubject & { readonly parentUuid?: string | null }): void {
    const reply = this.#messages.findLast(({ role }) => role === "assistant");
    const calls = blocksOf(reply?.content ?? []).filter(isToolUse);
    const block = calls.find(({ id }) => id === attachment["toolUseID"]);
    if (block) this.#deferred.push({ block, entryId: parentUuid ?? "" });
  }

  /**
   * One assistant message per reply, although it was recorded block by block. Calls start while the reply is still
   * being written, so results may come between its blocks. After its end, the same id means another reply from a server
   * that gives every reply the same id.
   */
  #addReply({ message, callState, uuid }: AssistantSubject & { readonly uuid?: string }): void {
    const { id, content, stop_reason: stopReason, usage } = message;
    const blocks = withoutBlanks(content);
    const isNew = !this.#replies.has(id) || (this.#replyId === id && this.#replyEnded);
    // An empty reply is no message: what a compaction would keep begins before it.
    if (isNew && blocks.length > 0) this.#newest = [];
    if (this.#preserved.has(uuid) || inputTokens(usage) === 0) this.account.added(blocks);
    else if (isNew) this.account.replied(usage);
    else this.account.continued(usage);
    this.#replies.add(id);
    if (blocks.length === 0) {
      if (this.#replyId === id) this.#replyEnded = stopReason !== null;
      return;
    }
    const last = this.#messages.findLastIndex(({ role }) => role === "assistant");
    const farthest = this.#replyEnded ? 1 : 2;
    if (last >= 0 && this.#replyId === id && last >= this.#messages.length - farthest) {
      const earlier = blocksOf(this.#messages[last]!.content);
      const before = this.#messages[last]!.reply;
      const reply = originOf(message.model, { ...before?.callState, ...callState });
      this.#messages[last] = { role: "assistant", content: [...earlier, ...blocks], reply };
    } else {
      this.#messages.push({ role: "assistant", content: blocks, reply: originOf(message.model, callState) });
    }
    this.#replyId = id;
    this.#replyEnded = stopReason !== null;
  }

  /**
   * Results in call order, then what belongs to them in the same order, then everything else. Consecutive user messages
   * become one.
   */
  #addUser(content: readonly ContentBlock[], words: readonly string[], call?: string): void {
    const blocks = withoutBlanks(content);
    if (blocks.length === 0) return;
    if (call !== undefined) for (const block of blocks) this.#callOf.set(block, call);
    this.account.added(blocks);
    if (this.#deferred.length > 0) {
      const answered = blocks.filter(isToolResult).map((result) => result.tool_use_id);
      this.#deferred = this.#deferred.filter(({ block }) => !answered.includes(block.id));
    }
    const last = this.#messages.at(-1);
    if (last?.role !== "user") {
      this.#messages.push({ role: "user", content: blocks, ...spoken(words) });
      return;
    }
    const all = [...blocksOf(last.content), ...blocks];
    const results = all.filter(isToolResult);
    const others = all.filter((block) => !isToolResult(block));
    if (results.length > 1) {
      this.#sortByCall(results, (result) => result.tool_use_id);
      this.#sortByCall(others, (block) => this.#callOf.get(block) ?? "");
    }
    const sorted = [...results, ...others];
    this.#messages[this.#messages.length - 1] = { role: "user", content: sorted, ...spoken(words, last.byUser) };
  }

  /** Calls end in any order; what the model reads does not depend on it, so a session that resumes reads the same. */
  #sortByCall<B extends ContentBlock>(blocks: B[], callOf: (block: B) => string): void {
    const reply = this.#messages.at(-2);
    if (reply?.role !== "assistant") return;
    const order = new Map(
      blocksOf(reply.content)
        .filter(isToolUse)
        .map((call, index) => [call.id, index]),
    );
    const placeOf = (block: B) => order.get(callOf(block)) ?? order.size;
    blocks.sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** Call it before a request: the API refuses a reply that broke off in a thought or during a server tool. */
  async repair(): Promise<void> {
    const newest = blocksOf(this.#messages.findLast(({ role }) => role === "assistant")?.content ?? []);
    const last = newest.at(-1)?.type ?? "";
    if (THOUGHTS.has(last) || newest.some(({ type }) => type === "server_tool_use" || type === "mcp_tool_use"))
      await this.seal();
  }

  /** Makes the conversation well formed after a run broke off or a damaged transcript was read. */
  async seal(): Promise<void> {
    if (this.#messages.length === 0) return;
    // Most sessions are new and never need it.
    const { wellFormed } = await import("./well-formed.ts");
    const newest = blocksOf(this.#messages.findLast(({ role }) => role === "assistant")?.content ?? []);
    this.#deferred = this.#deferred.filter(({ block }) => newest.includes(block));
    const deferred = new Set(this.#deferred.map(({ block }) => block.id));
    const sealed = wellFormed(this.#messages, { deferred, takePreface: () => this.#takePreface() });
    this.#messages.splice(0, this.#messages.length, ...sealed);
  }

  #takePreface(): readonly ContentBlock[] {
    const preface = this.#preface;
    this.#preface = undefined;
    return preface ? [preface] : [];
  }
}

/** What of an entry the user said, by its record alone. Whatever else a file has there is no record. */
function wordsOf({
  message: { content },
  byUser,
}: {
  readonly message: UserSubject["message"];
  readonly byUser?: ByUser;
}) {
  if (byUser !== true) return typeof byUser === "string" ? [byUser] : [];
  return blocksOf(content).flatMap((block) => (isText(block) ? [block.text] : []));
}

/** The call that an entry belongs to. */
function callIn({ message, sourceToolUseID }: UserSubject): string | undefined {
  return typeof sourceToolUseID === "string"
    ? sourceToolUseID
    : blocksOf(message.content).find(isToolResult)?.tool_use_id;
}

const spoken = (words: readonly string[], before: readonly string[] = []) =>
  words.length + before.length === 0 ? {} : { byUser: [...before, ...words] };

function originOf(model: string, callState: ReplyOrigin["callState"] = {}): ReplyOrigin {
  return Object.keys(callState).length === 0 ? { model } : { model, callState };
}

/** The API refuses blank texts, also in results, and a result that is an empty list. */
function withoutBlanks(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  if (!blocks.some((block) => isBlank(block) || hasBlanks(block))) return blocks;
  return blocks.filter((block) => !isBlank(block)).map((block) => (hasBlanks(block) ? filled(block) : block));
}

function hasBlanks(block: ContentBlock): block is ToolResultBlock {
  return (
    isToolResult(block) &&
    !isFolded(block, "content") &&
    Array.isArray(block.content) &&
    (block.content.length === 0 || block.content.some(isBlank))
  );
}

function filled(result: ToolResultBlock): ToolResultBlock {
  const content = blocksOf(result.content).filter((block) => !isBlank(block));
  return { ...result, content: content.length === 0 ? NO_OUTPUT : content };
}
