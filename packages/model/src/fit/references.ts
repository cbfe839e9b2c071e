// Schemas without references: servers that know only part of JSON Schema do not follow them. Pure.

import { isObject, type JsonObject } from "@keelson/protocol";

/** References may lead to references, in a circle too. What is more than this is left out. */
const MOST_FOLLOWED = 200;

/** The schema with what its reference names and with the parts of `allOf`; its own words come before theirs. */
export function withoutReference(
  schema: Readonly<Record<string, unknown>>,
  root: JsonObject,
  budget = { left: MOST_FOLLOWED },
): Record<string, unknown> {
  const { $ref: reference, allOf, ...own } = schema;
  const bases = [
    ...(typeof reference === "string" ? [lookUp(reference, root)] : []),
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
  ].filter(isObject);
  const followed = bases.flatMap((base) => (budget.left-- > 0 ? [withoutReference(base, root, budget)] : []));
  return [...followed, own].reduce((before, next) => merged(next, before));
}

/** Whether the schema contains a reference. */
export function hasReference(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasReference);
  if (!isObject(schema)) return false;
  return typeof schema["$ref"] === "string" || Object.values(schema).some(hasReference);
}

function merged(own: Record<string, unknown>, base: Record<string, unknown>): Record<string, unknown> {
  const properties = { ...(base["properties"] as object), ...(own["properties"] as object) };
  const required = [...listOf(base["required"]), ...listOf(own["required"])];
  return {
    ...base,
    ...own,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

const listOf = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []);

/** Follows `#/$defs/name`. */
function lookUp(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference.slice(1).split("/").filter(Boolean);
  return steps.reduce<unknown>((at, step) => {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
