import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { press, screenOf } from "../../widgets/panel.test-support.ts";
import { dialogFor, requests, responseOf } from "../dialog.test-support.ts";

const form = (properties: JsonObject, required: string[] = []) =>
  requests("elicitation", {
    mcp_server_name: "el",
    message: "Please",
    mode: "form",
    requested_schema: { type: "object", properties, required },
    property_order: Object.keys(properties),
  });
/** Keys for the only field, then Send. */
const send = (property: JsonObject, keys: string, required = true) =>
  responseOf(press(dialogFor(form({ it: property }, required ? ["it"] : [])), `${keys} down enter`));
const accepted = (it: unknown) => ({ action: "accept", content: { it } }) as JsonObject;

const text = { type: "string" };
const options = { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] };
const titled = {
  type: "string",
  oneOf: [
    { const: "r", title: "Red" },
    { const: "g", title: "Green" },
  ],
};
const list = { type: "array", items: { type: "string", enum: ["a", "b", "c"] } };

test.each<[string, JsonObject, string, unknown]>([
  ["a text", text, "'Bob n y'", "Bob n y"],
  ["a text with a default", { ...text, default: "x" }, "'y'", "xy"],
  ["an email address", { ...text, format: "email" }, "'a@b.de'", "a@b.de"],
  ["a date", { ...text, format: "date" }, "'2026-02-28'", "2026-02-28"],
  ["a date and time", { ...text, format: "date-time" }, "'2026-02-28T10:00:00Z'", "2026-02-28T10:00:00Z"],
  ["an address", { ...text, format: "uri" }, "'https://x.y/z'", "https://x.y/z"],
  ["a number", { type: "number" }, "'-1.5'", -1.5],
  ["a whole number", { type: "integer" }, "'12'", 12],
  ["yes", { type: "boolean" }, "space", true],
  ["no", { type: "boolean" }, "2", false],
  ["a default", { type: "boolean", default: false }, "", false],
  ["a choice by digit", options, "2", "g"],
  ["a choice by arrow", titled, "right", "g"],
  ["a choice by Space", titled, "space", "r"],
  ["several choices", list, "1 3", ["a", "c"]],
  ["several by arrows", list, "space right right space", ["a", "c"]],
  ["several with a default", { ...list, default: ["b", "zz"] }, "1", ["a", "b"]],
  ["another type", { type: "object" }, '<{"a":1}>', { a: 1 }],
])("%s", (_, property, keys, value) => {
  expect(send(property, keys)).toEqual(accepted(value));
});

test.each<[string, JsonObject, string, string]>([
  ["nothing", text, "", "Required"],
  ["no choice", options, "", "Choose one"],
  ["neither yes nor no", { type: "boolean" }, "", "Choose yes or no"],
  ["a short text", { ...text, minLength: 3 }, "'ab'", "Enter at least 3 characters"],
  ["a long text", { ...text, maxLength: 1 }, "'ab'", "Enter at most 1 characters"],
  ["no email address", { ...text, format: "email" }, "'ab'", "Enter an email address"],
  ["no date", { ...text, format: "date" }, "'2026-02-30'", "Enter a date"],
  ["no time", { ...text, format: "date-time" }, "'2026-02-28'", "Enter a date and time"],
  ["no address", { ...text, format: "uri" }, "'x'", "Enter an address"],
  ["no match", { ...text, pattern: "^a+$" }, "'b'", "matches ^a+$"],
  ["no number", { type: "number" }, "'x'", "Enter a number"],
  ["a fraction", { type: "integer" }, "'1.5'", "Enter a whole number"],
  ["too small", { type: "number", minimum: 2 }, "'1'", "Enter 2 or more"],
  ["too large", { type: "number", maximum: 2 }, "'3'", "Enter 2 or less"],
  ["too few", { ...list, minItems: 2 }, "1", "Choose at least 2"],
  ["too many", { ...list, maxItems: 1 }, "1 2", "Choose at most 1"],
  ["no JSON", { type: "object" }, "'{'", "Enter a JSON value"],
])("%s is not sent, and the form says why", (_, property, keys, error) => {
  const dialog = dialogFor(form({ it: property }, ["it"]));
  expect(press(dialog, `${keys} down enter`)).toBeUndefined();
  expect(screenOf(dialog)).toContain(error);
});

test("a hostile pattern does not stop the form", () => {
  expect(send({ ...text, pattern: "^(a+)+$" }, `'${"a".repeat(40)}!'`)).toEqual(accepted(`${"a".repeat(40)}!`));
});

test("an optional field that is empty is left out", () => {
  expect(send(text, "", false)).toEqual({ action: "accept", content: {} });
});

test("the lines of a text fill the fields, but do not send them", () => {
  const dialog = dialogFor(form({ it: text, other: text }, ["it"]));
  expect(press(dialog, "'one' enter 'two' enter enter enter 'three' enter")).toBeUndefined();
  expect(screenOf(dialog)).toContain("↑ ↓ Enter send");
  expect(responseOf(press(dialog, "up down enter"))).toEqual({
    action: "accept",
    content: { it: "one", other: "two" },
  });
});

test.each<[string, string, JsonObject]>([
  ["Decline", "down down enter", { action: "decline" }],
  ["Esc", "'x' escape", { action: "cancel" }],
  ["Ctrl+C", "ctrl+c", { action: "cancel" }],
])("%s", (_, keys, response) => {
  expect(responseOf(press(dialogFor(form({ it: text }, ["it"])), keys))).toEqual(response);
});

const url = requests("elicitation", {
  mcp_server_name: "el",
  message: "Sign in",
  mode: "url",
  url: "https://example.com/login",
  elicitation_id: "e1",
});

test.each<[string, string, JsonObject, JsonObject[]]>([
  ["opened on request", "1 enter", { action: "accept" }, [{ kind: "open-url", url: "https://example.com/login" }]],
  ["opened by hand", "2 enter", { action: "accept" }, []],
  ["declined", "3 enter", { action: "decline" }, []],
  ["cancelled", "escape", { action: "cancel" }, []],
])("an address is %s", (_, keys, response, effects) => {
  expect(press(dialogFor(url), keys)).toEqual({ kind: "reply", response, effects } as never);
});
