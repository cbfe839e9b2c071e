// The Anthropic Messages API over fetch: headers, body and stream decoding. Makes one attempt per request; knows
// nothing about retry, fallback or prices.

import { isObject, tryParse, VERSION, type JsonObject, type StreamEvent } from "@keelson/protocol";
import { ModelError, type ModelRequest } from "@keelson/engine";
import { BodyPool, countTokensBody } from "./body.ts";
import { openCall, type Fetch, type HttpCall } from "./http-call.ts";
import { redact, responseError, streamError } from "./http-error.ts";
import type { FetchOptions } from "./network.ts";
import { isReply, isValidEvent, replay } from "./replay.ts";
import type { PlainProvider } from "./retry.ts";
import { SseDecoder } from "./sse.ts";

export interface AnthropicOptions {
  /** Defaults to `https://api.anthropic.com`. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Sent as a bearer token; takes precedence over the key. */
  readonly authToken?: string;
  readonly sessionId?: string;
  /** How the program was started, such as `cli` or `sdk-ts`. */
  readonly entrypoint?: string;
  /** The name of the application that uses the SDK, such as `my-app/1.0`. */
  readonly clientApp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Merged into every request body. */
  readonly extraBody?: JsonObject;
  readonly fetchOptions?: (url: URL) => Promise<FetchOptions>;
  readonly fetch?: Fetch;
  /** Time until the response headers arrive. Defaults to ten minutes. */
  readonly timeoutMs?: number;
  /** Time between two chunks of the reply. Defaults to two minutes; pings are far more frequent. */
  readonly idleTimeoutMs?: number;
}

export const DEFAULT_BASE_URL = "https://api.anthropic.com";
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_APP_LENGTH = 200;

export function anthropicProvider(options: AnthropicOptions): PlainProvider {
  const secrets = [options.apiKey, options.authToken, ...Object.values(options.headers ?? {})].filter(
    (value) => value !== undefined,
  );

  const bodies = new BodyPool();
  const agent = userAgent(options);

  async function post(
    path: string,
    request: ModelRequest,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<HttpCall> {
    const url = endpoint(options.baseUrl ?? DEFAULT_BASE_URL, path);
    const call = await openCall(
      url,
      { ...(await options.fetchOptions?.(url)), method: "POST", headers: headersFor(request, options, agent), body },
      {
        fetch: options.fetch ?? fetch,
        timeoutMs: options.timeoutMs ?? 600_000,
        idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
      },
      signal,
    );
    if (call.response.ok) return call;
    const { status, statusText, headers } = call.response;
    // If the body cannot be read, the status is enough.
    const text = await call.text(MAX_ERROR_BYTES).catch(() => "");
    call.close({ finished: false });
    if (signal.aborted) throw new ModelError("aborted", "Request was aborted");
    throw responseError({ status, statusText, headers, body: text }, secrets);
  }

  async function readJson(call: HttpCall): Promise<unknown> {
    let finished = false;
    try {
      const text = await call.text(MAX_REPLY_BYTES);
      finished = true;
      return tryParse(text);
    } finally {
      call.close({ finished });
    }
  }

  return {
    id: "anthropic",

    async *stream(request, signal) {
      using body = bodies.lease(request, { stream: true, extra: options.extraBody });
      const call = await post("/v1/messages", request, body.bytes, signal);
      if (/\bjson\b/.test(call.response.headers.get("content-type") ?? "")) {
        // Some gateways ignore `stream: true` and send the whole reply at once.
        yield* replay(asReply(await readJson(call), options, secrets));
        return;
      }
      const open = new Set<number>();
      let finished = false;
      try {
        for await (const event of decode(call, secrets)) {
          if (event.type === "content_block_start") open.add(event.index);
          if (event.type === "content_block_stop") open.delete(event.index);
          finished = event.type === "message_stop";
          if (finished && open.size > 0) break;
          yield event;
          if (finished) return;
        }
      } finally {
        call.close({ finished });
      }
      throw new ModelError("stream_cut", "The reply ended before it was complete");
    },

    async *plain(request, signal) {
      using body = bodies.lease(request, { stream: false, extra: options.extraBody });
      const call = await post("/v1/messages", request, body.bytes, signal);
      yield* replay(asReply(await readJson(call), options, secrets));
    },

    async countTokens(request, signal) {
      try {
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

/** Passes unknown event types through. */
async function* decode(call: HttpCall, secrets: readonly string[]): AsyncGenerator<StreamEvent> {
  const decoder = new SseDecoder();
  for await (const chunk of call.chunks()) {
    try {
      for (const { data } of decoder.push(chunk)) {
        if (data === "[DONE]") continue;
        const event = tryParse(data);
        if (isObject(event) && event["type"] === "error") throw streamError(event["error"], secrets);
        if (!isObject(event) || !isValidEvent(event))
          throw new ModelError(
            "stream_cut",
            `The reply contains an invalid event: ${redact(data.slice(0, 100), secrets)}`,
          );
        yield event;
      }
    } catch (error) {
      if (error instanceof RangeError) throw new ModelError("unknown", `The reply is too large: ${error.message}`);
      throw error;
    }
  }
}

function asReply(value: unknown, { baseUrl = DEFAULT_BASE_URL }: AnthropicOptions, secrets: readonly string[]) {
  if (isReply(value)) return value;
  if (isObject(value) && value["type"] === "error") throw streamError(value["error"], secrets);
  throw new ModelError(
    "unknown",
    `${new URL(baseUrl).origin} does not behave like the Messages API; check ANTHROPIC_BASE_URL`,
  );
}

function endpoint(baseUrl: string, path: string): URL {
  const base = URL.parse(baseUrl);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new ModelError("invalid_request", "ANTHROPIC_BASE_URL is not an http or https URL");
  base.pathname = base.pathname.replace(/\/+$/, "") + path;
  base.searchParams.set("beta", "true");
  return base;
}

function userAgent({ entrypoint = "cli", clientApp = "" }: AnthropicOptions): string {
  // The variable may contain anything; a parenthesis or newline would end the comment or the header.
  const app = clientApp
    .replace(/(?:[^\x21-\x7e]|[()\\])+/g, " ")
    .trim()
    .slice(0, MAX_APP_LENGTH);
  return `keelson/${VERSION} (external, ${entrypoint}${app === "" ? "" : `, client-app/${app}`})`;
}

function headersFor(request: ModelRequest, options: AnthropicOptions, agent: string): Headers {
  const betas = new Set(request.betas);
  if (request.context_management) betas.add("context-management-2025-06-27");
  const entries: Record<string, string | undefined> = {
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
    "user-agent": agent,
    "x-app": "cli",
    "x-claude-code-session-id": options.sessionId,
    "x-claude-code-agent-id": request.agent,
    "anthropic-beta": betas.size > 0 ? [...betas].join(",") : undefined,
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
