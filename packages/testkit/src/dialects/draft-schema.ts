// What is wrong with a JSON Schema of draft 2020-12, as vendors check the schemas of tools.

import { isObject } from "@keelson/protocol";

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"];
const BY_NAME = ["properties", "patternProperties", "$defs", "dependentSchemas"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const TEXTS = ["title", "description", "format", "pattern", "$ref", "$comment"];

/** One sentence; undefined if the schema is valid. */
export function draftProblem(schema: unknown, at = "#"): string | undefined {
  return schemaProblem(schema, at) ?? danglingReference(schema, schema);
}

/** A reference that leads nowhere. */
function danglingReference(value: unknown, root: unknown): string | undefined {
  if (Array.isArray(value)) return first(value.map((item) => danglingReference(item, root)));
  if (!isObject(value)) return undefined;
  const { $ref: reference } = value;
  if (typeof reference === "string" && reference.startsWith("#")) {
    const steps = reference.slice(1).split("/").filter(Boolean).map(decodeURIComponent);
    const keys = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const target = keys.reduce<unknown>(
      (at, key) => (isObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined),
      root,
    );
    if (target === undefined) return `PointerToNowhere: '${reference}' does not exist`;
  }
  return first(Object.values(value).map((item) => danglingReference(item, root)));
}

function schemaProblem(schema: unknown, at: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return `${JSON.stringify(schema)} is not of type 'object', 'boolean' (${at})`;
  for (const [key, value] of Object.entries(schema)) {
    const problem = keywordProblem(key, value, `${at}/${key}`);
    if (problem) return problem;
  }
  return undefined;
}

function keywordProblem(key: string, value: unknown, at: string): string | undefined {
  const wrong = (type: string) => `${JSON.stringify(value)} is not ${type} (${at})`;
  if (BY_NAME.includes(key)) {
    if (!isObject(value)) return wrong("of type 'object'");
    return first(Object.entries(value).map(([name, inner]) => schemaProblem(inner, `${at}/${name}`)));
  }
  if (LISTS.includes(key)) {
    if (!Array.isArray(value) || value.length === 0) return wrong("a list of schemas");
    return first(value.map((inner, index) => schemaProblem(inner, `${at}/${index}`)));
  }
  if (SINGLE.includes(key)) return schemaProblem(value, at);
  if (key === "type") {
    const types = Array.isArray(value) ? value : [value];
    const isKnown = types.length > 0 && types.every((type) => TYPES.includes(type));
    return isKnown && new Set(types).size === types.length ? undefined : wrong("a type");
  }
  if (key === "required") {
    const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
    return isList && new Set(value).size === value.length ? undefined : wrong("a list of unique names");
  }
  if (key === "enum") return Array.isArray(value) && value.length > 0 ? undefined : wrong("a list of values");
  if (COUNTS.includes(key)) return Number.isInteger(value) && Number(value) >= 0 ? undefined : wrong("a count");
  if (NUMBERS.includes(key)) return typeof value === "number" ? undefined : wrong("of type 'number'");
  if (TEXTS.includes(key)) return typeof value === "string" ? undefined : wrong("of type 'string'");
  return undefined;
}

const first = <T>(list: readonly (T | undefined)[]) => list.find((item) => item !== undefined);
