// A model server that is not asked by `anthropic.ts`: its address, its credentials, and one request to it. The dialects
// in the folders beside this file build on it; each makes one attempt per request and knows nothing about retry.

import { ModelError } from "@keelson/engine";
import { replaceLoneSurrogates } from "../messages/body.ts";
import { openCall, type Fetch, type HttpCall } from "./http-call.ts";
import { redact, type ErrorResponse } from "./http-error.ts";
import type { FetchOptions } from "./network.ts";

export interface Server {
  /** Our name for it, such as `openai`; for messages. */
  readonly provider: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** What to check if the address is wrong: a variable or a setting. */
  readonly addressFrom: string;
  readonly credentials: Credentials;
  /** In clouds, where each model is served. Its address is used if `baseUrl` is empty. */
  readonly placeOf?: (model: string) => CloudPlace;
  /** Sent with every request. They may be secret. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly fetchOptions?: (url: URL) => Promise<FetchOptions>;
  readonly fetch?: Fetch;
  /** Time until the response headers arrive. Defaults to ten minutes. */
  readonly timeoutMs?: number;
  /** Time between two chunks of the reply. Defaults to five minutes: not every server sends pings. */
  readonly idleTimeoutMs?: number;
  /** Joins what arrives within this time, for a reader that needs no single delta. Defaults to no joining. */
  readonly gatherMs?: number | undefined;
}

export interface CloudPlace {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly addressFrom: string;
  readonly region: string;
  readonly project?: string;
}

export interface Credentials {
  /** Adds a key, a token or a signature to one attempt. Throws ModelError if there is none. */
  authorize(attempt: Attempt): void | Promise<void>;
  /** Called after the server refused them. True if there are new ones, and the request is worth another attempt. */
  renew?(signal: AbortSignal): Promise<boolean>;
  /** What no message may contain. */
  secrets(): readonly string[];
}

export interface Attempt {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export interface ServerRequest {
  /** Follows the base URL; begins with a slash. */
  readonly path: string;
  /** Sent as JSON, unless it is bytes already. Without it, the method is GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Overrides the server's own, for questions that must not take long. */
  readonly timeoutMs?: number;
  /** Maps a failed response; the message of the error is redacted afterwards. */
  errorOf(response: ErrorResponse): ModelError;
}

const MAX_ERROR_BYTES = 64 * 1024;

/** Sends a request; the response is a success. Throws only ModelError. */
export async function callServer(server: Server, request: ServerRequest, signal: AbortSignal): Promise<HttpCall> {
  const { credentials } = server;
  const body = bytesOf(request.body);
  for (let renewed = false; ;) {
    const call = await openAttempt(server, request, body, signal);
    if (call.response.ok) return call;
    const { status, statusText, headers } = call.response;
    // If the body cannot be read, the status is enough.
    const text = await call.text(MAX_ERROR_BYTES).catch(() => "");
    call.close({ finished: false });
    if (signal.aborted) throw new ModelError("aborted", "Request was aborted");
    const said = withoutSecrets(request.errorOf({ status, statusText, headers, body: text }), server);
    const error = status === 404 ? withHint(said, server, request.path) : said;
    if (renewed || error.kind !== "authentication_failed" || !(await credentials.renew?.(signal))) throw error;
    renewed = true;
  }
}

const ENDPOINT = /\/(?:chat\/completions|completions|responses|messages|models)$/;

/** What to check if the address or the model is not there. */
function withHint(error: ModelError, { provider, baseUrl, addressFrom }: Server, path: string): ModelError {
  const base = URL.parse(baseUrl)?.pathname.replace(/\/+$/, "");
  const endpoint = ENDPOINT.exec(base ?? "")?.[0];
  const hint =
    endpoint !== undefined
      ? `leave out "${endpoint}" in ${addressFrom}`
      : base === "" && ENDPOINT.test(path)
        ? `${addressFrom} may need "/v1" at the end`
        : error.kind === "model_not_found" && path !== "/models"
          ? `keelson models ${provider} lists the models`
          : undefined;
  if (hint === undefined) return error;
  const { kind, status, apiType, requestId } = error;
  return new ModelError(kind, `${error.message} (${hint})`, { status, apiType, requestId });
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array
    ? (body as Uint8Array<ArrayBuffer>)
    : new TextEncoder().encode(replaceLoneSurrogates(JSON.stringify(body)));
}

async function openAttempt(
  server: Server,
  request: ServerRequest,
  body: Uint8Array<ArrayBuffer> | undefined,
  signal: AbortSignal,
): Promise<HttpCall> {
  const url = addressOf(server, request);
  const method = body ? "POST" : "GET";
  const headers = headersOf({
    ...(body ? { "content-type": "application/json" } : {}),
    ...server.headers,
    ...request.headers,
  });
  await untilAborted(server.credentials.authorize({ method, url, headers, body }), signal);
  return openCall(
    url,
    { ...(await server.fetchOptions?.(url)), method, headers, ...(body ? { body } : {}) },
    {
      fetch: server.fetch ?? fetch,
      timeoutMs: request.timeoutMs ?? server.timeoutMs ?? 600_000,
      idleTimeoutMs: server.idleTimeoutMs ?? 300_000,
      gatherMs: server.gatherMs,
      addressFrom: server.addressFrom,
      isStartedByUser: true,
    },
    signal,
  );
}

/** Finding credentials may take long: a command runs, or a person signs in. */
async function untilAborted(work: void | Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new ModelError("aborted", "Request was aborted"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function addressOf({ baseUrl, addressFrom, query }: Server, request: ServerRequest): URL {
  const base = URL.parse(baseUrl);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new ModelError("invalid_request", `${addressFrom} is not an http or https URL`);
  const [path, own = ""] = request.path.split("?", 2);
  base.pathname = base.pathname.replace(/\/+$/, "") + path!;
  for (const [name, value] of new URLSearchParams(own)) base.searchParams.set(name, value);
  for (const [name, value] of Object.entries({ ...query, ...request.query })) base.searchParams.set(name, value);
  return base;
}

function headersOf(entries: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(entries)) {
    try {
      headers.set(name, value);
    } catch {
      // The runtime's error quotes the value, which may be a key.
      throw new ModelError("invalid_request", `Header "${name}" has an invalid name or value; check for line breaks`);
    }
  }
  return headers;
}

/** Sets a header whose value no error may quote. `from` is what to check if it has characters that a header cannot have. */
export function setSecret(headers: Headers, name: string, value: string, from: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new ModelError(
      "authentication_failed",
      `${from} has characters that a header cannot have; check for line breaks`,
    );
  }
}

/** The same error, without anything secret that the server quoted. */
export function withoutSecrets(error: ModelError, { credentials, headers = {}, query = {} }: Server): ModelError {
  const keys = Object.entries(query).flatMap(([name, value]) => (/key|token|secret|sig/i.test(name) ? [value] : []));
  const secrets = [...credentials.secrets(), ...Object.values(headers), ...keys];
  const message = redact(error.message, secrets);
  const apiType = error.apiType === undefined ? undefined : redact(error.apiType, secrets);
  if (message === error.message && apiType === error.apiType) return error;
  const { kind, status, retryAfterMs, requestId, isFinal } = error;
  return new ModelError(kind, message, { status, apiType, retryAfterMs, requestId, isFinal });
}
