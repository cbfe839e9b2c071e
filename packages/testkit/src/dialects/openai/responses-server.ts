// A scripted server that speaks OpenAI's Responses, as strict as the vendor's.

import { errorOf, openaiRefusal } from "./errors.ts";
import { responsesProblem, type GivenReasoning } from "./responses-rules.ts";
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

export interface ResponsesServerOptions extends DialectServerOptions {
  /** Answers to other paths, such as `/v1/models`. Tokens are counted if it does not answer that. */
  readonly other?: (request: DialectRequest) => ScriptedAnswer | undefined;
}

const USAGE: DialectUsage = { input: 100, output: 20 };

export function startResponsesServer(
  script: DialectScript,
  options: ResponsesServerOptions = {},
): Promise<DialectServer> {
  const given = new Map<string, GivenReasoning>();
  return startDialectServer(
    {
      isPrompt: ({ method, path }) => method === "POST" && /\/responses(?:\?|$)/.test(path),
      other: (request) => options.other?.(request) ?? counted(request),
      problem: ({ body }) => responsesProblem(body, given),
      refuse: (failure) => {
        const isForeign = failure.message?.startsWith("invalid_encrypted_content: ");
        if (!isForeign) return openaiRefusal(failure);
        const message = failure.message!.slice("invalid_encrypted_content: ".length);
        const error = { ...errorOf({ ...failure, message }), code: "invalid_encrypted_content" };
        return { status: 400, body: { error } };
      },
      read: ({ body }) => ({
        model: body.model,
        system: body.instructions ?? "",
        tools: (body.tools ?? []).map(({ name }: any) => name),
        maxTokens: body.max_output_tokens,
        parts: responsesParts(body.input),
      }),
      reply(reply, { body }, number) {
        const items = reply.blocks.map((block, at) => itemOf(block, number, at, reply));
        for (const [at, item] of items.entries())
          if (item.type === "reasoning") given.set(item.id, { item, next: items[at + 1] as never });
        const response = { ...responseOf(reply, items, number), model: body.model };
        if (body.stream !== true) return { body: response };
        return { headers: { "content-type": "text/event-stream" }, frames: framesOf(reply, items, response) };
      },
      errorFrame: (failure) => {
        const { message, code } = errorOf(failure);
        return sse({ type: "error", code: code ?? "server_error", message, param: null, sequence_number: 99 });
      },
    },
    script,
    options,
  );
}

function counted({ method, path, body }: DialectRequest): ScriptedAnswer | undefined {
  if (method !== "POST" || !path.endsWith("/responses/input_tokens")) return undefined;
  return { status: 200, body: { object: "response.input_tokens", input_tokens: JSON.stringify(body).length } };
}

/** What the items of an input say, in order. */
export function responsesParts(input: readonly any[]): SeenPart[] {
  return input.flatMap((item): SeenPart[] => {
    if (item.type === "reasoning") return [{ from: "assistant", state: item.encrypted_content }];
    if (item.type === "function_call")
      return [{ from: "assistant", call: { id: item.call_id, name: item.name, input: JSON.parse(item.arguments) } }];
    if (item.type === "function_call_output") {
      const parts = typeof item.output === "string" ? [{ type: "input_text", text: item.output }] : item.output;
      const text = parts.map((part: any) => part.text ?? "[picture or file]").join("\n");
      return [
        { from: "tool", result: { id: item.call_id, text, isError: false } },
        ...userParts(parts.filter(({ type }: any) => type !== "input_text")),
      ];
    }
    if (item.role === "user") return userParts(item.content);
    return item.content.map(({ text }: any) => ({ from: "assistant", text }));
  });
}

function userParts(parts: readonly any[]): SeenPart[] {
  const dataOf = (url: string) => url.slice(url.indexOf(",") + 1);
  return parts.map((part): SeenPart => {
    if (part.type === "input_image") return { from: "user", image: dataOf(part.image_url) };
    if (part.type === "input_file") return { from: "user", document: dataOf(part.file_data) };
    return { from: "user", text: part.text };
  });
}

function itemOf(block: DialectBlock, number: number, at: number, { stop }: DialectReply): any {
  const own = `${number}_${at}`;
  if ("thinking" in block) {
    const encrypted_content = thinkingStateOf(number, at);
    return { id: `rs_${own}`, type: "reasoning", summary: summaryOf(block.thinking), encrypted_content };
  }
  if ("text" in block) {
    const part =
      stop === "refusal"
        ? { type: "refusal", refusal: block.text }
        : { type: "output_text", text: block.text, annotations: [] };
    return { id: `msg_${own}`, type: "message", role: "assistant", status: "completed", content: [part] };
  }
  const { id, name, input, broken } = block.call;
  return {
    id: `fc_${own}`,
    type: "function_call",
    status: "completed",
    call_id: id ?? `call_${own}`,
    name,
    arguments: broken ?? JSON.stringify(input),
  };
}

const summaryOf = (text: string) =>
  text === "" ? [] : text.split("\n\n").map((part) => ({ type: "summary_text", text: part }));

function responseOf({ stop, blocks, usage }: DialectReply, items: readonly object[], number: number): any {
  const isCut = stop === "max_tokens";
  const isFiltered = stop === "refusal" && blocks.length === 0;
  return {
    id: `resp_${number}`,
    object: "response",
    status: isCut || isFiltered ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : isFiltered ? { reason: "content_filter" } : null,
    error: null,
    output: items,
    usage: usage === null ? null : usageOf(usage ?? USAGE),
  };
}

function usageOf({ input, cacheRead = 0, cacheWrite = 0, output, reasoning = 0 }: DialectUsage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite ? { cache_write_tokens: cacheWrite } : {}) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function framesOf({ interleaved }: DialectReply, items: readonly any[], response: any): StreamFrame[] {
  let sequence_number = 0;
  const event = (type: string, fields: object) => sse({ type, sequence_number: sequence_number++, ...fields });
  const empty = { ...response, status: "in_progress", output: [], usage: null };
  const start = [event("response.created", { response: empty }), event("response.in_progress", { response: empty })];
  const perItem = items.map((item, output_index) =>
    eventsOf(item, output_index).map(([type, fields]) => ({
      data: event(type, { output_index, ...fields }),
      ...(type.endsWith(".delta") ? { block: output_index } : {}),
    })),
  );
  const isCall = (at: number) => items[at].type === "function_call";
  const calls = perItem.filter((_, at) => isCall(at));
  const longest = Math.max(0, ...calls.map(({ length }) => length));
  const mixed = Array.from({ length: longest }, (_, at) => calls.flatMap((frames) => frames.slice(at, at + 1)));
  return [
    ...start.map((data) => ({ data })),
    ...(interleaved ? [...perItem.filter((_, at) => !isCall(at)), ...mixed] : perItem).flat(),
    { data: event(`response.${response.status}`, { response }) },
  ];
}

/** The events of one item. What is encrypted is complete only at its end. */
function eventsOf(item: any, output_index: number): [string, object][] {
  const item_id = item.id;
  const done: [string, object] = ["response.output_item.done", { item }];
  const added = (fields: object): [string, object] => ["response.output_item.added", { item: { ...item, ...fields } }];
  if (item.type === "reasoning")
    return [
      added({ summary: [], encrypted_content: "partial" }),
      ...item.summary.flatMap((part: any, summary_index: number) => [
        ["response.reasoning_summary_part.added", { item_id, summary_index, part: { type: "summary_text", text: "" } }],
        ...textPieces(part.text).map((delta) => [
          "response.reasoning_summary_text.delta",
          { item_id, summary_index, delta },
        ]),
        ["response.reasoning_summary_part.done", { item_id, summary_index, part }],
      ]),
      done,
    ];
  if (item.type === "message") {
    const [part] = item.content;
    const type = part.type === "refusal" ? "response.refusal.delta" : "response.output_text.delta";
    const place = { item_id, content_index: 0 };
    return [
      added({ content: [], status: "in_progress" }),
      [
        "response.content_part.added",
        { ...place, part: { ...part, [part.type === "refusal" ? "refusal" : "text"]: "" } },
      ],
      ...textPieces(part.refusal ?? part.text).map((delta): [string, object] => [type, { ...place, delta }]),
      ["response.content_part.done", { ...place, part }],
      done,
    ];
  }
  return [
    added({ arguments: "", status: "in_progress" }),
    ...textPieces(item.arguments).map((delta): [string, object] => [
      "response.function_call_arguments.delta",
      { item_id, output_index, delta },
    ]),
    ["response.function_call_arguments.done", { item_id, output_index, arguments: item.arguments }],
    done,
  ];
}

const sse = (data: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
