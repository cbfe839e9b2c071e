import { expect, test } from "bun:test";
import { toApiSchema } from "./input-schema.ts";

test("a schema is offered as it was written", () => {
  const schema = {
    type: "object",
    properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } },
    required: ["a"],
  };
  expect(toApiSchema(schema)).toEqual({ json: schema });
});

test("what is missing is added: it describes an object", () => {
  expect(toApiSchema({ properties: {} })).toEqual({ json: { type: "object", properties: {} } });
});

test("a choice at the top, which the API refuses, becomes the fields of all branches", () => {
  const either = { anyOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: {} } }] };
  expect(toApiSchema({ type: "object", properties: { c: {} }, ...either })).toEqual({
    json: { type: "object", properties: { a: { type: "string" }, b: {}, c: {} } },
  });
  const both = {
    allOf: [{ properties: { a: {} }, required: ["a"] }, true, { properties: { b: {} }, required: ["b"] }],
  };
  expect(toApiSchema({ required: ["c"], ...both })).toEqual({
    json: { type: "object", properties: { a: {}, b: {} }, required: ["c", "a", "b"] },
  });
});

test.each([
  ["nothing", undefined, "its input schema is not an object"],
  ["a text", "object", "its input schema is not an object"],
  ["a list", [], "its input schema is not an object"],
  ["an array's", { type: "array" }, "its input schema does not describe an object"],
  ["two types", { type: ["object", "null"] }, "its input schema does not describe an object"],
  ["too much", { type: "object", description: "x".repeat(200_000) }, "its input schema is too large"],
])("%s is refused", (_, schema, problem) => {
  expect(toApiSchema(schema)).toEqual({ problem });
});
