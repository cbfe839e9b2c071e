import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { validateSchema } from "./json-schema.ts";

const complaints = (schema: JsonObject, value: unknown) =>
  validateSchema(schema, value).map(({ path, message }) => `${path}: ${message}`);

const person = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: ["number", "null"] } },
  required: ["a"],
  additionalProperties: false,
} as const;

const tree = {
  $ref: "#/$defs/node",
  $defs: {
    node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, v: { type: "integer" } }, required: ["v"] },
  },
} as const;

test.each<[JsonObject, unknown, string[]]>([
  [person, { a: "x", b: null }, []],
  [person, { a: 1 }, ["/a: must be string"]],
  [person, { a: "x", b: "y" }, ["/b: must be number,null"]],
  [person, {}, [": must have required property 'a'"]],
  [person, { a: "x", c: 1 }, [": must NOT have additional properties"]],
  [person, [], [": must be object"]],
  [{ type: "integer" }, 1.5, [": must be integer"]],
  [{ type: "integer" }, 2, []],
  [{ enum: ["a", { b: 1, c: 2 }] }, { c: 2, b: 1 }, []],
  [{ enum: ["a"] }, "b", [": must be equal to one of the allowed values"]],
  [{ const: 1 }, 2, [": must be equal to constant"]],
  [{ minimum: 1, maximum: 3 }, 0, [": must be >= 1"]],
  [{ minimum: 1, maximum: 3 }, 4, [": must be <= 3"]],
  [{ exclusiveMinimum: 1 }, 1, [": must be > 1"]],
  [{ exclusiveMaximum: 1 }, 1, [": must be < 1"]],
  [{ multipleOf: 0.1 }, 0.3, []],
  [{ multipleOf: 2 }, 3, [": must be multiple of 2"]],
  [{ minLength: 2 }, "a", [": must NOT have fewer than 2 characters"]],
  [{ maxLength: 1 }, "😀", []],
  [{ maxLength: 1 }, "ab", [": must NOT have more than 1 characters"]],
  [{ pattern: "^a" }, "b", [': must match pattern "^a"']],
  [{ format: "date" }, "2026-13-01", [': must match format "date"']],
  [{ format: "date-time" }, "2026-01-01T10:00:00Z", []],
  [{ format: "email" }, "me", [': must match format "email"']],
  [{ format: "uri" }, "https://e.com/x", []],
  [{ format: "uuid" }, "x", [': must match format "uuid"']],
  [{ format: "made-up" }, "x", []],
  [{ format: "constructor" }, "x", []],
  [{ items: { type: "number" } }, [1, "a"], ["/1: must be number"]],
  [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], ["/1: boolean schema is false"]],
  [{ items: [{ type: "string" }], additionalItems: { type: "number" } }, ["a", "b"], ["/1: must be number"]],
  [{ minItems: 1 }, [], [": must NOT have fewer than 1 items"]],
  [{ maxItems: 1 }, [1, 2], [": must NOT have more than 1 items"]],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], [": must NOT have duplicate items"]],
  [{ contains: { const: 1 } }, [2], [": must contain at least 1 valid item(s)"]],
  [{ minProperties: 1 }, {}, [": must NOT have fewer than 1 properties"]],
  [
    { patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
    { x1: 1, y: 1 },
    [": must NOT have additional properties"],
  ],
  [{ additionalProperties: { type: "number" } }, { a: "b" }, ["/a: must be number"]],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, true, [": must match a schema in anyOf"]],
  [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, 2, [": must match exactly one schema in oneOf"]],
  [{ allOf: [{ type: "number" }, { minimum: 1 }] }, 0, [": must be >= 1"]],
  [{ not: { type: "number" } }, 1, [": must NOT be valid"]],
  [
    { if: { type: "number" }, then: { minimum: 1 }, else: { type: "string" } },
    0,
    [": must be >= 1", ': must match "then" schema'],
  ],
  [{ if: { type: "number" }, else: { type: "string" } }, true, [": must be string", ': must match "else" schema']],
  [tree, { v: 1, next: { v: 2, next: { v: "x" } } }, ["/next/next/v: must be integer"]],
  [{ $ref: "#/definitions/n", definitions: { n: { type: "number" } } }, "a", [": must be number"]],
  [{ $ref: "https://e.com/x" }, 1, [": can't resolve reference https://e.com/x"]],
  [{ properties: { "a/b": { type: "number" } } }, { "a/b": "x" }, ["/a~1b: must be number"]],
  [
    { properties: { toString: { type: "string" } }, required: ["toString"] },
    {},
    [": must have required property 'toString'"],
  ],
  [{ unheardOf: 1 }, 1, []],
])("validateSchema() of %j and %j", (schema, value, expected) => {
  expect(complaints(schema, value)).toEqual(expected);
});

test("validateSchema() terminates for recursive schemas and deep values", () => {
  expect(complaints({ $ref: "#" }, 1)).toEqual([": is too large or nested too deeply to check"]);
  const wide = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) };
  expect(complaints(wide, 1).length).toBeGreaterThan(0);
  expect(validateSchema({ items: { type: "string" } }, new Array(10_000).fill(1)).length).toBe(20);
});

test("a pattern that would hang other engines is checked, and one with a back reference is not", () => {
  const checked = (pattern: string, value: string) => validateSchema({ type: "string", pattern }, value).length === 0;
  const text = `${"a".repeat(10_000)}!`;
  expect([checked("^(a+)+$", text), checked("^(a+)+!$", text)]).toEqual([false, true]);
  expect(checked("^(a)\\1$", "b")).toBe(true);
  // All values share one budget.
  const many = { type: "array", items: { pattern: "(a|b|c|d|e|f|g|h){100}x" } };
  validateSchema(many, Array<string>(2_000).fill(text));
});
