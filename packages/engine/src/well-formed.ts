// Makes messages into a conversation the API takes, whatever was lost, repeated or out of order in them. Pure.

import {
  blocksOf,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
  type ToolResultBlock,
} from "@keelson/protocol";

export const NO_RESULT = "The call was interrupted before it gave a result. Whether it took effect is not known.";

export interface WellFormedOptions {
  /** Calls that are left open: somebody settles them later. */
  readonly deferred: ReadonlySet<string>;
  /** What the user says first when the conversation would begin with a reply. */
  lostBeginning(): readonly ContentBlock[];
}

/**
 * Answers each call directly behind it, wherever the result was recorded, or says that there is none. Drops results of
 * calls nobody made, calls made twice, thoughts a reply ends in, and calls a server was to carry out and did not.
 * Messages that need no change stay the same objects.
 */
export function wellFormed(messages: readonly ModelMessage[], options: WellFormedOptions): ModelMessage[] {
  const answers = answersIn(messages);
  const served = servedIn(messages);
  const made = new Set<string>();
  const isNew = (id: string) => made.size < made.add(id).size;
  const result: ModelMessage[] = [];

  const answersDue = () =>
    callsIn(result.at(-1))
      .filter((id) => !options.deferred.has(id))
      .map((id) => answers.get(id) ?? unanswered(id));
  const say = (blocks: readonly ContentBlock[], original?: ModelMessage) => {
    const last = result.at(-1);
    if (blocks.length === 0) return;
    // Dropping a reply can leave two messages of the user's beside each other.
    if (last?.role === "user") result.push(messageOf("user", [...blocksOf(result.pop()!.content), ...blocks]));
    else result.push(messageOf("user", blocks, original));
  };

  for (const message of messages) {
    const blocks = blocksOf(message.content);
    if (message.role === "user") {
      say([...answersDue(), ...blocks.filter(({ type }) => !NOT_THE_USERS.has(type))], message);
      continue;
    }
    const own = blocks.filter((block) => (isToolUse(block) ? isNew(block.id) : !isToolResult(block)));
    // A turn the server paused goes on with the very call it ends in.
    const isPaused = message === messages.at(-1);
    const kept = withoutLastThoughts(isPaused ? own : own.filter((block) => !isOpenAtServer(block, served)));
    if (kept.length === 0) continue;
    say(result.length === 0 ? options.lostBeginning() : answersDue());
    result.push(messageOf("assistant", kept, message));
  }
  say(answersDue());
  return result;
}

/** Results are put where they belong; the others only the model can say. */
const NOT_THE_USERS: ReadonlySet<string> = new Set(["tool_result", "tool_use", "thinking", "redacted_thinking"]);

function messageOf(role: ModelMessage["role"], blocks: readonly ContentBlock[], original?: ModelMessage): ModelMessage {
  const before = original && blocksOf(original.content);
  const isSame = before?.length === blocks.length && blocks.every((block, at) => block === before[at]);
  return original && isSame ? original : { role, content: blocks };
}

function callsIn(message: ModelMessage | undefined): string[] {
  if (message?.role !== "assistant") return [];
  return blocksOf(message.content)
    .filter(isToolUse)
    .map((call) => call.id);
}

/** The first result of each call. */
function answersIn(messages: readonly ModelMessage[]): ReadonlyMap<string, ContentBlock> {
  const answers = new Map<string, ContentBlock>();
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    for (const block of blocksOf(content)) {
      if (isToolResult(block) && !answers.has(block.tool_use_id)) answers.set(block.tool_use_id, block);
    }
  }
  return answers;
}

const unanswered = (id: string): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: NO_RESULT,
  is_error: true,
});

/** The calls that servers carried out: their results stand in the reply itself. */
function servedIn(messages: readonly ModelMessage[]): ReadonlySet<unknown> {
  const blocks = messages.flatMap(({ role, content }) => (role === "assistant" ? blocksOf(content) : []));
  return new Set(blocks.map((block) => (block as { readonly tool_use_id?: unknown }).tool_use_id));
}

const AT_SERVER: ReadonlySet<string> = new Set(["server_tool_use", "mcp_tool_use"]);

function isOpenAtServer(block: ContentBlock, served: ReadonlySet<unknown>): boolean {
  return AT_SERVER.has(block.type) && !served.has((block as { readonly id?: unknown }).id);
}

/** The API refuses a reply that ends in a thought, as one that was cut off may. */
function withoutLastThoughts(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);
}

const isThought = (block: ContentBlock) => block.type === "thinking" || block.type === "redacted_thinking";
