// Errors of Vertex AI: in Google's shape, or in that of the Messages API for what Claude's own servers refuse.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { googleError } from "../gemini/errors.ts";
import { responseError, type ErrorResponse } from "../http/http-error.ts";
import { isOverflow } from "../http/overflow.ts";

export function vertexError(response: ErrorResponse, addressFrom: string): ModelError {
  const parsed = tryParse(response.body);
  const error = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : {};
  if (typeof error["type"] !== "string") return googleError(response, addressFrom);
  const found = responseError(response, []);
  const kind = response.status < 429 && isOverflow(found.message) ? "prompt_too_long" : found.kind;
  if (kind === found.kind) return found;
  const { status, apiType, retryAfterMs } = found;
  return new ModelError(kind, found.message, { status, apiType, retryAfterMs });
}
