import { expect, test } from "bun:test";
import { errorKind, responseError, retryAfter } from "./http-error.ts";

test("errorKind() uses status, error type and message", () => {
  const rows: [number, string | undefined, string, string][] = [
    [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "prompt_too_long"],
    [400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000", "prompt_too_long"],
    [413, "request_too_large", "Request exceeds the maximum size", "prompt_too_long"],
    [400, "invalid_request_error", "Your credit balance is too low to access the API", "billing_error"],
    [400, "invalid_request_error", "scripted failure", "invalid_request"],
    [401, "authentication_error", "invalid x-api-key", "authentication_failed"],
    [403, "permission_error", "no", "authentication_failed"],
    [402, undefined, "pay", "billing_error"],
    [404, "not_found_error", "model: x", "model_not_found"],
    [408, undefined, "slow", "server_error"],
    [429, "rate_limit_error", "wait", "rate_limit"],
    [500, "api_error", "oops", "server_error"],
    [503, "overloaded_error", "busy", "overloaded"],
    [504, "timeout_error", "late", "server_error"],
    [529, undefined, "busy", "overloaded"],
    [0, "something_new", "?", "unknown"],
  ];
  expect(rows.map(([status, type, message]) => errorKind(status, type, message) as string)).toEqual(
    rows.map((row) => row[3]),
  );
});

test("retryAfter() parses milliseconds, seconds and dates, and nothing else", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const read = (headers: Record<string, string>) => retryAfter(new Headers(headers), now).retryAfterMs;
  expect(read({ "retry-after": "2.5" })).toBe(2500);
  expect(read({ "retry-after": "9", "retry-after-ms": "120" })).toBe(120);
  expect(read({ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" })).toBe(5000);
  expect(read({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toBe(0);
  expect(read({ "retry-after": "soon" })).toBeUndefined();
  expect(read({})).toBeUndefined();
});

test("responseError() replaces a proxy's HTML with the status, and quotes plain text up to a limit", () => {
  const refusal = (body: string) =>
    responseError({ status: 502, statusText: "Bad Gateway", headers: new Headers(), body }, []).message;
  expect(refusal("<html>…</html>")).toBe("HTTP 502 Bad Gateway");
  expect(refusal("upstream is gone")).toBe("upstream is gone");
  expect(refusal("x".repeat(10_000))).toHaveLength(2001);
});

test("responseError() keeps what the server calls the request, and whether it wants it again", () => {
  const told = (headers: Record<string, string>) => {
    const { requestId, isFinal } = responseError(
      { status: 500, statusText: "", headers: new Headers(headers), body: "" },
      ["sk-secret-0001"],
    );
    return { requestId, isFinal };
  };
  expect(told({})).toEqual({ requestId: undefined, isFinal: false });
  expect(told({ "request-id": "req_1", "x-should-retry": "false" })).toEqual({ requestId: "req_1", isFinal: true });
  expect(told({ "request-id": "sk-secret-0001", "x-should-retry": "true" })).toEqual({
    requestId: "***",
    isFinal: false,
  });
});
