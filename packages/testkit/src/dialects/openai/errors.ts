// The errors of OpenAI, as answers and inside a stream.

import type { DialectFailure, ScriptedAnswer } from "../script.ts";

export const OPENAI_STATUS: Readonly<Record<DialectFailure["failure"], number>> = {
  authentication_failed: 401,
  rate_limit: 429,
  billing_error: 429,
  overloaded: 503,
  server_error: 500,
  model_not_found: 404,
  prompt_too_long: 400,
  timeout: 504,
  invalid_request: 400,
};

/** The vendor's error object. */
export function errorOf({ failure, message }: DialectFailure) {
  const [code, words] = {
    authentication_failed: ["invalid_api_key", "Incorrect API key provided"],
    rate_limit: ["rate_limit_exceeded", "Rate limit reached for requests"],
    billing_error: ["insufficient_quota", "You exceeded your current quota, please check your plan"],
    overloaded: [null, "The engine is currently overloaded, please try again later"],
    server_error: [null, "The server had an error while processing your request"],
    model_not_found: ["model_not_found", "The model does not exist or you do not have access to it"],
    prompt_too_long: ["context_length_exceeded", "This model's maximum context length is 1000 tokens"],
    timeout: [null, "Gateway timeout"],
    invalid_request: [null, "Invalid request"],
  }[failure] as [string | null, string];
  return { message: message ?? words, type: "invalid_request_error", param: null, code };
}

export function openaiRefusal(failure: DialectFailure): ScriptedAnswer {
  const { retryAfterSeconds } = failure;
  return {
    status: OPENAI_STATUS[failure.failure],
    headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    body: { error: errorOf(failure) },
  };
}
