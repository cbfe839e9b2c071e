// The Anthropic Messages API over fetch: headers, body and stream decoding. Makes one attempt per request; knows
// nothing about retry, fallback or prices.

import { isObject, type JsonObject, type StreamEvent } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import { BodyPool, countTokensBody } from "./body.ts";
import { openCall, type Fetch, type HttpCall } from "../http/http-call.ts";
import { withKnownReferences } from "./loaded-tools.ts";
import { messagesHeaders, userAgent, type Caller } from "./headers.ts";
import { asReply, isJson, readEvents, readJson, untilStop } from "./reply/read-reply.ts";
import type { FetchOptions } from "../http/network.ts";
import { bareId } from "../profiles/profiles.ts";
import { replay } from "./reply/replay.ts";
import type { PlainProvider } from "../wrappers/retry.ts";

export interface AnthropicOptions extends Caller {
  /** Defaults to `https://api.anthropic.com`. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Sent as a bearer token; takes precedence over the key. */
  readonly authToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Merged into every request body. */
  readonly extraBody?: JsonObject;
  readonly fetchOptions?: (url: URL) => Promise<FetchOptions>;
  readonly fetch?: Fetch;
  /** Time until the response headers arrive. Defaults to ten minutes. */
  readonly timeoutMs?: number;
  /** Time between two chunks of the reply. Defaults to two minutes; pings are far more frequent. */
  readonly idleTimeoutMs?: number;
  /** Joins what arrives within this time, for a reader that needs no single delta. Defaults to no joining. */
  readonly gatherMs?: number | undefined;
}

export const DEFAULT_BASE_URL = "https://api.anthropic.com";
const MAX_ERROR_BYTES = 64 * 1024;

export function anthropicProvider(options: AnthropicOptions): PlainProvider {
  const secrets = [options.apiKey, options.authToken, ...Object.values(options.headers ?? {})].filter(
    (value) => value !== undefined,
  );

  const address = { baseUrl: options.baseUrl ?? DEFAULT_BASE_URL, addressFrom: "ANTHROPIC_BASE_URL" };
  const bodies = new BodyPool();
  const agent = userAgent(options);

  /** By path: where requests go, and through which network. Once found, it stays the same. */
  const ways = new Map<string, Promise<{ readonly url: URL; readonly network: FetchOptions | undefined }>>();
  const findWay = async (path: string) => {
    const url = endpoint(address.baseUrl, path);
    return { url, network: await options.fetchOptions?.(url) };
  };
  const wayTo = (path: string) => {
    const known = ways.get(path);
    if (known) return known;
    const way = findWay(path);
    ways.set(path, way);
    // What was in the way may be gone at the next request.
    way.catch(() => ways.delete(path));
    return way;
  };

  async function post(
    path: string,
    request: ModelRequest,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
    refused?: (headers: Headers) => void,
  ): Promise<HttpCall> {
    const { url, network } = await wayTo(path);
    const call = await openCall(
      url,
      { ...network, method: "POST", headers: headersFor(request, options, agent), body },
      {
        fetch: options.fetch ?? fetch,
        timeoutMs: options.timeoutMs ?? 600_000,
        idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
        gatherMs: options.gatherMs,
      },
      signal,
    );
    if (call.response.ok) return call;
    const { status, statusText, headers } = call.response;
    // If the body cannot be read, the status is enough.
    const text = await call.text(MAX_ERROR_BYTES).catch(() => "");
    call.close({ finished: false });
    if (signal.aborted) throw new ModelError("aborted", "Request was aborted");
    refused?.(headers);
    const { responseError } = await import("../http/http-error.ts");
    throw responseError({ status, statusText, headers, body: text }, secrets);
  }

  let told = "";
  /** Accounts have limits, keys do not. Reported when they change. */
  const hasLimits = (headers: Headers | undefined): headers is Headers =>
    options.authToken !== undefined && headers?.has("anthropic-ratelimit-unified-status") === true;
  async function* limits(headers: Headers): AsyncIterable<ModelEvent> {
    const { rateLimitInfo } = await import("./rate-limit.ts"); // only for accounts
    const info = rateLimitInfo(headers)!;
    if (told === (told = JSON.stringify(info))) return;
    yield { type: "notice", notice: { type: "rate_limit", info } };
  }
  /** Sends a request for a reply; says what is new about limits, whether there is a reply or not. */
  async function* open(
    request: ModelRequest,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, HttpCall> {
    let headers: Headers | undefined;
    let call: HttpCall;
    try {
      call = await post("/v1/messages", request, body, signal, (refusal) => (headers = refusal));
    } catch (error) {
      if (hasLimits(headers)) yield* limits(headers);
      throw error;
    }
    if (hasLimits(call.response.headers)) yield* limits(call.response.headers);
    return call;
  }

  /** By the name that was asked for: how the server calls the model. Gateways have names of their own. */
  const answers = new Map<string, string>();
  const own = async (asked: ModelRequest): Promise<ModelRequest> => {
    const request = withKnownReferences(asked, true);
    const given = [request.model, answers.get(request.model) ?? request.model];
    let names: readonly string[] | undefined;
    // Nearly always the same spelling: a long conversation must not cost more.
    const isOwn = (model: string) => given.includes(model) || (names ??= given.map(bareId)).includes(bareId(model));
    if (request.messages.every(({ reply }) => reply === undefined || isOwn(reply.model))) return request;
    const { fitRequest } = await import("./fit.ts");
    return fitRequest(request, isOwn).request;
  };
  const noted = (event: StreamEvent, request: ModelRequest, { response }: HttpCall): StreamEvent => {
    if (event.type !== "message_start") return event;
    answers.set(request.model, event.message.model);
    const requestId = response.headers.get("request-id");
    return requestId ? { ...event, requestId } : event;
  };

  const whole = async (call: HttpCall) => replay(asReply(await readJson(call), address, secrets));

  return {
    id: "anthropic",

    async *stream(asked, signal) {
      const request = await own(asked);
      using body = bodies.lease(request, { stream: true, extra: options.extraBody });
      const call = yield* open(request, body.bytes, signal);
      const events = isJson(call) ? await whole(call) : untilStop(readEvents(call, secrets), call);
      for await (const event of events) yield noted(event, request, call);
    },

    async *plain(asked, signal) {
      const request = await own(asked);
      using body = bodies.lease(request, { stream: false, extra: options.extraBody });
      const call = yield* open(request, body.bytes, signal);
      for (const event of await whole(call)) yield noted(event, request, call);
    },

    async countTokens(asked, signal) {
      try {
        const request = await own(asked);
        const call = await post("/v1/messages/count_tokens", request, countTokensBody(request), signal);
        const answer = await readJson(call);
        return isObject(answer) && typeof answer["input_tokens"] === "number" ? answer["input_tokens"] : undefined;
      } catch (error) {
        // Not every gateway can count tokens, so only an abort is an error.
        if (error instanceof ModelError && error.kind !== "aborted") return undefined;
        throw error;
      }
    },
  };
}

function endpoint(baseUrl: string, path: string): URL {
  const base = URL.parse(baseUrl);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new ModelError("invalid_request", "ANTHROPIC_BASE_URL is not an http or https URL");
  base.pathname = base.pathname.replace(/\/+$/, "") + path;
  base.searchParams.set("beta", "true");
  return base;
}

function headersFor(request: ModelRequest, options: AnthropicOptions, agent: string): Headers {
  const entries: Record<string, string | undefined> = {
    ...messagesHeaders(request, options, agent),
    ...(options.authToken ? { authorization: `Bearer ${options.authToken}` } : { "x-api-key": options.apiKey }),
    ...Object.fromEntries(Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const headers = new Headers();
  for (const [name, value] of Object.entries(entries)) {
    if (value === undefined) continue;
    try {
      headers.set(name, value);
    } catch {
      // The runtime's error quotes the value, which may be a key.
      throw new ModelError("invalid_request", `Header "${name}" has an invalid name or value; check for line breaks`);
    }
  }
  return headers;
}
