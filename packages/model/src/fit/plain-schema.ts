// A schema with the keywords that every server knows. Servers that turn schemas into a grammar, such as llama.cpp, refuse
// others; the tool itself checks its input. Pure.

import { isObject, type Json, type JsonObject } from "@keelson/protocol";
import { withoutReference } from "./references.ts";

const KNOWN = new Set(["type", "description", "enum", "properties", "required", "items", "anyOf"]);

/** References may be recursive: what is deeper, or more than this, may be anything. */
const DEEPEST = 12;
const MOST_SCHEMAS = 2_000;

interface Conversion {
  readonly root: JsonObject;
  /** How many schemas may still be converted. */
  left: number;
}

const made = new WeakMap<JsonObject, JsonObject>();

export function plainSchema(schema: JsonObject): JsonObject {
  const known = made.get(schema) ?? plain(schema, { root: schema, left: MOST_SCHEMAS }, 0);
  made.set(schema, known);
  return known;
}

function plain(schema: JsonObject, conversion: Conversion, depth: number): JsonObject {
  const { oneOf, const: only, ...rest } = withoutReference(schema, conversion.root);
  const whole: Record<string, unknown> = {
    ...rest,
    ...(Array.isArray(oneOf) ? { anyOf: oneOf } : {}),
    ...(only === undefined ? {} : { enum: [only] }),
  };
  const below = (value: unknown): JsonObject =>
    isObject(value) && depth < DEEPEST && conversion.left-- > 0
      ? plain(value as JsonObject, conversion, depth + 1)
      : {};
  const entries = Object.entries(whole).flatMap(([key, value]): readonly (readonly [string, Json | undefined])[] => {
    if (!KNOWN.has(key)) return [];
    if (key === "properties" && isObject(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, below(inner)]))]];
    if (key === "items") return [[key, below(value)]];
    if (key === "anyOf" && Array.isArray(value)) return [[key, value.map(below)]];
    return [[key, value as Json]];
  });
  // The items of a list with fixed places are not among them.
  const lacksItems = [whole["type"]].flat().includes("array") && whole["items"] === undefined;
  return { ...Object.fromEntries(entries), ...(lacksItems ? { items: {} } : {}) };
}
