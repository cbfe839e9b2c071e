import { expect, test } from "bun:test";
import { responseErrorOf, streamErrorOf } from "./errors.ts";

const of = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { kind, message, apiType, retryAfterMs } = responseErrorOf({
    status,
    statusText: "Status",
    headers: new Headers(headers),
    body: text,
  });
  return { kind, message, apiType, retryAfterMs };
};

test.each<[string, number, unknown, object]>([
  [
    "the vendor's shape",
    401,
    { error: { message: "Incorrect API key", type: "invalid_request_error", code: "invalid_api_key" } },
    { kind: "authentication_failed", message: "Incorrect API key", apiType: "invalid_api_key" },
  ],
  ["xAI's key", 400, { code: "x", error: "Incorrect API key provided" }, { kind: "authentication_failed" }],
  ["403", 403, {}, { kind: "authentication_failed", message: "HTTP 403 Status" }],
  ["a limit", 429, { error: { message: "Rate limit", code: "rate_limit_exceeded" } }, { kind: "rate_limit" }],
  ["no money left", 429, { error: { message: "Quota", type: "insufficient_quota" } }, { kind: "billing_error" }],
  ["payment required", 402, { error: { message: "Credits" } }, { kind: "billing_error" }],
  [
    "OpenRouter's moderation",
    403,
    { error: { code: 403, message: "flagged", metadata: { reasons: ["violence", "x"], flagged_input: "…" } } },
    { kind: "invalid_request", message: "flagged (violence, x)" },
  ],
  ["503", 503, {}, { kind: "overloaded" }],
  ["500", 500, { error: { message: "Oops", type: "server_error" } }, { kind: "server_error" }],
  ["502 with a page", 502, "<html>bad</html>", { kind: "server_error", message: "HTTP 502 Status" }],
  ["504", 504, "upstream timed out", { kind: "timeout", message: "upstream timed out" }],
  ["408", 408, {}, { kind: "timeout" }],
  ["Ollama's missing model", 404, { error: "model 'x' not found, try pulling it first" }, { kind: "model_not_found" }],
  [
    "the vendor's missing model",
    400,
    { error: { message: "x", code: "model_not_found" } },
    { kind: "model_not_found" },
  ],
  ["OpenRouter's", 400, { error: { message: "x is not a valid model ID", code: 400 } }, { kind: "model_not_found" }],
  [
    "a window by code",
    400,
    { error: { message: "Too much", code: "context_length_exceeded" } },
    { kind: "prompt_too_long" },
  ],
  [
    "llama.cpp's window",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
    { kind: "prompt_too_long" },
  ],
  [
    "LM Studio's window",
    400,
    { error: "Trying to keep the first 9 tokens when context the overflows" },
    { kind: "prompt_too_long" },
  ],
  ["a body that is too large", 413, "", { kind: "prompt_too_long" }],
  [
    "older vLLM",
    400,
    { object: "error", message: "Bad tool", type: "BadRequestError", code: 400 },
    { kind: "invalid_request", message: "Bad tool" },
  ],
  [
    "Mistral's validation",
    422,
    { detail: [{ loc: ["body", "prompt_cache_key"], msg: "Extra inputs are not permitted" }] },
    { kind: "invalid_request", message: "body.prompt_cache_key: Extra inputs are not permitted" },
  ],
  ["a list", 400, [{ error: { message: "In a list", status: "INVALID_ARGUMENT" } }], { message: "In a list" }],
  [
    "a parameter that the text does not name",
    400,
    { error: { message: "Unsupported", param: "stream_options" } },
    { message: "Unsupported (stream_options)" },
  ],
  [
    "OpenRouter quoting another server",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: '{"error":{"message":"prompt is too long: 9"}}' },
      },
    },
    { kind: "prompt_too_long", message: "Provider returned error (prompt is too long: 9)" },
  ],
])("%s", (_, status, body, wanted) => {
  expect(of(status, body)).toMatchObject(wanted);
});

test("a redirect is not followed", () => {
  expect(of(301, "", { location: "https://x.example" })).toMatchObject({
    kind: "invalid_request",
    message: expect.stringContaining('redirect to "https://x.example"'),
  });
});

test.each<[Record<string, string>, number | undefined]>([
  [{ "retry-after": "3" }, 3_000],
  [{ "retry-after-ms": "250" }, 250],
  [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
  [
    {
      "x-ratelimit-reset-requests": "20ms",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-tokens": "6m0s",
      "x-ratelimit-remaining-tokens": "100",
    },
    20,
  ],
  [{ "x-ratelimit-reset-tokens": "soon" }, undefined],
  [{}, undefined],
])("waits as %j says", (headers, ms) => {
  expect(of(429, {}, headers).retryAfterMs).toBe(ms);
});

test("errors in a stream have the kind of their code", () => {
  const kinds = [
    { code: 503, message: "x" },
    { code: "rate_limit_exceeded", message: "x" },
    { code: "server_error", message: "x" },
    { code: "context_length_exceeded", message: "x" },
    { type: "overloaded_error", message: "x" },
    { message: "x" },
    undefined,
  ].map((value) => streamErrorOf(value).kind);
  expect(kinds).toEqual([
    "overloaded",
    "rate_limit",
    "server_error",
    "prompt_too_long",
    "overloaded",
    "server_error",
    "server_error",
  ]);
});

test.each([
  ["Rate limit reached for gpt-5. Please try again in 1.2s. Visit …", 1_200],
  ["Please try again in 1m2s.", 62_000],
  ["Please try again in 20ms.", 20],
  ["Requests have exceeded the call rate limit. Please retry after 14 seconds.", 14_000],
  ["Please retry after 500 milliseconds.", 500],
  ["Try again in 2 minutes", 120_000],
  ["Try again in 2 months", undefined],
  ["Rate limit reached", undefined],
])("the wait that is named in %j is respected", (message, retryAfterMs) => {
  const error = { message, code: "rate_limit_exceeded" };
  expect([of(429, { error }).retryAfterMs, streamErrorOf(error).retryAfterMs]).toEqual([retryAfterMs, retryAfterMs]);
  expect(of(429, { error }, { "retry-after": "3" }).retryAfterMs).toBe(3_000);
});
