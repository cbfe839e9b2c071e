// What Bedrock's errors mean: exceptions by name, in a response or in the middle of a stream.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError, type ModelErrorKind } from "@keelson/engine";
import { errorKind, retryAfter, type ErrorResponse } from "../http/http-error.ts";
import { isOverflow } from "../http/overflow.ts";

export function bedrockError({ status, statusText, headers, body }: ErrorResponse): ModelError {
  if (status >= 300 && status < 400)
    return new ModelError(
      "invalid_request",
      `The server sent a redirect to "${headers.get("location") ?? "nowhere"}", which is not followed; set ANTHROPIC_BEDROCK_BASE_URL to the final URL`,
      { status },
    );
  const parsed = tryParse(body);
  const fields = isObject(parsed) ? parsed : {};
  // Gateways in front of it answer as the Messages API does.
  const nested = isObject(fields["error"]) ? fields["error"] : {};
  const message = textIn(fields, "message", "Message") ?? textIn(nested, "message") ?? `HTTP ${status} ${statusText}`;
  const name = headers.get("x-amzn-errortype") ?? textIn(fields, "__type") ?? textIn(nested, "type");
  const apiType = name === undefined ? undefined : name.replace(/^.*#/, "").replace(/:.*$/, "");
  return new ModelError(kindOf(apiType ?? "", status, message.trim()), message.trim(), {
    status,
    ...(apiType === undefined ? {} : { apiType }),
    ...retryAfter(headers, Date.now()),
  });
}

/** An exception in the middle of a stream, such as `throttlingException`. */
export function streamException(name: string, payload: unknown): ModelError {
  const message = (isObject(payload) ? textIn(payload, "message", "Message") : undefined) ?? name;
  return new ModelError(kindOf(name, 0, message), message, { apiType: name });
}

function textIn(fields: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  return names.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "") as
    string | undefined;
}

const KINDS: Readonly<Record<string, ModelErrorKind>> = {
  throttling: "rate_limit",
  toomanyrequests: "rate_limit",
  servicequotaexceeded: "rate_limit",
  unrecognizedclient: "authentication_failed",
  invalidsignature: "authentication_failed",
  incompletesignature: "authentication_failed",
  expiredtoken: "authentication_failed",
  invalidclienttokenid: "authentication_failed",
  missingauthenticationtoken: "authentication_failed",
  accessdenied: "authentication_failed",
  modelnotready: "overloaded",
  serviceunavailable: "overloaded",
  modeltimeout: "timeout",
  modelstreamerror: "server_error",
  modelerror: "server_error",
  internalserver: "server_error",
  internalfailure: "server_error",
  resourcenotfound: "model_not_found",
};

const STATUSES: Readonly<Record<number, ModelErrorKind>> = { 408: "timeout", 424: "server_error", 503: "overloaded" };

/** By name if it is known. A status alone is what proxies send. */
function kindOf(name: string, status: number, message: string): ModelErrorKind {
  const key = name.toLowerCase().replace(/(?:exception|error)$/, "");
  const known = KINDS[key] ?? KINDS[`${key}error`];
  if (known) return known;
  if (isOverflow(message)) return "prompt_too_long";
  if (/model identifier is invalid/i.test(message)) return "model_not_found";
  if (key === "validation") return "invalid_request";
  return STATUSES[status] ?? errorKind(status, name, message);
}
