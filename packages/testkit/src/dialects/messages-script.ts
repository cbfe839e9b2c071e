// Scripted replies in the format of the Messages API, and what its requests say: for the clouds that speak it.

import {
  textPieces,
  thinkingStateOf,
  type DialectBlock,
  type DialectReply,
  type DialectUsage,
  type SeenPart,
  type SeenRequest,
} from "./script.ts";

const USAGE: DialectUsage = { input: 100, output: 20 };

/** The events of a stream; `block` is the block they belong to. */
export function messagesEvents(
  reply: DialectReply,
  number: number,
  model: string,
): { readonly data: object; readonly block?: number }[] {
  const whole = messagesReply(reply, number, model);
  return [
    { data: { type: "message_start", message: { ...whole, content: [], stop_reason: null } } },
    ...reply.blocks.flatMap((block, index) =>
      blockEvents(block, index, number).map((event) => ({ data: { ...event, index }, block: index })),
    ),
    {
      data: {
        type: "message_delta",
        delta: { stop_reason: whole.stop_reason, stop_sequence: null },
        usage: { output_tokens: whole.usage.output_tokens },
      },
    },
    { data: { type: "message_stop" } },
  ];
}

export function messagesReply(reply: DialectReply, number: number, model: string) {
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content: reply.blocks.map((block, at) => contentBlock(block, number, at)),
    stop_reason: reply.stop ?? (reply.blocks.some((block) => "call" in block) ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: usageOf(reply.usage ?? USAGE),
  };
}

function contentBlock(block: DialectBlock, number: number, at: number): object {
  if ("text" in block) return { type: "text", text: block.text };
  if ("thinking" in block)
    return { type: "thinking", thinking: block.thinking, signature: thinkingStateOf(number, at) };
  const { name, input, id = `toolu_${number}_${at}` } = block.call;
  return { type: "tool_use", id, name, input };
}

function blockEvents(block: DialectBlock, at: number, number: number): object[] {
  const start = (content_block: object) => ({ type: "content_block_start", content_block });
  const delta = (value: object) => ({ type: "content_block_delta", delta: value });
  const stop = { type: "content_block_stop" };
  if ("text" in block)
    return [
      start({ type: "text", text: "" }),
      ...textPieces(block.text).map((text) => delta({ type: "text_delta", text })),
      stop,
    ];
  if ("thinking" in block)
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      ...textPieces(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })),
      delta({ type: "signature_delta", signature: thinkingStateOf(number, at) }),
      stop,
    ];
  const { name, input, broken, id = `toolu_${number}_${at}` } = block.call;
  const pieces = textPieces(broken ?? JSON.stringify(input));
  return [
    start({ type: "tool_use", id, name, input: {} }),
    ...pieces.map((partial_json) => delta({ type: "input_json_delta", partial_json })),
    stop,
  ];
}

function usageOf({ input, cacheRead = 0, cacheWrite = 0, output }: DialectUsage) {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

/** What a request says, apart from its model. */
export function messagesParts(body: any): Pick<SeenRequest, "system" | "tools" | "maxTokens" | "parts"> {
  return {
    system: (body.system ?? []).map(({ text }: any) => text).join("\n"),
    tools: (body.tools ?? []).map(({ name }: any) => name),
    maxTokens: body.max_tokens,
    parts: body.messages.flatMap(({ role, content }: any) =>
      typeof content === "string"
        ? [{ from: role, text: content }]
        : content.flatMap((block: any) => partsOf(role, block)),
    ),
  };
}

function partsOf(from: "user" | "assistant", block: any): SeenPart[] {
  switch (block.type) {
    case "text":
      return [{ from, text: block.text }];
    case "image":
      return [{ from: "user", image: block.source.data }];
    case "document":
      return [{ from: "user", document: block.source.data }];
    case "thinking":
      return [{ from: "assistant", state: block.signature }];
    case "tool_use":
      return [{ from: "assistant", call: { id: block.id, name: block.name, input: block.input } }];
    case "tool_result": {
      const blocks =
        typeof block.content === "string" ? [{ type: "text", text: block.content }] : (block.content ?? []);
      const inside: SeenPart[] = blocks.flatMap((one: any) => partsOf("user", one));
      const text = inside.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
      const media = inside.filter((part) => !("text" in part));
      const shown = text || (media.length > 0 ? "(media)" : "");
      return [
        { from: "tool", result: { id: block.tool_use_id, text: shown, isError: block.is_error === true } },
        ...media,
      ];
    }
    default:
      return [];
  }
}
