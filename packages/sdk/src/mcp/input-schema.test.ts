import { expect, test } from "bun:test";
import * as z4 from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import { checkArguments, toJsonSchema } from "./input-schema.ts";

// How TypeScript compiles a numeric enum.
const Level = { 0: "Low", 1: "High", Low: 0, High: 1 } as const;

const shape3 = {
  text: z3.string().min(1).max(9).describe("a text"),
  email: z3.string().email(),
  pattern: z3.string().regex(/^a+$/).optional(),
  count: z3.number().int().positive().max(10).default(3),
  share: z3.number().multipleOf(0.5).lt(1),
  yes: z3.boolean(),
  kind: z3.enum(["a", "b"]),
  level: z3.nativeEnum(Level),
  exact: z3.literal("x"),
  list: z3.array(z3.string()).min(1).max(3),
  pair: z3.tuple([z3.string(), z3.number()]),
  map: z3.record(z3.number()),
  nested: z3.object({ a: z3.string().nullable(), b: z3.date().optional() }).strict(),
  either: z3.union([z3.string(), z3.null()]),
  shapes: z3.discriminatedUnion("t", [z3.object({ t: z3.literal("c") }), z3.object({ t: z3.literal("s") })]),
  both: z3.object({ a: z3.string() }).and(z3.object({ b: z3.string() })),
  refined: z3.string().transform((text) => text.length),
  anything: z3.any(),
  lazy: z3.lazy(() => z3.string()),
  set: z3.set(z3.string()),
};

test("toJsonSchema() reads zod 3", async () => {
  expect(await toJsonSchema(shape3)).toEqual({
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 9, description: "a text" },
      email: { type: "string", format: "email" },
      pattern: { type: "string", pattern: "^a+$" },
      count: { type: "integer", exclusiveMinimum: 0, maximum: 10, default: 3 },
      share: { type: "number", multipleOf: 0.5, exclusiveMaximum: 1 },
      yes: { type: "boolean" },
      kind: { type: "string", enum: ["a", "b"] },
      level: { enum: [0, 1] },
      exact: { const: "x" },
      list: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
      pair: { type: "array", items: [{ type: "string" }, { type: "number" }], minItems: 2, maxItems: 2 },
      map: { type: "object", additionalProperties: { type: "number" } },
      nested: {
        type: "object",
        properties: {
          a: { anyOf: [{ type: "string" }, { type: "null" }] },
          b: { type: "string", format: "date-time" },
        },
        required: ["a"],
        additionalProperties: false,
      },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      shapes: {
        anyOf: [
          { type: "object", properties: { t: { const: "c" } }, required: ["t"] },
          { type: "object", properties: { t: { const: "s" } }, required: ["t"] },
        ],
      },
      both: {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
        ],
      },
      refined: { type: "string" },
      anything: {},
      lazy: { type: "string" },
      set: { type: "array", uniqueItems: true, items: { type: "string" } },
    },
    required: [
      "text",
      "email",
      "share",
      "yes",
      "kind",
      "level",
      "exact",
      "list",
      "pair",
      "map",
      "nested",
      "either",
      "shapes",
      "both",
      "refined",
      "lazy",
      "set",
    ],
  });
});

test("toJsonSchema() reads zod 4, classic and mini, as a shape and as an object", async () => {
  const expected = {
    type: "object",
    properties: {
      text: { type: "string", description: "a text" },
      count: { type: "number", default: 3 },
      maybe: { type: "boolean" },
    },
    required: ["text"],
  };
  const classic = {
    text: z4.string().describe("a text"),
    count: z4.number().default(3),
    maybe: z4.boolean().optional(),
  };
  expect(await toJsonSchema(classic)).toEqual(expected);
  expect(await toJsonSchema(z4.object(classic) as any)).toEqual(expected);
  const small = {
    text: mini.string().check(mini.describe("a text")),
    count: mini._default(mini.number(), 3),
    maybe: mini.optional(mini.boolean()),
  };
  expect(await toJsonSchema(small)).toEqual(expected);
});

test("toJsonSchema() leaves JSON Schema unchanged, even with a property called type", async () => {
  const schema = { type: "object", properties: { type: { type: "string" } }, required: ["type"] };
  expect(await toJsonSchema(schema)).toBe(schema);
  expect(await toJsonSchema({ type: z4.string() })).toEqual(schema);
});

test.each([
  ["a function", { f: z3.function() }, "ZodFunction has no JSON Schema"],
  ["a type that contains itself", { self: recursive() }, "contain themselves"],
  ["two versions at once", { a: z3.string(), b: z4.string() }, "cannot be mixed"],
  ["something else", { a: "string" }, '"a" is not a zod type'],
  ["a type without a JSON Schema in zod 4", { a: z4.bigint() }, "BigInt"],
])("toJsonSchema() throws for %s", async (_, shape, message) => {
  expect(await toJsonSchema(shape as any).catch((error: Error) => error.message)).toContain(message);
});

function recursive(): any {
  const type: any = z3.lazy(() => z3.array(type));
  return type;
}

test("checkArguments() checks, fills in and strips, for every version of zod", async () => {
  for (const z of [z3, z4] as any[]) {
    const shape = {
      name: z.string(),
      count: z.coerce.number().default(3),
      maybe: z.string().optional(),
      nested: z.object({ a: z.array(z.number()) }).optional(),
    };
    expect(await checkArguments(shape, { name: "n", extra: 1 })).toEqual({ ok: true, value: { name: "n", count: 3 } });
    const bad: any = await checkArguments(shape, { nested: { a: [1, "2"] } });
    expect([bad.ok, bad.problems.map((problem: string) => problem.split(":")[0])]).toEqual([
      false,
      ["name", "nested.a.1"],
    ]);
  }
  expect(await checkArguments({ a: z4.string() }, [])).toEqual({ ok: false, problems: ["expected an object"] });
});
