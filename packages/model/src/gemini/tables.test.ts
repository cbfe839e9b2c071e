import { expect, test } from "bun:test";
import type { ModelErrorKind } from "@keelson/engine";
import type { JsonObject } from "@keelson/protocol";
import { anyTraits } from "../conformance/support.test-support.ts";
import { googleError } from "./errors.ts";
import { geminiFamily, generationOf } from "./model.ts";
import { openApiSchema } from "./request/schema.ts";
import { thinkingConfig } from "./request/thinking.ts";

const base = { max_tokens: 60_000, system: [], messages: [], tools: [], betas: [] };

test.each([
  ["gemini-3-pro-preview", { type: "adaptive" }, "low", { includeThoughts: true, thinkingLevel: "LOW" }],
  ["gemini-3-pro-preview", { type: "adaptive" }, "medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
  ["gemini-3-pro-preview", { type: "adaptive" }, "high", { includeThoughts: true, thinkingLevel: "HIGH" }],
  ["gemini-3-pro-preview", { type: "adaptive" }, "xhigh", { includeThoughts: true, thinkingLevel: "HIGH" }],
  ["gemini-3-pro-preview", { type: "adaptive" }, "max", { includeThoughts: true, thinkingLevel: "HIGH" }],
  ["gemini-3-pro-preview", { type: "adaptive" }, undefined, { includeThoughts: true }],
  [
    "gemini-3-pro-preview",
    { type: "enabled", budget_tokens: 2000 },
    undefined,
    { includeThoughts: true, thinkingLevel: "LOW" },
  ],
  ["gemini-3-pro-preview", { type: "disabled" }, "high", { thinkingLevel: "LOW" }],
  ["gemini-3-flash-preview", { type: "disabled" }, undefined, { thinkingLevel: "MINIMAL" }],
  ["gemini-flash-latest", { type: "adaptive" }, "low", { includeThoughts: true, thinkingLevel: "LOW" }],
  ["gemini-2.5-pro", { type: "adaptive" }, undefined, { includeThoughts: true, thinkingBudget: -1 }],
  ["gemini-2.5-pro", { type: "adaptive" }, "low", { includeThoughts: true, thinkingBudget: 2048 }],
  ["gemini-2.5-pro", { type: "adaptive" }, "high", { includeThoughts: true, thinkingBudget: -1 }],
  ["gemini-2.5-pro", { type: "disabled" }, undefined, { thinkingBudget: 128 }],
  ["gemini-2.5-flash", { type: "disabled" }, undefined, { thinkingBudget: 0 }],
  [
    "gemini-2.5-flash",
    { type: "enabled", budget_tokens: 50_000 },
    undefined,
    { includeThoughts: true, thinkingBudget: 24_576 },
  ],
  [
    "gemini-2.5-flash-lite",
    { type: "enabled", budget_tokens: 100 },
    undefined,
    { includeThoughts: true, thinkingBudget: 512 },
  ],
  [
    "gemini-2.5-flash",
    { type: "enabled", budget_tokens: 59_999 },
    undefined,
    { includeThoughts: true, thinkingBudget: -1 },
  ],
  ["gemini-2.0-flash", { type: "adaptive" }, "high", undefined],
  ["gemma-3-27b-it", { type: "adaptive" }, "high", undefined],
  ["gemini-3-pro-preview", undefined, undefined, undefined],
] as const)("%s with thinking %j and effort %s gets %j", (model, thinking, effort, expected) => {
  const request = { ...base, model, thinking, ...(effort ? { output_config: { effort } } : {}) };
  expect(thinkingConfig(request, { ...anyTraits, thinking: "adaptive" })).toEqual(expected as JsonObject | undefined);
});

test("thinkingConfig() follows what is known about the model, and spares short replies", () => {
  const request = {
    ...base,
    model: "gemini-3-pro-preview",
    thinking: { type: "adaptive" },
    output_config: { effort: "medium" },
  };
  const traits = { ...anyTraits, thinking: "adaptive" as const };
  expect(thinkingConfig(request, { ...traits, efforts: ["low", "high"] })).toMatchObject({ thinkingLevel: "HIGH" });
  expect(thinkingConfig(request, { ...traits, thinking: "none" })).toBeUndefined();
  expect(thinkingConfig({ ...base, model: "gemini-2.5-flash", max_tokens: 64 }, traits)).toEqual({ thinkingBudget: 0 });
});

test.each([
  ["gemini-2.5-pro", 2.5, "gemini-2.5-pro"],
  ["models/gemini-3-pro-preview-11-2025", 3, "gemini-3-pro"],
  ["gemini-3.1-flash-lite", 3.1, "gemini-3.1-flash-lite"],
  ["gemini-2.0-flash-001", 2, "gemini-2.0-flash"],
  ["gemini-pro-latest", 3, "gemini-pro"],
  ["gemma-3-27b-it", 0, "gemma-3-27b-it"],
])("%s is of generation %d and family %s", (id, generation, family) => {
  expect(generationOf(id)).toBe(generation);
  expect(geminiFamily(id)).toBe(family);
});

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

test.each<[string, JsonObject, JsonObject | undefined]>([
  ["no properties", { type: "object", properties: {}, additionalProperties: false }, undefined],
  ["const", { const: "a" }, { type: "string", enum: ["a"] }],
  ["numbers in an enum", { type: "integer", enum: [1, 2] }, { type: "integer" }],
  ["an empty text in an enum", { type: "string", enum: ["", "a"] }, { type: "string" }],
  ["nullable", { type: ["string", "null"], description: "d" }, { type: "string", nullable: true, description: "d" }],
  ["oneOf", { oneOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
  ["anyOf with null", { anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
  ["formats", { type: "string", format: "uri", minLength: 1, pattern: "x" }, { type: "string" }],
  ["dates", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
  [
    "items",
    { type: "array", items: { type: "string" }, uniqueItems: true },
    { type: "array", items: { type: "string" } },
  ],
  ["no items", { type: "array" }, { type: "array", items: { type: "string" } }],
  ["reference", { $ref: "#/$defs/thing" }, { type: "string", description: "a thing" }],
  ["allOf", { allOf: [{ $ref: "#/$defs/thing" }, { description: "mine" }] }, { type: "string", description: "mine" }],
])("openApiSchema() converts %s", (_, property, expected) => {
  const $defs = { thing: { type: "string", description: "a thing" } };
  const made = openApiSchema(
    object({ kept: { type: "boolean" }, property }, { $defs, required: ["property", "gone"] }),
  );
  const both = { kept: { type: "boolean" }, ...(expected ? { property: expected } : {}) };
  expect(made).toEqual({ type: "object", properties: both, ...(expected ? { required: ["property"] } : {}) });
});

test("openApiSchema() ends, however a schema refers to itself", () => {
  const node = { type: "object", properties: { left: { $ref: "#" }, right: { $ref: "#" }, name: { type: "string" } } };
  expect(JSON.stringify(openApiSchema(node)).length).toBeLessThan(1_000_000);
  expect(openApiSchema(object({ a: { $ref: "#/properties/a" }, b: { type: "string" } }))).toMatchObject({
    properties: { b: { type: "string" } },
  });
});

const google = (code: number, status: string, message: string, details: object[] = []) =>
  JSON.stringify({ error: { code, status, message, details } });

test.each<[ModelErrorKind, number, string]>([
  ["authentication_failed", 400, google(400, "INVALID_ARGUMENT", "Bad", [{ reason: "API_KEY_INVALID" }])],
  ["authentication_failed", 400, google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.")],
  ["authentication_failed", 401, google(401, "UNAUTHENTICATED", "Expected OAuth 2 access token")],
  ["authentication_failed", 403, google(403, "PERMISSION_DENIED", "The caller does not have permission")],
  ["rate_limit", 429, google(429, "RESOURCE_EXHAUSTED", "Resource exhausted")],
  [
    "billing_error",
    429,
    google(429, "RESOURCE_EXHAUSTED", "Quota exceeded", [{ violations: [{ quotaId: "RequestsPerDay" }] }]),
  ],
  ["overloaded", 503, google(503, "UNAVAILABLE", "The model is overloaded")],
  ["server_error", 500, google(500, "INTERNAL", "Internal error")],
  ["server_error", 504, "<html>gateway</html>"],
  ["timeout", 504, google(504, "DEADLINE_EXCEEDED", "Deadline exceeded")],
  ["model_not_found", 404, google(404, "NOT_FOUND", "models/x is not found")],
  [
    "prompt_too_long",
    400,
    google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
  ],
  ["invalid_request", 400, `[${google(400, "INVALID_ARGUMENT", "In a list")}]`],
  ["invalid_request", 302, ""],
])("googleError() is %s for HTTP %d %s", (kind, status, body) => {
  const error = googleError({ status, statusText: "", headers: new Headers(), body }, "GOOGLE_GEMINI_BASE_URL");
  expect({ kind: error.kind, status: error.status }).toEqual({ kind, status });
  expect(error.message).not.toMatch(/^$|[{<]/);
});

test("googleError() reads how long to wait", () => {
  const body = google(429, "RESOURCE_EXHAUSTED", "slow down", [{ retryDelay: "2.5s" }]);
  const error = googleError({ status: 429, statusText: "", headers: new Headers(), body }, "X");
  expect(error.retryAfterMs).toBe(2_500);
});
