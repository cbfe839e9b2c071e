import { expect, test } from "bun:test";
import { plainSchema } from "./plain-schema.ts";

test("plainSchema() keeps what every server knows and says the rest in those words", () => {
  expect(
    plainSchema({
      $schema: "s",
      type: "object",
      properties: {
        kind: { const: "a" },
        size: { type: "integer", exclusiveMinimum: 0, description: "How big" },
        one: { oneOf: [{ type: "string", format: "uri" }, { type: "null" }] },
        pair: { type: ["array", "null"], prefixItems: [{ type: "string" }, { type: "number" }] },
      },
      required: ["kind"],
      additionalProperties: false,
    }),
  ).toEqual({
    type: "object",
    properties: {
      kind: { enum: ["a"] },
      size: { type: "integer", description: "How big" },
      one: { anyOf: [{ type: "string" }, { type: "null" }] },
      pair: { type: ["array", "null"], items: {} },
    },
    required: ["kind"],
  });
});

test("plainSchema() puts in place what references and allOf name, also through another reference", () => {
  expect(
    plainSchema({
      type: "object",
      properties: {
        who: { $ref: "#/$defs/alias", description: "Who asks" },
        odd: { $ref: "#/$defs/a~1b%20c" },
        gone: { $ref: "#/$defs/none" },
        broken: { $ref: "#/$defs/%E0%A4%A" },
        both: { allOf: [{ type: "object", properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] },
      },
      $defs: {
        alias: { $ref: "#/$defs/person" },
        person: { type: "object", properties: { name: { type: "string" } } },
        "a/b c": { type: "number" },
      },
    }),
  ).toEqual({
    type: "object",
    properties: {
      who: { type: "object", properties: { name: { type: "string" } }, description: "Who asks" },
      odd: { type: "number" },
      gone: {},
      broken: {},
      both: { type: "object", properties: { a: {}, b: {} }, required: ["a"] },
    },
  });
});

test("plainSchema() ends for schemas that contain themselves many times", () => {
  const node = { $ref: "#/$defs/node" };
  const children = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`c${at}`, node]));
  const schema = plainSchema({
    type: "object",
    properties: children,
    $defs: { node: { type: "object", properties: children, allOf: [node, node] } },
  });
  expect(JSON.stringify(schema).length).toBeLessThan(500_000);
  expect(JSON.stringify(schema)).not.toContain("$ref");
});
