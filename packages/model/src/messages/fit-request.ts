// Makes a request legal for a cloud that speaks the Messages API, wherever the conversation comes from: ids and names of
// other servers, what the vendor's own tools left behind, and the order of results.

import {
  blocksOf,
  isBlank,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
  type StreamEvent,
  type ToolResultBlock,
} from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import { fitIds, MESSAGES_IDS } from "../fit/ids.ts";
import { fitNames, RESPONSES_NAMES, type FittedNames } from "../fit/names.ts";

export interface MessagesFit {
  readonly request: ModelRequest;
  /** Gives the calls of a reply the full names of their tools. */
  restore(event: StreamEvent): StreamEvent;
}

/** Fits requests. The same message gives the same object, so that its bytes stay known. */
export class MessagesFitter {
  readonly #fitted = new WeakMap<
    ModelMessage,
    { readonly after: string; readonly message: ModelMessage | undefined }
  >();

  fit(asked: ModelRequest): MessagesFit {
    const names = fitNames(asked.tools, RESPONSES_NAMES);
    const tools = asked.tools.map((tool) => {
      const name = names.out(tool.name);
      return name === tool.name ? tool : { ...tool, name };
    });
    const { tool_choice: choice, ...rest } = asked;
    const given = choice?.["name"];
    const tool_choice = typeof given === "string" ? { ...choice, name: names.out(given) } : choice;
    const request: ModelRequest = {
      ...rest,
      tools,
      messages: this.#messages(asked.messages, names),
      ...(tool_choice && tools.length > 0 ? { tool_choice } : {}),
    };
    return { request, restore: (event) => restored(event, names) };
  }

  #messages(messages: readonly ModelMessage[], names: FittedNames): readonly ModelMessage[] {
    let calls: readonly string[] = [];
    const fit = messages.flatMap((message) => {
      const after = calls.join();
      const known = this.#fitted.get(message);
      const fitted = known?.after === after ? known.message : fittedMessage(message, calls, names);
      this.#fitted.set(message, { after, message: fitted });
      calls = blocksOf(message.content)
        .filter(isToolUse)
        .map(({ id }) => id);
      return fitted ? [fitted] : [];
    });
    return withoutNeighbours(fit);
  }
}

/** Where the reply between them was left out, two messages of the user become one. */
function withoutNeighbours(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const isNeighbour = ({ role }: ModelMessage, at: number) => role === "user" && messages[at - 1]?.role === "user";
  if (!messages.some(isNeighbour)) return messages;
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== "user" || message.role !== "user") joined.push(message);
    else
      joined[joined.length - 1] = { role: "user", content: [...blocksOf(last.content), ...blocksOf(message.content)] };
  }
  return joined;
}

/** The same object if nothing has to change; undefined if nothing is left. */
function fittedMessage(message: ModelMessage, calls: readonly string[], names: FittedNames): ModelMessage | undefined {
  if (typeof message.content === "string") return message;
  const kept = inCallOrder(message.content.filter(isUsable), calls).map((block) => {
    if (isToolResult(block)) return withoutBlankResult(block);
    if (!isToolUse(block)) return block;
    const name = names.out(block.name);
    return name === block.name ? block : { ...block, name };
  });
  if (kept.length === 0) return undefined;
  const isSame = kept.length === message.content.length && kept.every((block, at) => block === message.content[at]);
  return fitIds([isSame ? message : { ...message, content: kept }], MESSAGES_IDS)[0];
}

/** Blocks of the vendor's own tools mean nothing elsewhere. */
function isUsable(block: ContentBlock): boolean {
  return (
    !isBlank(block) && (isToolResult(block) || !/^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/.test(block.type))
  );
}

function inCallOrder(blocks: readonly ContentBlock[], calls: readonly string[]): readonly ContentBlock[] {
  const results = blocks.filter(isToolResult);
  if (results.length === 0) return blocks;
  const place = ({ tool_use_id: id }: (typeof results)[number]) =>
    calls.includes(id) ? calls.indexOf(id) : calls.length;
  return [...results.toSorted((a, b) => place(a) - place(b)), ...blocks.filter((block) => !isToolResult(block))];
}

function withoutBlankResult(block: ToolResultBlock): ToolResultBlock {
  const content = blocksOf(block.content).filter((part) => !isBlank(part));
  if (content.length === 0) return { ...block, content: "(no output)" };
  return content.length === blocksOf(block.content).length ? block : { ...block, content };
}

function restored(event: StreamEvent, names: FittedNames): StreamEvent {
  if (event.type !== "content_block_start" || !isToolUse(event.content_block)) return event;
  const { content_block: call } = event;
  const name = names.in(call.name);
  return name === call.name ? event : { ...event, content_block: { ...call, name } };
}
