// Maps the errors of OpenAI and of servers like it to ModelError. Pure.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError, type ModelErrorKind } from "@keelson/engine";
import { retryAfter, type ErrorResponse } from "../../http/http-error.ts";
import { isOverflow } from "../../http/overflow.ts";

/** What a server said, in whichever of the usual shapes. */
interface Said {
  readonly message: string;
  readonly code?: string;
  readonly type?: string;
  /** A status in the body, for errors in the middle of a stream. */
  readonly status?: number;
  /** The reply that was refused. */
  readonly failed?: string;
  /** The prompt was refused for what it says. */
  readonly isFlagged?: boolean;
}

export function responseErrorOf({ status, statusText, headers, body }: ErrorResponse): ModelError {
  if (status >= 300 && status < 400) {
    const location = headers.get("location") ?? "nowhere";
    return new ModelError(
      "invalid_request",
      `The server sent a redirect to "${location}", which is not followed; set the base URL to the final address`,
      { status },
    );
  }
  const said = read(tryParse(body)) ?? { message: plainText(body) };
  const kind = kindOf(status, said);
  return new ModelError(kind, said.message || `HTTP ${status} ${statusText}`.trim(), {
    status,
    ...failedGeneration(said),
    ...apiType(said),
    ...(kind === "rate_limit" || kind === "overloaded" ? waitOf(headers, said.message) : {}),
  });
}

/** An `error` object in a reply that began well. */
export function streamErrorOf(value: unknown): ModelError {
  const said = read({ error: value }) ?? { message: "" };
  const { status } = said;
  const kind = kindOf(status ?? 500, said);
  return new ModelError(kind, said.message || "The model reported an error", {
    status,
    ...failedGeneration(said),
    ...apiType(said),
    ...(kind === "rate_limit" ? waitIn(said.message) : {}),
  });
}

function read(value: unknown): Said | undefined {
  if (Array.isArray(value)) return read(value[0]);
  if (!isObject(value)) return undefined;
  const { error, message, detail } = value;
  if (typeof error === "string") return { message: error };
  if (isObject(error)) return readError(error);
  if (typeof message === "string") return readError(value);
  if (typeof detail === "string") return { message: detail };
  if (Array.isArray(detail)) return { message: detail.map(validationText).filter(Boolean).join("; ") };
  return undefined;
}

function readError(error: Readonly<Record<string, unknown>>): Said {
  const { code, type, param, metadata, failed_generation: failed } = error;
  const text = typeof error["message"] === "string" ? error["message"] : "";
  // OpenRouter only says that something failed; what the model's own server said is beside it.
  const raw = isObject(metadata) && typeof metadata["raw"] === "string" ? metadata["raw"] : undefined;
  const inner = raw === undefined ? undefined : (read(tryParse(raw))?.message ?? raw);
  // It also says why a prompt was flagged.
  const reasons = isObject(metadata) && Array.isArray(metadata["reasons"]) ? metadata["reasons"].join(", ") : undefined;
  const more = [inner, reasons, typeof param === "string" && !text.includes(param) ? param : undefined].filter(Boolean);
  return {
    message: more.length > 0 ? `${text} (${more.join("; ")})` : text,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof failed === "string" ? { failed } : {}),
    ...(reasons === undefined ? {} : { isFlagged: true }),
    ...(typeof code === "number" && code >= 400 && code < 600 ? { status: code } : {}),
  };
}

/** Of FastAPI: `{loc: ["body", "seed"], msg: "Extra inputs are not permitted"}`. */
function validationText(item: unknown): string {
  if (!isObject(item)) return "";
  const place = Array.isArray(item["loc"]) ? item["loc"].join(".") : "";
  return [place, item["msg"]].filter(Boolean).join(": ");
}

function plainText(body: string): string {
  const text = body.trim();
  return text.startsWith("<") || text.startsWith("{") ? "" : text;
}

/** The text of a reply that the server refused, as the cause of its error. */
export class FailedGeneration extends Error {
  readonly text: string;

  constructor(text: string) {
    super("The server could not read the model's reply");
    this.text = text;
  }
}

const failedGeneration = ({ failed }: Said) => (failed === undefined ? {} : { cause: new FailedGeneration(failed) });

const apiType = ({ code, type }: Said) => (code === undefined && type === undefined ? {} : { apiType: code ?? type });

const BY_CODE: Readonly<Record<string, ModelErrorKind>> = {
  context_length_exceeded: "prompt_too_long",
  exceed_context_size_error: "prompt_too_long",
  insufficient_quota: "billing_error",
  billing_hard_limit_reached: "billing_error",
  billing_not_active: "billing_error",
  model_not_found: "model_not_found",
  invalid_api_key: "authentication_failed",
  rate_limit_exceeded: "rate_limit",
  rate_limit_error: "rate_limit",
  overloaded_error: "overloaded",
  server_overloaded: "overloaded",
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  server_error: "server_error",
  invalid_prompt: "invalid_request",
  invalid_request_error: "invalid_request",
  invalid_encrypted_content: "invalid_request",
};

const BY_STATUS: Readonly<Record<number, ModelErrorKind>> = {
  401: "authentication_failed",
  402: "billing_error",
  403: "authentication_failed",
  404: "model_not_found",
  408: "timeout",
  413: "prompt_too_long",
  429: "rate_limit",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

// Not for a lack of rights or money, which some servers explain with the same words.
const NEVER_OVERFLOW = new Set([401, 402, 403, 429]);
const WRONG_KEY = /(?:incorrect|invalid) api key|api key not valid/i;
const UNKNOWN_MODEL = /is not a valid model|model .*(?:does not exist|not found)|unknown model|no such model/i;

function kindOf(status: number, { message, code = "", type = "", isFlagged }: Said): ModelErrorKind {
  if (isFlagged) return "invalid_request";
  const named = kindNamed(code) ?? kindNamed(type);
  if (named === "billing_error") return named;
  if (named === "prompt_too_long" || (isOverflow(message) && !NEVER_OVERFLOW.has(status))) return "prompt_too_long";
  const byStatus = BY_STATUS[status];
  if (byStatus) return byStatus;
  if (named && named !== "invalid_request") return named;
  if (status === 400 && WRONG_KEY.test(message)) return "authentication_failed";
  if (status === 400 && UNKNOWN_MODEL.test(message)) return "model_not_found";
  return status >= 500 ? "server_error" : "invalid_request";
}

const kindNamed = (name: string) => (Object.hasOwn(BY_CODE, name) ? BY_CODE[name] : undefined);

const LIMITS = ["requests", "tokens"] as const;

/** The wait that the server asks for, or until the limit that is used up is reset. */
function waitOf(headers: Headers, message: string): { readonly retryAfterMs?: number } {
  const asked = retryAfter(headers, Date.now());
  if (asked.retryAfterMs !== undefined) return asked;
  const resets = LIMITS.flatMap((limit) => {
    const left = headers.get(`x-ratelimit-remaining-${limit}`);
    const ms = durationMs(headers.get(`x-ratelimit-reset-${limit}`) ?? "");
    return ms !== undefined && (left === null || Number(left) <= 0) ? [ms] : [];
  });
  return resets.length > 0 ? { retryAfterMs: Math.max(...resets) } : waitIn(message);
}

/** "Please try again in 1.2s", "Please retry after 1 second" */
function waitIn(message: string): { readonly retryAfterMs?: number } {
  const [, named = ""] = /(?:try again in|retry after) (.{1,40})/i.exec(message) ?? [];
  const [short] = /^(?:\d[\d.]*(?:ms|[smhd]))+(?![a-z])/.exec(named) ?? [];
  const [, count, unit] = /^(\d[\d.]*) (millisecond|second|minute|hour)s?\b/i.exec(named) ?? [];
  const ms = durationMs(short ?? `${count}${LONG_UNITS[unit?.toLowerCase() ?? ""]}`);
  return ms === undefined ? {} : { retryAfterMs: ms };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONG_UNITS: Readonly<Record<string, string>> = { millisecond: "ms", second: "s", minute: "m", hour: "h" };

/** `1s`, `6m0s`, `20ms`, or seconds. */
function durationMs(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0) return undefined;
  return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit!]!, 0));
}
