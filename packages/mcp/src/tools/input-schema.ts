// Converts a tool's input schema to a form the model API accepts. It only describes the input; the server validates it.

import { isObject, withoutReminderTags, type JsonObject } from "@keelson/protocol";
import { plainText } from "../plain-text.ts";
import { isDeeperThan } from "./depth.ts";
import { validSchema } from "./valid-schema.ts";

const MAX_LENGTH = 100_000;
/** Far more than anyone writes by hand or generates. */
const MAX_DEPTH = 200;
const CHOICES = ["anyOf", "oneOf", "allOf"] as const;

export function toApiSchema(schema: unknown): { readonly json: JsonObject } | { readonly problem: string } {
  if (!isObject(schema)) return { problem: "its input schema is not an object" };
  const { type = "object" } = schema;
  if (type !== "object") return { problem: "its input schema does not describe an object" };
  const text = jsonOf(schema);
  if (text === undefined || text.length > MAX_LENGTH) return { problem: "its input schema is too large" };
  const shown = withoutReminderTags(text) === text ? schema : withoutTags(schema);
  const plain = validSchema(withPlainText(shown) as Record<string, unknown>);
  const flat = withUsableNames(CHOICES.some((key) => plain[key] !== undefined) ? mergeBranches(plain) : plain);
  return { json: ("type" in flat ? flat : { type, ...flat }) as JsonObject };
}

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The API rejects the whole request if a property has any other name. */
function withUsableNames(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties, required } = schema;
  if (!isObject(properties) || Object.keys(properties).every((name) => PROPERTY.test(name))) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => PROPERTY.test(name))),
    ...(Array.isArray(required) ? { required: required.filter((name) => PROPERTY.test(String(name))) } : {}),
  };
}

/**
 * The API rejects the whole request if any schema has `anyOf`, `oneOf` or `allOf` at the top level. Show the model the
 * properties of all branches instead; a property stays required only if the top level or an `allOf` branch requires it.
 */
function mergeBranches(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const properties: Record<string, unknown> = {};
  const required = new Set<unknown>(listOf(rest["required"]));
  for (const branch of [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf)]) {
    if (isObject(branch) && isObject(branch["properties"])) Object.assign(properties, branch["properties"]);
  }
  for (const branch of listOf(allOf)) {
    if (isObject(branch)) for (const name of listOf(branch["required"])) required.add(name);
  }
  if (isObject(rest["properties"])) Object.assign(properties, rest["properties"]);
  return { ...rest, properties, ...(required.size > 0 ? { required: [...required] } : {}) };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Removes what cannot be seen from the texts that the model reads. Names and values stay as the server expects them. */
function withPlainText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainText);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    (key === "description" || key === "title") && typeof each === "string"
      ? plainText(each, MAX_LENGTH)
      : withPlainText(each),
  ]);
  return Object.fromEntries(entries);
}

/** The model reads values and inner names too. No server needs such a tag in one. */
function withoutTags(value: unknown): unknown {
  if (typeof value === "string") return withoutReminderTags(value);
  if (Array.isArray(value)) return value.map(withoutTags);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [withoutReminderTags(key), withoutTags(each)]));
}

/** Undefined if it is nested too deeply. */
function jsonOf(value: object): string | undefined {
  return isDeeperThan(MAX_DEPTH, value) ? undefined : JSON.stringify(value);
}
