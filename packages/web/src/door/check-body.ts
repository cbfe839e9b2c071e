// Whether a value is what a route takes. Fields that a route does not name are refused: a misspelt one would have no effect.

import { isObject } from "@keelson/protocol";
import type { ObjectSchema, FieldSchema } from "../routes/route.ts";

/** What is wrong, for people; undefined if nothing is. */
export function fieldProblem(value: unknown, schema: FieldSchema, name = "The body"): string | undefined {
  if ("anyOf" in schema) {
    const problems = schema.anyOf.map((each) => fieldProblem(value, each, name));
    return problems.includes(undefined) ? undefined : problems[0];
  }
  switch (schema.type) {
    case "object":
      return isObject(value) ? objectProblem(value, schema, name) : `${name} must be an object`;
    case "array":
      if (!Array.isArray(value)) return `${name} must be an array`;
      return firstOf(value.map((each, at) => fieldProblem(each, schema.items, `${name}[${at}]`)));
    case "string": {
      if (typeof value !== "string") return `${name} must be a string`;
      const { maxLength = MAX_TEXT, enum: choices } = schema;
      if (value.length > maxLength) return `${name} must have at most ${maxLength} characters`;
      return choices && !choices.includes(value)
        ? `${name} must be one of ${choices.map((each) => `"${each}"`).join(", ")}`
        : undefined;
    }
    case "integer":
      return Number.isInteger(value) ? undefined : `${name} must be an integer`;
    case "number":
      return typeof value === "number" ? undefined : `${name} must be a number`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `${name} must be true or false`;
    case "null":
      return value === null ? undefined : `${name} must be null`;
  }
}

const MAX_TEXT = 1024 * 1024;

function objectProblem(
  value: Readonly<Record<string, unknown>>,
  schema: ObjectSchema,
  name: string,
): string | undefined {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const missing = required.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${name} needs "${missing}"`;
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(properties, key));
  if (unknown !== undefined && !additionalProperties) {
    const known = Object.keys(properties).map((each) => `"${each}"`);
    return `${name} has "${unknown.slice(0, 100)}"; it may have ${known.length === 0 ? "no fields" : known.join(", ")}`;
  }
  return firstOf(
    Object.entries(properties).map(([key, each]) =>
      Object.hasOwn(value, key) ? fieldProblem(value[key], each, `"${key}"`) : undefined,
    ),
  );
}

const firstOf = (problems: readonly (string | undefined)[]) => problems.find((each) => each !== undefined);
