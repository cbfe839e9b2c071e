// Claude on Bedrock: requests and replies of the Messages API, at other addresses and in other frames.

import { isObject, type JsonObject, type StreamEvent } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import { countTokensBody } from "../messages/body.ts";
import type { DialectOptions } from "../dialect.ts";
import type { HttpCall } from "../http/http-call.ts";
import { betasOf, type Caller } from "../messages/headers.ts";
import { withKnownReferences } from "../messages/loaded-tools.ts";
import { fitRequest } from "../messages/fit.ts";
import { messagesProvider, type MessagesVariant } from "../messages/provider.ts";
import { parseEvent, readEvents } from "../messages/reply/read-reply.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import type { Server } from "../http/server.ts";
import { countThrough } from "./count-tokens.ts";
import { bedrockError } from "./errors.ts";
import { readNamedEvents } from "./wire/frames.ts";
import { bedrockFamily, isOpaque } from "./model-id.ts";

const VERSION_FIELD = { anthropic_version: "bedrock-2023-05-31" };

export function invokeProvider(server: Server, options: Caller & Pick<DialectOptions, "extraBody">): PlainProvider {
  /** What stands behind ARNs that do not tell. */
  const models = new Map<string, string>();
  /** Models that refuse betas or how thinking is shown. */
  const plainOnly = new Set<string>();
  const family = (model: string) => bedrockFamily(models.get(model) ?? model);
  const inner = messagesProvider(server, variant(family, options.extraBody), options);

  async function* ask(
    asked: ModelRequest,
    wanted: "stream" | "plain",
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const { model } = asked;
    if (isOpaque(model) && !models.has(model)) {
      const last = asked.messages.findLast(({ reply }) => reply !== undefined)?.reply;
      if (last) models.set(model, last.model);
    }
    const request = plainOnly.has(model) ? withLess(asked) : asked;
    const less = withLess(request);
    try {
      return yield* remembering(inner[wanted](request, signal), model);
    } catch (error) {
      const isRefused = error instanceof ModelError && error.kind === "invalid_request" && error.status === 400;
      if (!isRefused || less === request) throw error;
    }
    for await (const event of remembering(inner[wanted](less, signal), model)) {
      plainOnly.add(model);
      yield event;
    }
  }

  async function* remembering(events: AsyncIterable<ModelEvent>, model: string): AsyncGenerator<ModelEvent> {
    for await (const event of events) {
      if (event.type === "message_start" && isOpaque(model)) models.set(model, event.message.model);
      yield event;
    }
  }

  return {
    id: "bedrock",
    stream: (request, signal) => ask(request, "stream", signal),
    plain: (request, signal) => ask(request, "plain", signal),

    countTokens(asked, signal) {
      const { request } = fitRequest(
        withKnownReferences(asked, false),
        (model) => family(model) === family(asked.model),
      );
      // The service checks the body as that of a request for a reply.
      const extra = { ...bodyFields(request), max_tokens: request.max_tokens };
      const body = Buffer.from(countTokensBody(request, { omit: ["model"], extra })).toString("base64");
      return countThrough(server, request.model, { invokeModel: { body } }, signal);
    },
  };
}

function variant(family: (model: string) => string, extraBody: JsonObject | undefined): MessagesVariant {
  return {
    id: "bedrock",
    form(request, wanted) {
      if (wanted === "count") return undefined;
      const action = wanted === "stream" ? "invoke-with-response-stream" : "invoke";
      const inHeader = betasOf(request).filter(isHeaderBeta);
      return {
        path: `/model/${pathOf(request.model)}/${action}`,
        omit: ["model", "context_management"],
        extra: bodyFields(request, extraBody),
        headers: { "anthropic-beta": inHeader.length > 0 ? inHeader.join(",") : undefined },
        streamField: false,
      };
    },
    errorOf: bedrockError,
    family,
    readStream: readChunks,
  };
}

/** As the reference sends it: colons stay, slashes of an ARN do not. */
function pathOf(model: string): string {
  return encodeURIComponent(model).replaceAll("%3A", ":");
}

function bodyFields(request: ModelRequest, given: JsonObject = {}): JsonObject {
  const { context_management: _, ...rest } = request;
  const more = Array.isArray(given["anthropic_beta"]) ? given["anthropic_beta"] : [];
  const betas = [...new Set([...betasOf(rest).filter((beta) => !isHeaderBeta(beta)), ...more])];
  return { ...VERSION_FIELD, ...given, ...(betas.length > 0 ? { anthropic_beta: betas } : {}) };
}

const isHeaderBeta = (beta: string) => /^(?:claude-code|effort)/.test(beta);

/** The same request if there is nothing that an older model might refuse. */
function withLess(request: ModelRequest): ModelRequest {
  const { thinking } = request;
  const isShown = thinking?.["display"] !== undefined;
  if (request.betas.length === 0 && !isShown) return request;
  const { display: _, ...kept } = thinking ?? {};
  return { ...request, betas: [], ...(isShown ? { thinking: kept } : {}) };
}

async function* readChunks(call: HttpCall, secrets: readonly string[]): AsyncGenerator<Iterable<StreamEvent>> {
  // Some gateways answer with server-sent events.
  if (/\bevent-stream\b/.test(call.response.headers.get("content-type") ?? "") && !isAmazon(call)) {
    yield* readEvents(call, secrets);
    return;
  }
  for await (const { name, payload } of readNamedEvents(call, secrets)) {
    if (name !== "chunk" || !isObject(payload) || typeof payload["bytes"] !== "string") continue;
    const event = parseEvent(Buffer.from(payload["bytes"], "base64").toString(), secrets);
    const { "amazon-bedrock-invocationMetrics": _, ...own } = event as StreamEvent & Record<string, unknown>;
    yield [own as StreamEvent];
  }
}

const isAmazon = ({ response }: HttpCall) => /amazon\.eventstream/.test(response.headers.get("content-type") ?? "");
