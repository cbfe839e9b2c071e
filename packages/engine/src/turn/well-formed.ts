// Turns messages into a conversation the API accepts, whatever was lost, repeated or out of order. Pure.

import {
  blocksOf,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@keelson/protocol";

export const NO_RESULT = "The call was interrupted before it returned a result. It may or may not have taken effect.";

const LOST_BEGINNING: ContentBlock = { type: "text", text: "The beginning of this conversation was lost." };

export interface WellFormedOptions {
  /** Calls to leave open; they are settled later. */
  readonly deferred: ReadonlySet<string>;
  /** Our own text before the first prompt, if it is not there yet. Called if the conversation begins with a reply. */
  takePreface(): readonly ContentBlock[];
}

/**
 * Puts the answer of each call directly after it, wherever the result was recorded, or adds one that says it has none.
 * Drops results without a call, repeated calls, thoughts at the end of a reply, and server calls that were not carried
 * out. Messages that need no change stay the same objects.
 */
export function wellFormed(messages: readonly ModelMessage[], options: WellFormedOptions): ModelMessage[] {
  const { answers, repeated } = answersIn(messages);
  const served = servedIn(messages);
  const result: ModelMessage[] = [];

  const answersDue = () =>
    callsIn(result.at(-1))
      .filter(({ id }) => !options.deferred.has(id))
      .map((call) => answers.get(call) ?? unanswered(call.id));
  const say = (blocks: readonly ContentBlock[], original?: ModelMessage) => {
    const last = result.at(-1);
    if (blocks.length === 0) return;
    // Dropping a reply can leave two user messages in a row.
    if (last?.role === "user") {
      const words = [...(last.byUser ?? []), ...(original?.byUser ?? [])];
      const content = [...blocksOf(result.pop()!.content), ...blocks];
      result.push({ role: "user", content, ...(words.length === 0 ? {} : { byUser: words }) });
    } else result.push(messageOf("user", blocks, original));
  };

  for (const message of messages) {
    const blocks = blocksOf(message.content);
    if (message.role === "user") {
      say([...answersDue(), ...blocks.filter(({ type }) => !NOT_FROM_USER.has(type))], message);
      continue;
    }
    const own = blocks.filter((block) => !repeated.has(block) && !isToolResult(block));
    // A turn the server paused continues with the call it ends in.
    const isPaused = message === messages.at(-1);
    const kept = withoutLastThoughts(isPaused ? own : own.filter((block) => !isOpenAtServer(block, served)));
    if (kept.length === 0) continue;
    say(result.length === 0 ? [...options.takePreface(), LOST_BEGINNING] : answersDue());
    result.push(messageOf("assistant", kept, message));
  }
  say(answersDue());
  return result;
}

/** Results are placed separately; the model alone can say the others. */
const NOT_FROM_USER: ReadonlySet<string> = new Set(["tool_result", "tool_use", "thinking", "redacted_thinking"]);

function messageOf(role: ModelMessage["role"], blocks: readonly ContentBlock[], original?: ModelMessage): ModelMessage {
  const before = original && blocksOf(original.content);
  const isSame = before?.length === blocks.length && blocks.every((block, at) => block === before[at]);
  return original && isSame ? original : { ...original, role, content: blocks };
}

function callsIn(message: ModelMessage | undefined): ToolUseBlock[] {
  return message?.role === "assistant" ? blocksOf(message.content).filter(isToolUse) : [];
}

/**
 * The result of each call, and calls that are only there because a line was written twice. Some servers reuse an id in
 * every reply, so a result belongs to the newest open call with its id, or to the next one if the result came first.
 */
function answersIn(messages: readonly ModelMessage[]) {
  const answers = new Map<ContentBlock, ContentBlock>();
  const newest = new Map<string, ToolUseBlock>();
  const early = new Map<string, ContentBlock>();
  const again: ToolUseBlock[] = [];
  for (const { role, content } of messages) {
    for (const block of blocksOf(content)) {
      if (role === "assistant" && isToolUse(block)) {
        const before = newest.get(block.id);
        const result = before === undefined ? early.get(block.id) : undefined;
        if (before && isSame(before, block)) again.push(block);
        // A copy of an open call is not a separate call.
        if (!before || answers.has(before) || !isSame(before, block)) newest.set(block.id, block);
        if (result) answers.set(block, result);
      } else if (role === "user" && isToolResult(block)) {
        const call = newest.get(block.tool_use_id);
        if (!call) early.set(block.tool_use_id, early.get(block.tool_use_id) ?? block);
        else if (!answers.has(call)) answers.set(call, block);
      }
    }
  }
  return { answers, repeated: new Set<ContentBlock>(again.filter((call) => !answers.has(call))) };
}

const isSame = (a: ToolUseBlock, b: ToolUseBlock) =>
  a.name === b.name && JSON.stringify(a.input) === JSON.stringify(b.input);

const unanswered = (id: string): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: NO_RESULT,
  is_error: true,
});

/** Calls that servers carried out: their results are in the reply itself. */
function servedIn(messages: readonly ModelMessage[]): ReadonlySet<unknown> {
  const blocks = messages.flatMap(({ role, content }) => (role === "assistant" ? blocksOf(content) : []));
  return new Set(blocks.map((block) => (block as { readonly tool_use_id?: unknown }).tool_use_id));
}

const AT_SERVER: ReadonlySet<string> = new Set(["server_tool_use", "mcp_tool_use"]);

function isOpenAtServer(block: ContentBlock, served: ReadonlySet<unknown>): boolean {
  return AT_SERVER.has(block.type) && !served.has((block as { readonly id?: unknown }).id);
}

/** The API refuses a reply that ends in a thought, which can happen if it was cut off. */
function withoutLastThoughts(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);
}

const isThought = (block: ContentBlock) => block.type === "thinking" || block.type === "redacted_thinking";
