// Turns an HTTP error response or an `error` event into a ModelError with the API's message and without secrets.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError, type ModelErrorKind } from "@keelson/engine";

const MAX_MESSAGE_LENGTH = 2_000;

export interface ErrorResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: string;
}

export function responseError(
  { status, statusText, headers, body }: ErrorResponse,
  secrets: readonly string[],
): ModelError {
  const parsed = tryParse(body);
  const error = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : {};
  const apiType = typeof error["type"] === "string" ? error["type"] : undefined;
  const text = typeof error["message"] === "string" ? error["message"] : plainText(body);
  const redirect = status >= 300 && status < 400;
  const message = redirect
    ? `The server sent a redirect to "${headers.get("location") ?? "nowhere"}", which is not followed; set ANTHROPIC_BASE_URL to the final URL`
    : text || `HTTP ${status} ${statusText}`.trim();
  return new ModelError(redirect ? "invalid_request" : errorKind(status, apiType, message), redact(message, secrets), {
    status,
    ...(apiType === undefined ? {} : { apiType: redact(apiType, secrets) }),
    ...(headers.has("request-id") ? { requestId: redact(headers.get("request-id")!, secrets) } : {}),
    isFinal: headers.get("x-should-retry") === "false",
    ...retryAfter(headers, Date.now()),
  });
}

/** The error for an `error` event in the middle of a stream. */
export function streamError(value: unknown, secrets: readonly string[]): ModelError {
  const error = isObject(value) ? value : {};
  const apiType = typeof error["type"] === "string" ? error["type"] : "api_error";
  const message = typeof error["message"] === "string" ? error["message"] : "The model reported an error";
  const status = Object.hasOwn(STATUS_OF, apiType) ? STATUS_OF[apiType] : undefined;
  return new ModelError(errorKind(status ?? 0, apiType, message), redact(message, secrets), {
    status,
    apiType: redact(apiType, secrets),
  });
}

// The HTTP status that matches each `error` event.
const STATUS_OF: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
};

/** Uses the API's error type if there is one; gateways often send only a status. */
export function errorKind(status: number, apiType: string | undefined, message: string): ModelErrorKind {
  if (status === 413 || apiType === "request_too_large" || TOO_LONG.test(message)) return "prompt_too_long";
  if (apiType === "billing_error" || status === 402 || NO_CREDIT.test(message)) return "billing_error";
  if (apiType === "overloaded_error" || status === 529) return "overloaded";
  if (apiType === "rate_limit_error" || status === 429) return "rate_limit";
  if (apiType === "authentication_error" || apiType === "permission_error") return "authentication_failed";
  if (status === 401 || status === 403) return "authentication_failed";
  if (status === 404 || apiType === "not_found_error") return "model_not_found";
  if (status >= 500 || status === 408) return "server_error";
  if (status >= 400 || apiType === "invalid_request_error") return "invalid_request";
  return "unknown";
}

const TOO_LONG = /prompt is too long|exceed(?:s|ed)? (?:the )?context (?:limit|window)/i;
const NO_CREDIT = /credit balance is too low/i;

/** The delay the server asks for: milliseconds, seconds, or a date. */
export function retryAfter(headers: Headers, now: number): { readonly retryAfterMs?: number } {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return { retryAfterMs: exact };
  const value = headers.get("retry-after")?.trim();
  if (!value) return {};
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000;
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, Math.round(ms)) };
}

/** The body if it is plain text, not HTML or JSON. */
function plainText(body: string): string {
  const text = body.trim();
  return text.startsWith("<") || text.startsWith("{") ? "" : text;
}

/** Removes our credentials and limits the length. */
export function redact(message: string, secrets: readonly string[]): string {
  const spelled = secrets.flatMap(spellings).filter(({ length }) => length >= SHORTEST_SECRET);
  const hidden = spelled.reduce((text, secret) => text.replaceAll(secret, "***"), message);
  const whole = spelled.reduce(withoutBeginning, hidden);
  return whole.length > MAX_MESSAGE_LENGTH ? `${whole.slice(0, MAX_MESSAGE_LENGTH)}…` : whole;
}

const SHORTEST_SECRET = 8;

/** As a server may quote it: without the scheme of a header, or with the escapes of an address. */
function spellings(secret: string): readonly string[] {
  const bare = secret.replace(/^(?:Bearer|Basic|Token|ApiKey)\s+/i, "");
  return [...new Set([secret, bare, encodeURIComponent(bare.toWellFormed())])];
}

/** A message that was cut may end within a secret. */
function withoutBeginning(text: string, secret: string): string {
  for (let size = Math.min(secret.length - 1, text.length); size >= SHORTEST_SECRET; size--)
    if (text.endsWith(secret.slice(0, size))) return `${text.slice(0, -size)}***`;
  return text;
}
