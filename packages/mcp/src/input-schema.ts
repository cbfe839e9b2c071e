// A tool's input schema as a server wrote it, in the form the model's API takes. It only describes: servers check.

import { isObject, type JsonObject } from "@keelson/protocol";

const MAX_LENGTH = 100_000;
const CHOICES = ["anyOf", "oneOf", "allOf"] as const;

export function toApiSchema(schema: unknown): { readonly json: JsonObject } | { readonly problem: string } {
  if (!isObject(schema)) return { problem: "its input schema is not an object" };
  const { type = "object" } = schema;
  if (type !== "object") return { problem: "its input schema does not describe an object" };
  const size = jsonLength(schema);
  if (size === undefined || size > MAX_LENGTH) return { problem: "its input schema is too large" };
  const flat = CHOICES.some((key) => schema[key] !== undefined) ? mergeBranches(schema) : schema;
  return { json: ("type" in flat ? flat : { type, ...flat }) as JsonObject };
}

/**
 * The API refuses a whole request for one schema with a choice at its top. The model is shown the fields of all
 * branches instead; only what every branch of an `allOf` needs stays needed.
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

/** Undefined when it is nested deeper than can be written. */
function jsonLength(value: object): number | undefined {
  try {
    return JSON.stringify(value).length;
  } catch {
    return undefined;
  }
}
