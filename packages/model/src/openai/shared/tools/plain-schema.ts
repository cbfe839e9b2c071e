// A schema with the keywords that every server knows. Servers that turn schemas into a grammar, such as llama.cpp, refuse
// others; the tool itself checks its input. Pure.

import { isObject, type Json, type JsonObject } from "@keelson/protocol";

const KNOWN = new Set(["type", "description", "enum", "properties", "required", "items", "anyOf"]);
/** References may be recursive. */
const DEEPEST = 12;

const made = new WeakMap<JsonObject, JsonObject>();

export function plainSchema(schema: JsonObject): JsonObject {
  const known = made.get(schema) ?? plain(schema, schema, 0);
  made.set(schema, known);
  return known;
}

function plain(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { $ref: reference, oneOf, const: only, ...own } = schema;
  const base = typeof reference === "string" ? lookUp(reference, root) : {};
  const whole: JsonObject = {
    ...base,
    ...own,
    ...(Array.isArray(oneOf) ? { anyOf: oneOf } : {}),
    ...(only === undefined ? {} : { enum: [only] }),
  };
  const entries = Object.entries(whole).flatMap(([key, value]): readonly (readonly [string, Json | undefined])[] => {
    if (!KNOWN.has(key)) return [];
    if (key === "properties" && isObject(value))
      return [
        [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, below(inner, root, depth)]))],
      ];
    if (key === "items") return [[key, below(value, root, depth)]];
    if (key === "anyOf" && Array.isArray(value)) return [[key, value.map((inner) => below(inner, root, depth))]];
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

function below(value: unknown, root: JsonObject, depth: number): JsonObject {
  return isObject(value) && depth < DEEPEST ? plain(value as JsonObject, root, depth + 1) : {};
}

/** Follows `#/$defs/name`. */
function lookUp(reference: string, root: JsonObject): JsonObject {
  const found = reference
    .replace(/^#\/?/, "")
    .split("/")
    .reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), root);
  return isObject(found) && reference.startsWith("#/") ? (found as JsonObject) : {};
}
