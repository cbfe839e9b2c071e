import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { array, boolean, integer, item, number, object, oneOf, optional, string } from "./schema.ts";
import { checkInput } from "./validate.ts";

const schema = object({
  path: string(),
  limit: optional(number()),
  offset: optional(integer(undefined, { minimum: 0 })),
  all: optional(boolean(undefined, { default: false })),
  mode: optional(oneOf(["a", "b"])),
  todos: optional(array(item({ content: string(), activeForm: string() }))),
}).json;

test("checkInput() fills in defaults and converts numbers and booleans sent as text", () => {
  expect(checkInput("Edit", schema, { path: "x", limit: "2", offset: "3" })).toEqual({
    ok: true,
    input: { path: "x", limit: 2, offset: 3, all: false },
  });
  expect(checkInput("Edit", schema, { path: "12", all: "true", limit: "-1.5" })).toEqual({
    ok: true,
    input: { path: "12", all: true, limit: -1.5 },
  });
});

test("checkInput() does not change the given object", () => {
  const given = { path: "x", limit: "2" };
  checkInput("Edit", schema, given);
  expect(given).toEqual({ path: "x", limit: "2" });
});

test.each<[unknown, string]>([
  [{}, "issue:\nThe required parameter `path` is missing"],
  [{ path: "x", extra: 1 }, "issue:\nAn unexpected parameter `extra` was provided"],
  [{ extra: 1 }, "issues:\nThe required parameter `path` is missing\nAn unexpected parameter `extra` was provided"],
  [{ path: 1 }, "issue:\nThe parameter `path` type is expected as `string` but provided as `number`"],
  [{ path: "x", limit: "two" }, "issue:\nThe parameter `limit` type is expected as `number` but provided as `string`"],
  [
    { path: "x", offset: "1.5" },
    "issue:\nThe parameter `offset` type is expected as `integer` but provided as `string`",
  ],
  [{ path: "x", limit: null }, "issue:\nThe parameter `limit` type is expected as `number` but provided as `null`"],
  [{ path: "x", todos: [{ content: "a" }] }, "issue:\nThe required parameter `todos[0].activeForm` is missing"],
  [
    { path: "x", todos: [{ content: "a", activeForm: "b", id: "1" }] },
    "issue:\nAn unexpected parameter `todos[0].id` was provided",
  ],
  [{ path: "x", todos: "a" }, "issue:\nThe parameter `todos` type is expected as `array` but provided as `string`"],
  ["x", "issue:\nThe parameter `input` type is expected as `object` but provided as `string`"],
])("checkInput() of %j", (input, expected) => {
  expect(checkInput("Tool", schema, input)).toEqual({
    ok: false,
    message: `InputValidationError: Tool failed due to the following ${expected}`,
  });
});

test("other issues are listed as JSON", () => {
  const checked = checkInput("Tool", schema, { path: "x", mode: "c", offset: -1 });
  expect(checked.ok).toBe(false);
  const text = checked.ok ? "" : checked.message;
  expect(text).toStartWith("InputValidationError: [");
  expect(JSON.parse(text.slice("InputValidationError: ".length))).toEqual([
    { code: "invalid_value", path: ["mode"], message: "must be equal to one of the allowed values" },
    { code: "too_small", path: ["offset"], message: "must be >= 0" },
  ]);
});

test("a schema without a type still requires an object", () => {
  expect(checkInput("Tool", {}, 5)).toMatchObject({ ok: false });
  expect(checkInput("Tool", {}, { a: 1 })).toEqual({ ok: true, input: { a: 1 } });
});

test("an input of the usual fields is judged like any other", () => {
  const field = (json: JsonObject) => ({ description: "What it is", ...json });
  const plain: JsonObject = {
    type: "object",
    properties: {
      path: field({ type: "string" }),
      count: field({ type: "integer" }),
      all: field({ type: "boolean" }),
      page: field({ type: "string", pattern: "^p" }),
    },
    required: ["path"],
    additionalProperties: false,
  };
  // A keyword without an effect makes each input be looked at closely.
  const close: JsonObject = { ...plain, $comment: "close" };
  const values = ["a", "p1", "7", "true", 7, 1.5, true, null, undefined, ["a"], { path: "a" }];
  const names = ["path", "count", "all", "page", "other", "__proto__", "toString"];
  for (const first of values) {
    expect(checkInput("T", plain, first)).toEqual(checkInput("T", close, first));
    for (const name of names) {
      for (const value of values) {
        const input = Object.fromEntries(
          [
            ["path", first],
            [name, value],
          ].filter(([, each]) => each !== undefined),
        );
        expect(checkInput("T", plain, input)).toEqual(checkInput("T", close, input));
      }
    }
  }
});
