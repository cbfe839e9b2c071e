// Schemas of tools as OpenAI accepts them: the root is a plain object, and arrays say what they hold. The name of the
// draft is left out: some servers refuse it. Pure.

import { isObject, type JsonObject } from "@keelson/protocol";

const NOT_AT_ROOT = ["oneOf", "anyOf", "allOf", "enum", "not"];

const fitted = new WeakMap<JsonObject, JsonObject>();

/** The schema itself if nothing is wrong with it. */
export function fitParameters(schema: JsonObject): JsonObject {
  const known = fitted.get(schema);
  if (known) return known;
  const { $schema, ...rest } = schema;
  const fit = fitRoot(withItems($schema === undefined ? schema : rest) as JsonObject);
  fitted.set(schema, fit);
  return fit;
}

function fitRoot(schema: JsonObject): JsonObject {
  const wrong = NOT_AT_ROOT.filter((key) => schema[key] !== undefined);
  const { properties } = schema;
  if (schema["type"] === "object" && wrong.length === 0 && isObject(properties)) return schema;
  const variants = ["oneOf", "anyOf", "allOf"].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !NOT_AT_ROOT.includes(key)));
  // Every variant's properties are offered; the tool itself checks how they go together.
  const offered = variants.flatMap((variant) =>
    isObject(variant) && isObject(variant["properties"]) ? [variant["properties"]] : [],
  );
  return { ...rest, type: "object", properties: Object.assign({}, ...offered, properties ?? {}) };
}

/** The same value if no array lacks its items. */
function withItems(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withItems);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withItems(item)] as const);
  const isChanged = entries.some(([key, item]) => item !== value[key]);
  const types = Array.isArray(value["type"]) ? value["type"] : [value["type"]];
  const lacksItems = types.includes("array") && value["items"] === undefined && value["prefixItems"] === undefined;
  if (!isChanged && !lacksItems) return value;
  return { ...Object.fromEntries(entries), ...(lacksItems ? { items: {} } : {}) };
}
