// A scripted server that speaks Gemini's generateContent, as strict as the vendor's. Vertex answers the same at other
// paths.

import { geminiProblem, type GeminiRules } from "./gemini-rules.ts";
import {
  textPieces,
  thinkingStateOf,
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
  type DialectRules,
  type DialectServer,
  type DialectServerOptions,
  type StreamFrame,
} from "./server.ts";

export interface GeminiServerOptions extends DialectServerOptions, Pick<GeminiRules, "old" | "plainResults"> {
  /** The server's name for the model, if the one in the path does not tell what it needs. */
  readonly realModel?: string;
  /** Gives ids to calls, and wants them back. */
  readonly ids?: boolean;
  /** Answers to other paths, such as the list of models. */
  readonly other?: (request: DialectRequest) => ScriptedAnswer | undefined;
  /** What the vendor would find wrong with the headers or the path. */
  readonly access?: (request: DialectRequest) => string | undefined;
}

const USAGE: DialectUsage = { input: 100, output: 20 };
const PROMPT = /\/models\/([^/:]+):(streamGenerateContent|generateContent)(?:\?|$)/;

export function startGeminiServer(script: DialectScript, options: GeminiServerOptions = {}): Promise<DialectServer> {
  return startDialectServer({ ...geminiRules({ access: withKey, ...options }), other: options.other }, script, options);
}

function withKey({ path, headers }: DialectRequest): string | undefined {
  if (/[?&]key=/.test(path)) return "The key must not be in the address";
  return headers["x-goog-api-key"] ? undefined : "Method doesn't allow unregistered callers";
}

export function geminiRules(options: GeminiServerOptions): DialectRules {
  const issued = new Set<string>();
  const modelOf = ({ path }: DialectRequest) => decodeURIComponent(PROMPT.exec(path)?.[1] ?? "");
  return {
    isPrompt: ({ method, path }) => method === "POST" && PROMPT.test(path),
    problem: (request) => {
      const model = options.realModel ?? modelOf(request);
      const isStream = request.path.includes(":streamGenerateContent");
      if (isStream !== /[?&]alt=sse/.test(request.path)) return "alt=sse belongs to streams, and only to them";
      const isSignature = (signature: string) => issued.has(signature);
      return options.access?.(request) ?? geminiProblem(request.body, { ...options, model, isSignature });
    },
    refuse: googleRefusal,
    read: ({ path, body, ...rest }) => ({
      model: modelOf({ path, body, ...rest }),
      system: (body.systemInstruction?.parts ?? []).map(({ text }: any) => text).join("\n"),
      tools: (body.tools ?? []).flatMap((tool: any) => tool.functionDeclarations.map(({ name }: any) => name)),
      maxTokens: body.generationConfig?.maxOutputTokens,
      parts: geminiParts(body.contents),
    }),
    reply: (reply, request, number) => {
      const chunks = chunksOf(reply, request, number, options, issued);
      if (!request.path.includes(":streamGenerateContent")) return { body: joined(chunks.map(({ data }) => data)) };
      const frames = chunks.map(({ data, block }): StreamFrame => ({ data: sse(data), block }));
      return { headers: { "content-type": "text/event-stream" }, frames };
    },
    errorFrame: (failure) => sse(googleError(failure)),
  };
}

/** What a conversation says. A signature is a state before its call. */
export function geminiParts(contents: readonly any[]): SeenPart[] {
  return contents.flatMap(({ role, parts }) =>
    parts.flatMap((part: any): SeenPart[] => {
      const { text, inlineData, functionCall, functionResponse, thoughtSignature: state } = part;
      if (inlineData) return [media(inlineData)];
      if (functionResponse) {
        const { id = "", response, parts: shown = [] } = functionResponse;
        const isError = response.error !== undefined;
        const result = { id, text: response.error ?? response.output, isError };
        return [{ from: "tool", result }, ...shown.map(({ inlineData: data }: any) => media(data))];
      }
      if (!functionCall) return [{ from: role === "user" ? "user" : "assistant", text }];
      const { id = "", name, args } = functionCall;
      return [
        ...(state && state !== "skip_thought_signature_validator" ? [{ from: "assistant" as const, state }] : []),
        { from: "assistant", call: { id, name, input: args } },
      ];
    }),
  );
}

function media({ mimeType, data }: any): SeenPart {
  return mimeType === "application/pdf" ? { from: "user", document: data } : { from: "user", image: data };
}

interface Chunk {
  readonly data: any;
  readonly block?: number;
}

function chunksOf(
  reply: DialectReply,
  request: DialectRequest,
  number: number,
  { ids }: GeminiServerOptions,
  issued: Set<string>,
): Chunk[] {
  const model = decodeURIComponent(PROMPT.exec(request.path)?.[1] ?? "");
  const usage = reply.usage === null ? {} : { usageMetadata: usageOf(reply.usage ?? USAGE) };
  const chunk = (parts: readonly object[], finish?: string) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finish ? { finishReason: finish } : {}) }],
    ...usage,
    modelVersion: model,
    responseId: `response-${number}`,
  });
  const isThinking = !/gemini-[12]\.?0?-/.test(model);
  let isFirst = true;
  const chunks = reply.blocks.flatMap((block, at): Chunk[] => {
    if ("text" in block) return textPieces(block.text).map((text) => ({ data: chunk([{ text }]), block: at }));
    if ("thinking" in block)
      return textPieces(block.thinking).map((text) => ({ data: chunk([{ text, thought: true }]), block: at }));
    const { name, input, id = `call-${number}-${at}` } = block.call;
    const before = reply.blocks[at - 1];
    const signature = thinkingStateOf(number, before && "thinking" in before ? at - 1 : at);
    const sign = isFirst && isThinking ? { thoughtSignature: signature } : {};
    if (isFirst && isThinking) issued.add(signature);
    isFirst = false;
    const call = { ...(ids || block.call.id ? { id } : {}), name, args: input };
    return [{ data: chunk([{ functionCall: call, ...sign }]), block: at }];
  });
  // A signature without calls is on an empty text in the last chunk.
  const last = isFirst && isThinking ? [{ text: "", thoughtSignature: "unchecked" }] : [];
  return [...chunks, { data: chunk(last, FINISH[reply.stop ?? "end"]) }];
}

const FINISH: Readonly<Record<string, string>> = { max_tokens: "MAX_TOKENS", refusal: "SAFETY", end: "STOP" };

function joined(chunks: readonly any[]): object {
  const last = chunks.at(-1);
  const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
  return { ...last, candidates: [{ ...last.candidates[0], content: { role: "model", parts } }] };
}

function usageOf({ input, cacheRead, output, reasoning = 0 }: DialectUsage): object {
  return {
    promptTokenCount: input,
    ...(cacheRead ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: input + output,
  };
}

const ERRORS: Readonly<Record<DialectFailure["failure"], readonly [number, string, string]>> = {
  authentication_failed: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  rate_limit: [429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  billing_error: [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  server_error: [500, "INTERNAL", "An internal error has occurred."],
  model_not_found: [404, "NOT_FOUND", "models/x is not found for API version v1beta."],
  prompt_too_long: [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  timeout: [504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
  invalid_request: [400, "INVALID_ARGUMENT", "Request contains an invalid argument."],
};

function googleError({ failure, message, retryAfterSeconds }: DialectFailure): object {
  const [code, status, words] = ERRORS[failure];
  const type = "type.googleapis.com/google.rpc.";
  const details = [
    ...(failure === "authentication_failed" ? [{ "@type": `${type}ErrorInfo`, reason: "API_KEY_INVALID" }] : []),
    ...(failure === "billing_error"
      ? [
          {
            "@type": `${type}QuotaFailure`,
            violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
          },
        ]
      : []),
    ...(retryAfterSeconds === undefined ? [] : [{ "@type": `${type}RetryInfo`, retryDelay: `${retryAfterSeconds}s` }]),
  ];
  return { error: { code, message: message ?? words, status, ...(details.length > 0 ? { details } : {}) } };
}

export function googleRefusal(failure: DialectFailure): { readonly status: number; readonly body: object } {
  return { status: ERRORS[failure.failure][0], body: googleError(failure) };
}

const sse = (data: object) => `data: ${JSON.stringify(data)}\r\n\r\n`;
