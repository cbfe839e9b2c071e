// A scripted server that speaks Vertex AI: Claude through rawPredict, in the format of the Messages API, and Gemini
// through generateContent.

import { geminiRules, googleRefusal } from "./gemini-server.ts";
import { messagesBodyProblem } from "./messages-rules.ts";
import { messagesEvents, messagesParts, messagesReply } from "./messages-script.ts";
import { thinkingStateOf, type DialectFailure, type DialectScript, type ScriptedAnswer } from "./script.ts";
import {
  startDialectServer,
  type DialectRequest,
  type DialectRules,
  type DialectServer,
  type DialectServerOptions,
} from "./server.ts";

export interface VertexServerOptions extends DialectServerOptions {
  /** The token that requests must have; none if absent. */
  readonly token?: string;
  /** Tokens that are good as well. */
  readonly tokens?: readonly string[];
  readonly project: string;
  readonly region: string;
  /** The shape of errors for Claude. Gemini's are always Google's. */
  readonly errors?: "google" | "messages";
  /** Answers to other paths, such as the number of tokens. */
  readonly other?: (request: DialectRequest) => ScriptedAnswer | undefined;
}

const CLAUDE = /\/publishers\/anthropic\/models\/(?!count-tokens:)([^/:]+):(streamRawPredict|rawPredict)$/;

export function startVertexServer(script: DialectScript, options: VertexServerOptions): Promise<DialectServer> {
  const gemini = geminiRules({ ...options, access: (request) => accessProblem(request, options) });
  const claude = claudeRules(options);
  let latest = gemini;
  const rulesFor = (request: DialectRequest) => (latest = claude.isPrompt(request) ? claude : gemini);
  return startDialectServer(
    {
      isPrompt: (request) => rulesFor(request).isPrompt(request),
      other: options.other,
      problem: (request) => rulesFor(request).problem(request),
      read: (request) => rulesFor(request).read(request),
      reply: (reply, request, number) => rulesFor(request).reply(reply, request, number),
      // Both follow a request in the same turn of the loop.
      refuse: (failure) => latest.refuse(failure),
      errorFrame: (failure) => latest.errorFrame(failure),
    },
    script,
    options,
  );
}

function accessProblem(
  { path, headers }: DialectRequest,
  { token, tokens = [], project, region }: VertexServerOptions,
) {
  const good = [...(token === undefined ? [] : [token]), ...tokens].map((each) => `Bearer ${each}`);
  const sent = headers["authorization"];
  if (sent === undefined ? good.length > 0 : !good.includes(sent))
    return "Request had invalid authentication credentials.";
  if (headers["x-api-key"] ?? headers["x-goog-api-key"]) return "A key is not a way to authorize here.";
  if (!path.startsWith(`/v1/projects/${project}/locations/${region}/publishers/`)) return `Invalid resource: ${path}`;
  return undefined;
}

function claudeRules(options: VertexServerOptions): DialectRules {
  const issued = new Set<string>();
  const modelOf = ({ path }: DialectRequest) => CLAUDE.exec(path)?.[1] ?? "";
  const inMessages = options.errors === "messages";
  return {
    isPrompt: ({ method, path }) => method === "POST" && CLAUDE.test(path.replace(/\?.*$/, "")),
    problem(request) {
      const { body, headers, path } = request;
      const isStream = path.endsWith(":streamRawPredict");
      const access = accessProblem(request, options);
      if (access !== undefined) return access;
      if (path.includes("?")) return "Unknown query parameter";
      if (body.anthropic_version !== "vertex-2023-10-16") return "anthropic_version: Field required";
      if (body.stream !== (isStream ? true : undefined)) return "stream: does not fit the method";
      if (headers["anthropic-beta"]?.includes("context-management")) return "Unexpected value for anthropic-beta";
      const isSignature = (text: string) => issued.has(text);
      return messagesBodyProblem(body, { fields: ["anthropic_version", "stream"], isSignature });
    },
    refuse: (failure) => (inMessages ? messagesRefusal(failure) : googleRefusal(failure)),
    read: (request) => ({ model: modelOf(request), ...messagesParts(request.body) }),
    reply(reply, request, number) {
      for (const at of reply.blocks.keys()) issued.add(thinkingStateOf(number, at));
      // The server tells the vendor's name for the model.
      const model = modelOf(request).replace("@", "-");
      if (request.path.endsWith(":rawPredict")) return { body: messagesReply(reply, number, model) };
      const frames = messagesEvents(reply, number, model).map(({ data, block }) => ({ data: sse(data), block }));
      return { headers: { "content-type": "text/event-stream" }, frames };
    },
    errorFrame: (failure) => sse((inMessages ? messagesRefusal(failure) : googleRefusal(failure)).body as object),
  };
}

const ERRORS: Readonly<Record<DialectFailure["failure"], readonly [number, string, string]>> = {
  authentication_failed: [401, "authentication_error", "invalid token"],
  rate_limit: [429, "rate_limit_error", "Number of requests has exceeded your limit"],
  billing_error: [400, "billing_error", "Your credit balance is too low"],
  overloaded: [529, "overloaded_error", "Overloaded"],
  server_error: [500, "api_error", "Internal server error"],
  model_not_found: [404, "not_found_error", "model: x"],
  prompt_too_long: [400, "invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum"],
  timeout: [504, "timeout_error", "Timeout"],
  invalid_request: [400, "invalid_request_error", "messages: Field required"],
};

function messagesRefusal({ failure, message, retryAfterSeconds }: DialectFailure) {
  const [status, type, words] = ERRORS[failure];
  return {
    status,
    headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    body: { type: "error", error: { type, message: message ?? words } },
  };
}

const sse = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
