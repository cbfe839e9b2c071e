// A scripted server that speaks OpenAI's Chat Completions, as strict as the vendor's, with the habits of others to
// choose from.

import { chatProblem, type ChatRules } from "./chat-rules.ts";
import { errorOf, OPENAI_STATUS, openaiRefusal } from "./errors.ts";
import {
  textPieces,
  thinkingStateOf,
  type DialectBlock,
  type DialectReply,
  type DialectScript,
  type DialectUsage,
  type ScriptedAnswer,
  type SeenPart,
} from "../script.ts";
import {
  startDialectServer,
  type DialectRequest,
  type DialectServer,
  type DialectServerOptions,
  type StreamFrame,
} from "../server.ts";

export interface ChatServerOptions extends DialectServerOptions, ChatRules {
  /** Answers to other paths, such as `/v1/models`. */
  readonly other?: (request: DialectRequest) => ScriptedAnswer | undefined;
}

const USAGE: DialectUsage = { input: 100, output: 20 };

export function startChatServer(script: DialectScript, options: ChatServerOptions = {}): Promise<DialectServer> {
  return startDialectServer(
    {
      isPrompt: ({ method, path }) => method === "POST" && /\/chat\/completions(?:\?|$)/.test(path),
      other: options.other,
      problem: ({ body }) => chatProblem(body, options),
      refuse: openaiRefusal,
      read: ({ body }) => ({
        model: body.model,
        system: systemOf(body.messages),
        tools: (body.tools ?? []).map((tool: any) => tool.function.name),
        maxTokens: body.max_completion_tokens ?? body.max_tokens,
        parts: chatParts(body.messages),
      }),
      reply: (reply, { body }, number) =>
        body.stream === true
          ? { headers: { "content-type": "text/event-stream" }, frames: framesOf(reply, body, number, options) }
          : { body: wholeOf(reply, body, number, options) },
      errorFrame: (failure) => {
        const { message, code } = errorOf(failure);
        return sse({ error: { message, code: OPENAI_STATUS[failure.failure], metadata: { code } } });
      },
    },
    script,
    options,
  );
}

/** What a conversation says, message by message. */
export function chatParts(messages: readonly any[]): SeenPart[] {
  return messages.flatMap((message): SeenPart[] => {
    if (message.role === "tool") {
      const text = typeof message.content === "string" ? message.content : textOfParts(message.content);
      return [{ from: "tool", result: { id: message.tool_call_id, text, isError: false } }];
    }
    if (message.role === "assistant") {
      const state = message.reasoning_content ?? message.reasoning ?? stateIn(message.reasoning_details);
      return [
        ...(state === undefined ? [] : [{ from: "assistant" as const, state }]),
        ...(message.content ? [{ from: "assistant" as const, text: message.content }] : []),
        ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }: any) => ({
          from: "assistant" as const,
          call: { id, name, input: JSON.parse(input) },
        })),
      ];
    }
    if (message.role !== "user") return [];
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    return parts.map((part: any): SeenPart => {
      if (part.type === "image_url") return { from: "user", image: dataOf(part.image_url.url) };
      if (part.type === "file") return { from: "user", document: dataOf(part.file.file_data) };
      return { from: "user", text: part.text };
    });
  });
}

const dataOf = (url: string) => url.slice(url.indexOf(",") + 1);
const textOfParts = (parts: readonly any[]) => parts.map(({ text }) => text).join("");
const stateIn = (details: readonly any[] | undefined) => details?.find(({ signature }) => signature)?.signature;

function systemOf(messages: readonly any[]): string {
  const [first] = messages;
  if (first?.role !== "system" && first?.role !== "developer") return "";
  return typeof first.content === "string" ? first.content : textOfParts(first.content);
}

function framesOf(reply: DialectReply, body: any, number: number, options: ChatServerOptions): StreamFrame[] {
  const base = { id: `chatcmpl-${number}`, object: "chat.completion.chunk", created: 1, model: body.model };
  const wantsUsage = body.stream_options?.include_usage === true || options.mistral === true;
  const chunk = (delta: object, finish: string | null = null) =>
    sse({ ...base, choices: [{ index: 0, delta, finish_reason: finish }], ...(wantsUsage ? { usage: null } : {}) });
  const frames: StreamFrame[] = [{ data: chunk({ role: "assistant", content: "" }) }];
  const calls: StreamFrame[][] = [];
  let callIndex = 0;
  for (const [at, block] of reply.blocks.entries()) {
    const made = deltasOf(block, callIndex, `call_${number}_${at}`, thinkingStateOf(number, at), reply, options);
    const own = made.map((delta) => ({ data: chunk(delta), block: at }));
    if ("call" in block) {
      callIndex++;
      calls.push(own);
    } else frames.push(...own);
  }
  frames.push(...(reply.interleaved ? interleave(calls) : calls.flat()));
  frames.push({ data: chunk({}, finishOf(reply)) });
  if (wantsUsage && reply.usage !== null)
    frames.push({ data: sse({ ...base, choices: [], usage: usageOf(reply.usage ?? USAGE) }) });
  return [...frames, { data: "data: [DONE]\n\n" }];
}

function deltasOf(
  block: DialectBlock,
  index: number,
  id: string,
  state: string,
  { stop }: DialectReply,
  { thinking }: ChatServerOptions,
): object[] {
  if ("text" in block)
    return textPieces(block.text).map((text) => (stop === "refusal" ? { refusal: text } : { content: text }));
  if ("thinking" in block) {
    const pieces = textPieces(block.thinking);
    if (thinking === "tags")
      return [{ content: "<think>" }, ...pieces.map((text) => ({ content: text })), { content: "</think>\n\n" }];
    if (thinking === "reasoning_details") {
      const detail = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
      return [
        ...pieces.map((text) => ({ reasoning: text, reasoning_details: [{ ...detail, text }] })),
        { reasoning_details: [{ ...detail, signature: state }] },
      ];
    }
    return thinking ? pieces.map((text) => ({ [thinking]: text })) : [];
  }
  const [first = "", ...rest] = textPieces(block.call.broken ?? JSON.stringify(block.call.input));
  const { name } = block.call;
  return [
    { tool_calls: [{ index, id: block.call.id ?? id, type: "function", function: { name, arguments: "" } }] },
    ...[first, ...rest].map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}

function interleave(calls: readonly StreamFrame[][]): StreamFrame[] {
  const longest = Math.max(0, ...calls.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => calls.flatMap((frames) => frames.slice(at, at + 1))).flat();
}

function wholeOf(reply: DialectReply, body: any, number: number, { thinking }: ChatServerOptions): object {
  const texts = reply.blocks.flatMap((block) => ("text" in block ? [block.text] : []));
  const thoughts = reply.blocks.flatMap((block, at) =>
    "thinking" in block ? [{ text: block.thinking, state: thinkingStateOf(number, at) }] : [],
  );
  const calls = reply.blocks.flatMap((block, at) =>
    "call" in block
      ? [
          {
            id: block.call.id ?? `call_${number}_${at}`,
            type: "function",
            function: { name: block.call.name, arguments: block.call.broken ?? JSON.stringify(block.call.input) },
          },
        ]
      : [],
  );
  const said = texts.join("");
  const thought = thoughts.map(({ text }) => text).join("");
  const details = thoughts.map(({ text, state }, index) => ({
    type: "reasoning.text",
    format: "anthropic-claude-v1",
    index,
    text,
    signature: state,
  }));
  const isShown = thought !== "" && thinking !== undefined && thinking !== "tags";
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1,
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content:
            said === "" || reply.stop === "refusal"
              ? null
              : (thinking === "tags" && thought ? `<think>${thought}</think>\n\n` : "") + said,
          refusal: reply.stop === "refusal" ? said : null,
          ...(isShown && thinking !== "reasoning_details" ? { [thinking]: thought } : {}),
          ...(isShown && thinking === "reasoning_details" ? { reasoning: thought, reasoning_details: details } : {}),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        finish_reason: finishOf(reply),
      },
    ],
    ...(reply.usage === null ? {} : { usage: usageOf(reply.usage ?? USAGE) }),
  };
}

function finishOf({ stop, blocks }: DialectReply): string {
  if (stop === "max_tokens") return "length";
  if (stop === "refusal") return blocks.length === 0 ? "content_filter" : "stop";
  return blocks.some((block) => "call" in block) ? "tool_calls" : "stop";
}

function usageOf({ input, cacheRead = 0, cacheWrite = 0, output, reasoning = 0 }: DialectUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite ? { cache_write_tokens: cacheWrite } : {}) },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

const sse = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
