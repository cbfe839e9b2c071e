// Makes a conversation fit a server of the Messages format, whichever provider it began on: without thinking and server
// tools of others, with ids and names that the format allows. What needs no change stays the same object, so that its
// bytes stay known.

import {
  blocksOf,
  isBlank,
  isFolded,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
  type StreamEvent,
  type ToolResultBlock,
} from "@keelson/protocol";
import { NO_OUTPUT, type ModelRequest } from "@keelson/engine";
import { fitIds, idsIn, MESSAGES_IDS, newCallId } from "../fit/ids.ts";
import { fitNames, RESPONSES_NAMES as MESSAGES_NAMES, type FittedNames } from "../fit/names.ts";
import { bareId } from "../profiles/profiles.ts";
import { withOwnThinking } from "../fit/own-thinking.ts";

export interface FittedRequest {
  readonly request: ModelRequest;
  /** Gives the calls of a reply their names back, and ids that the conversation does not have. */
  restore(event: StreamEvent): StreamEvent;
}

/** `isOwn` says whether a reply of this name came from the model that is asked. */
export function fitRequest(
  asked: ModelRequest,
  isOwn = (model: string) => bareId(model) === bareId(asked.model),
): FittedRequest {
  const request = withOwnThinking(asked, isOwn);
  const names = fitNames(request.tools, MESSAGES_NAMES);
  // A request with server tools is a search, and every reply in it is from this server.
  const known = request.serverTools
    ? request.messages
    : alternating(request.messages.flatMap((message) => fitMessage(message, names)));
  const tools = request.tools.map((tool) => (names.out(tool.name) === tool.name ? tool : renamed(tool, names)));
  const { tool_choice: choice, ...rest } = request;
  const named = typeof choice?.["name"] === "string" ? { name: names.out(choice["name"]) } : {};
  const sent = {
    ...rest,
    messages: isSameList(known, request.messages) ? request.messages : known,
    tools,
    ...(choice && tools.length > 0 ? { tool_choice: { ...choice, ...named } } : {}),
  };
  let taken: Set<string> | undefined;
  return {
    request: sent,
    restore(event) {
      if (event.type !== "content_block_start" || !isToolUse(event.content_block)) return event;
      taken ??= idsIn(asked.messages);
      const { id, name } = event.content_block;
      const own = taken.has(id) ? newCallId() : id;
      taken.add(own);
      const full = names.in(name);
      return own === id && full === name
        ? event
        : { ...event, content_block: { ...event.content_block, id: own, name: full } };
    },
  };
}

const renamed = <T extends { readonly name: string }>(tool: T, names: FittedNames): T => ({
  ...tool,
  name: names.out(tool.name),
});

// How a message fits depends on nothing else, so every request with it gets the same object.
const fitted = new WeakMap<ModelMessage, readonly ModelMessage[]>();

function fitMessage(message: ModelMessage, names: FittedNames): readonly ModelMessage[] {
  const known = fitted.get(message);
  if (known) return known;
  const made = fitIds(usable(message, names), MESSAGES_IDS);
  fitted.set(message, made);
  return made;
}

/** None if nothing of the message can be sent. */
function usable(message: ModelMessage, names: FittedNames): readonly ModelMessage[] {
  if (typeof message.content === "string") return /\S/.test(message.content) ? [message] : [];
  if (message.content.every((block) => isUsable(block, names))) return [message];
  const blocks = message.content.flatMap((block) => (isUsable(block, names) ? [block] : usableBlock(block, names)));
  return blocks.length === 0 ? [] : [{ ...message, content: blocks }];
}

function isUsable(block: ContentBlock, names: FittedNames): boolean {
  if (isToolUse(block)) return names.out(block.name) === block.name;
  if (isToolResult(block)) return isFolded(block, "content") || block.content.length > 0;
  return !isBlank(block) && !isServed(block);
}

/** What is sent of a block that is not usable as it is. */
function usableBlock(block: ContentBlock, names: FittedNames): readonly ContentBlock[] {
  if (isToolUse(block)) return [renamed(block, names)];
  return isToolResult(block) ? [{ ...block, content: NO_OUTPUT }] : [];
}

/** Calls that a server carried out, and their results: other servers do not know them. */
function isServed({ type }: ContentBlock): boolean {
  return (
    type === "server_tool_use" || type === "mcp_tool_use" || (type !== "tool_result" && type.endsWith("_tool_result"))
  );
}

/** Neighbours of the same role become one message; results are in the order of their calls. */
function alternating(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const all: ModelMessage[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role === message.role)
      all[all.length - 1] = { ...message, content: [...blocksOf(last.content), ...blocksOf(message.content)] };
    else all.push(message);
  }
  return all.map((message, at) => (message.role === "user" && at > 0 ? sorted(message, all[at - 1]!) : message));
}

function sorted(message: ModelMessage, reply: ModelMessage): ModelMessage {
  if (typeof message.content === "string") return message;
  const results = message.content.filter(isToolResult);
  if (results.length === 0 || (results.length === 1 && isToolResult(message.content[0]!))) return message;
  const calls = blocksOf(reply.content).flatMap((block) => (isToolUse(block) ? [block.id] : []));
  const place = ({ tool_use_id: id }: ToolResultBlock) => (calls.includes(id) ? calls.indexOf(id) : calls.length);
  const content = [
    ...results.toSorted((a, b) => place(a) - place(b)),
    ...message.content.filter((one) => !isToolResult(one)),
  ];
  return isSameList(content, message.content) ? message : { ...message, content };
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((item, at) => item === b[at]);
