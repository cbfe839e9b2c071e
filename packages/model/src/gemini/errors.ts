// Errors of Google's services, as kinds.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError, type ModelErrorKind } from "@keelson/engine";
import { retryAfter, type ErrorResponse } from "../http/http-error.ts";
import { isOverflow } from "../http/overflow.ts";

/** The error of a failed response. The body is an object, or a list with one. */
export function googleError({ status, statusText, headers, body }: ErrorResponse, addressFrom: string): ModelError {
  if (status >= 300 && status < 400) {
    const target = headers.get("location") ?? "nowhere";
    const message = `The server sent a redirect to "${target}", which is not followed; set ${addressFrom} to the final URL`;
    return new ModelError("invalid_request", message, { status });
  }
  const parsed = tryParse(body);
  const error = errorIn(parsed);
  if (error) return errorOf(error, status, headers);
  const text = body.trim();
  const message = text === "" || text.startsWith("<") ? `HTTP ${status} ${statusText}`.trim() : text;
  return new ModelError(kindOf(status, "", message, []), message, { status, ...retryAfter(headers, Date.now()) });
}

/** The error in the middle of a stream; undefined if the value is none. */
export function streamedError(value: unknown): ModelError | undefined {
  const error = errorIn(value);
  return error && errorOf(error, typeof error["code"] === "number" ? error["code"] : 0, new Headers());
}

function errorIn(value: unknown): Record<string, unknown> | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) && isObject(first["error"]) ? first["error"] : undefined;
}

function errorOf(error: Record<string, unknown>, status: number, headers: Headers): ModelError {
  const apiType = typeof error["status"] === "string" ? error["status"] : undefined;
  const message = typeof error["message"] === "string" && error["message"] ? error["message"] : `HTTP ${status}`;
  const details = Array.isArray(error["details"]) ? error["details"].filter(isObject) : [];
  return new ModelError(kindOf(status, apiType ?? "", message, details), message, {
    status: status || undefined,
    apiType,
    ...retryAfter(headers, Date.now()),
    ...retryDelay(details),
  });
}

type Details = readonly Record<string, unknown>[];

function kindOf(status: number, name: string, message: string, details: Details): ModelErrorKind {
  if (details.some(({ reason }) => reason === "API_KEY_INVALID") || BAD_KEY.test(message))
    return "authentication_failed";
  if (status === 413 || (status < 429 && isOverflow(message))) return "prompt_too_long";
  if (name === "DEADLINE_EXCEEDED" || status === 408) return "timeout";
  if (status === 401 || status === 403 || name === "UNAUTHENTICATED" || name === "PERMISSION_DENIED")
    return "authentication_failed";
  if (status === 402) return "billing_error";
  if (status === 404 || name === "NOT_FOUND") return "model_not_found";
  if (status === 429 || name === "RESOURCE_EXHAUSTED")
    return isDaily(message, details) ? "billing_error" : "rate_limit";
  if (status === 503 || name === "UNAVAILABLE") return "overloaded";
  if (status >= 500 || name === "INTERNAL") return "server_error";
  return status >= 400 || name === "INVALID_ARGUMENT" ? "invalid_request" : "unknown";
}

const BAD_KEY = /API key (?:not valid|expired|not found)/i;

/** A quota of a day does not come back by waiting. */
function isDaily(message: string, details: Details): boolean {
  const violations = details.flatMap(({ violations: found }) => (Array.isArray(found) ? found.filter(isObject) : []));
  return (
    violations.some(({ quotaId }) => /PerDay/i.test(String(quotaId))) || /per day|daily (?:quota|limit)/i.test(message)
  );
}

/** `retryDelay: "2s"` of a RetryInfo. */
function retryDelay(details: Details): { readonly retryAfterMs?: number } {
  const delay = details.map((detail) => detail["retryDelay"]).find((value) => typeof value === "string");
  const seconds = delay === undefined ? undefined : /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1];
  return seconds === undefined ? {} : { retryAfterMs: Math.round(Number(seconds) * 1000) };
}
