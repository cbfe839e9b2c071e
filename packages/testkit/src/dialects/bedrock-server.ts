// A scripted server that speaks Bedrock: signatures are checked, bodies of both APIs are judged as strictly as by the
// service, and replies come in its binary frames.

import { signatureProblem, type SigningKeys } from "./aws-signature.ts";
import { converseProblem, type ConverseLimits } from "./converse-rules.ts";
import { encodeEvent, encodeException } from "./event-frame.ts";
import { messagesBodyProblem } from "./messages-rules.ts";
import { messagesEvents, messagesParts, messagesReply } from "./messages-script.ts";
import {
  textPieces,
  thinkingStateOf,
  type DialectBlock,
  type DialectFailure,
  type DialectReply,
  type DialectScript,
  type DialectUsage,
  type ScriptedAnswer,
  type SeenPart,
} from "./script.ts";
import {
  startDialectServer,
  type DialectRequest,
  type DialectServer,
  type DialectServerOptions,
  type StreamFrame,
} from "./server.ts";

export interface BedrockServerOptions extends DialectServerOptions, ConverseLimits {
  /** Requests must be signed with these. */
  readonly keys?: SigningKeys;
  /** Requests must have this key. */
  readonly bearer?: string;
  /** Betas that the model does not know, and whether it knows `thinking.display`. */
  readonly refusesBetas?: boolean;
  /** Ids whose model reads the format of the Messages API; those with `anthropic.` if absent. */
  readonly isClaude?: (model: string) => boolean;
  /** Answers to other paths, such as the lists of models. */
  readonly other?: (request: DialectRequest) => ScriptedAnswer | undefined;
}

const PROMPT = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|converse|converse-stream)$/;
const STREAM = { "content-type": "application/vnd.amazon.eventstream" };
const USAGE: DialectUsage = { input: 100, output: 20 };

export function startBedrockServer(script: DialectScript, options: BedrockServerOptions = {}): Promise<DialectServer> {
  const isClaude = options.isClaude ?? ((model: string) => model.includes("anthropic."));
  const issued = new Set<string>();
  const isSignature = (text: string) => issued.has(text);
  return startDialectServer(
    {
      isPrompt: ({ method, path }) => method === "POST" && PROMPT.test(path),
      other(request) {
        const problem = accessProblem(request, options);
        return problem === undefined
          ? options.other?.(request)
          : refuse({ failure: "authentication_failed", message: problem });
      },
      problem(request) {
        const { model, action } = targetOf(request);
        const access = accessProblem(request, options);
        if (access !== undefined) return access;
        if (action.startsWith("converse")) {
          const streams = action === "converse-stream";
          return converseProblem(request.body, converseParts(request.body), { model, streams, isSignature }, options);
        }
        if (!isClaude(model)) return "Malformed input request: extraneous key [anthropic_version] is not permitted";
        return invokeProblem(request.body, options, isSignature);
      },
      refuse,
      read(request) {
        const { body } = request;
        const { model, action } = targetOf(request);
        if (!action.startsWith("converse")) return { model, ...messagesParts(body) };
        return {
          model,
          system: (body.system ?? []).flatMap(({ text }: any) => text ?? []).join("\n"),
          tools: (body.toolConfig?.tools ?? []).flatMap(({ toolSpec }: any) => toolSpec?.name ?? []),
          maxTokens: body.inferenceConfig?.maxTokens,
          parts: converseParts(body),
        };
      },
      reply(reply, request, number) {
        for (const at of reply.blocks.keys()) issued.add(thinkingStateOf(number, at));
        const { model, action } = targetOf(request);
        if (action === "converse") return { body: converseReply(reply, number) };
        if (action === "converse-stream") return { headers: STREAM, frames: converseFrames(reply, number) };
        // The service tells the vendor's name for the model.
        const name = model.replace(/^.*anthropic\./, "").replace(/-v\d+:\d+$/, "");
        if (action === "invoke") return { body: messagesReply(reply, number, name) };
        return {
          headers: STREAM,
          frames: messagesEvents(reply, number, name).map(({ data, block }) => ({ data: chunk(data), block })),
        };
      },
      errorFrame({ failure, message }) {
        const [, name, words] = ERRORS[failure];
        return encodeException(name[0]!.toLowerCase() + name.slice(1), message ?? words);
      },
    },
    script,
    options,
  );
}

function targetOf({ path }: DialectRequest) {
  const [, id = "", action = ""] = PROMPT.exec(path) ?? [];
  return { model: decodeURIComponent(id), action };
}

function accessProblem(request: DialectRequest, { keys, bearer }: BedrockServerOptions): string | undefined {
  if (keys) return signatureProblem(request, keys);
  if (bearer === undefined || request.headers["authorization"] === `Bearer ${bearer}`) return undefined;
  return "The bearer key is missing or wrong";
}

function invokeProblem(
  body: any,
  { refusesBetas = false }: BedrockServerOptions,
  isSignature: (text: string) => boolean,
): string | undefined {
  if (body.anthropic_version !== "bedrock-2023-05-31") return "anthropic_version: Field required";
  if (refusesBetas && body.anthropic_beta?.length > 0) return "invalid beta flag";
  if (refusesBetas && body.thinking?.display !== undefined) return "thinking.display: Extra inputs are not permitted";
  return messagesBodyProblem(body, { fields: ["anthropic_version", "anthropic_beta"], isSignature });
}

/** One event of the Messages API in a frame. */
function chunk(event: object): Uint8Array {
  const isLast = "type" in event && event.type === "message_stop";
  const metrics = { "amazon-bedrock-invocationMetrics": { inputTokenCount: 1, outputTokenCount: 1 } };
  const text = JSON.stringify(isLast ? { ...event, ...metrics } : event);
  return encodeEvent("chunk", { bytes: Buffer.from(text).toString("base64"), p: "abcdef" });
}

/** What a conversation says, block by block. */
function converseParts(body: any): SeenPart[] {
  return (body?.messages ?? []).flatMap(({ role, content }: any) =>
    (content ?? []).flatMap((block: any): SeenPart[] => {
      if (block.toolUse) {
        const { toolUseId: id, name, input } = block.toolUse;
        return [{ from: "assistant", call: { id, name, input } }];
      }
      if (block.reasoningContent) {
        const { reasoningText, redactedContent } = block.reasoningContent;
        return [{ from: "assistant", state: reasoningText?.signature ?? redactedContent }];
      }
      if (!block.toolResult) return contentParts(role, block);
      const { toolUseId: id, status, content: inside } = block.toolResult;
      const parts: SeenPart[] = inside.flatMap((part: any) => contentParts("user", part));
      const text = parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
      const media = parts.filter((part) => !("text" in part));
      return [
        {
          from: "tool",
          result: { id, text: text || (media.length > 0 ? "(media)" : ""), isError: status === "error" },
        },
        ...media,
      ];
    }),
  );
}

function contentParts(from: "user" | "assistant", { text, image, document }: any): SeenPart[] {
  if (text !== undefined) return [{ from, text }];
  if (image) return [{ from: "user", image: image.source.bytes }];
  return document ? [{ from: "user", document: document.source.bytes }] : [];
}

function converseFrames(reply: DialectReply, number: number): StreamFrame[] {
  const event = (name: string, payload: object): Uint8Array => encodeEvent(name, { ...payload, p: "abc" });
  const blocks = reply.blocks.map((block, at) =>
    [...blockEvents(block, at, number), ["contentBlockStop", {}] as const].map(([name, payload]) => ({
      data: event(name, { contentBlockIndex: at, ...payload }),
      block: at,
    })),
  );
  return [
    { data: event("messageStart", { role: "assistant" }) },
    ...(reply.interleaved ? interleave(blocks) : blocks.flat()),
    { data: event("messageStop", { stopReason: stopReasonOf(reply) }) },
    ...(reply.usage === null
      ? []
      : [{ data: event("metadata", { usage: converseUsage(reply.usage ?? USAGE), metrics: { latencyMs: 1 } }) }]),
  ];
}

function blockEvents(block: DialectBlock, at: number, number: number): (readonly [string, object])[] {
  const delta = (value: object) => ["contentBlockDelta", { delta: value }] as const;
  if ("text" in block) return textPieces(block.text).map((text) => delta({ text }));
  if ("thinking" in block)
    return [
      ...textPieces(block.thinking).map((text) => delta({ reasoningContent: { text } })),
      delta({ reasoningContent: { signature: thinkingStateOf(number, at) } }),
    ];
  const { name, id = `tooluse_${number}_${at}`, input, broken } = block.call;
  return [
    ["contentBlockStart", { start: { toolUse: { toolUseId: id, name } } }],
    ...textPieces(broken ?? JSON.stringify(input)).map((text) => delta({ toolUse: { input: text } })),
  ];
}

/** Blocks in turn, frame by frame. */
function interleave(blocks: readonly StreamFrame[][]): StreamFrame[] {
  const longest = Math.max(0, ...blocks.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => blocks.flatMap((frames) => frames.slice(at, at + 1))).flat();
}

function converseReply(reply: DialectReply, number: number): object {
  const content = reply.blocks.map((block, at) => {
    if ("text" in block) return { text: block.text };
    if ("thinking" in block)
      return { reasoningContent: { reasoningText: { text: block.thinking, signature: thinkingStateOf(number, at) } } };
    const { name, id = `tooluse_${number}_${at}`, input } = block.call;
    return { toolUse: { toolUseId: id, name, input } };
  });
  return {
    output: { message: { role: "assistant", content } },
    stopReason: stopReasonOf(reply),
    ...(reply.usage === null ? {} : { usage: converseUsage(reply.usage ?? USAGE) }),
    metrics: { latencyMs: 1 },
  };
}

function stopReasonOf({ stop, blocks }: DialectReply): string {
  if (stop === "max_tokens") return "max_tokens";
  if (stop === "refusal") return "content_filtered";
  return blocks.some((block) => "call" in block) ? "tool_use" : "end_turn";
}

/** Input is what was neither read from the cache nor written to it. */
function converseUsage({ input, cacheRead = 0, cacheWrite = 0, output }: DialectUsage): object {
  const inputTokens = input - cacheRead - cacheWrite;
  return {
    inputTokens,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  };
}

const ERRORS: Readonly<Record<DialectFailure["failure"], readonly [number, string, string]>> = {
  authentication_failed: [403, "UnrecognizedClientException", "The security token included in the request is invalid."],
  rate_limit: [429, "ThrottlingException", "Too many tokens, please wait before trying again."],
  billing_error: [400, "ServiceQuotaExceededException", "You have exceeded your quota."],
  overloaded: [503, "ServiceUnavailableException", "The service is not available."],
  server_error: [500, "InternalServerException", "The system encountered an unexpected error during processing."],
  model_not_found: [400, "ValidationException", "The provided model identifier is invalid."],
  prompt_too_long: [400, "ValidationException", "Input is too long for requested model."],
  timeout: [408, "ModelTimeoutException", "Model has timed out in processing the request."],
  invalid_request: [400, "ValidationException", "The request is not valid."],
};

function refuse({ failure, message, retryAfterSeconds }: DialectFailure): ScriptedAnswer {
  const [status, name, words] = ERRORS[failure];
  const wait: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return {
    status,
    headers: { "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`, ...wait },
    body: { message: message ?? words },
  };
}
