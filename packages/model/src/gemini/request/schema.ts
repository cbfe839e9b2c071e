// Converts a JSON schema to the subset of OpenAPI that `parameters` knows. Only for old proxies: what the subset cannot
// say is dropped, and the tool checks its input anyway.

import { isObject, type Json, type JsonObject } from "@keelson/protocol";
import { withoutReference } from "../../fit/references.ts";

/** The schema of a tool's input; undefined if the tool takes none, since the subset has no empty objects. */
export function openApiSchema(schema: JsonObject): JsonObject | undefined {
  const made = convert(schema, { root: schema, left: MOST_NODES }, 0);
  return isObject(made?.["properties"]) ? made : undefined;
}

/** References may be recursive: what is deeper, or more than this, is dropped. */
const DEEPEST = 24;
const MOST_NODES = 5_000;

interface Conversion {
  readonly root: JsonObject;
  /** How many schemas may still be converted. */
  left: number;
}

function convert(value: unknown, conversion: Conversion, depth: number): JsonObject | undefined {
  if (!isObject(value) || depth > DEEPEST || conversion.left-- <= 0) return undefined;
  const schema = withoutReference(value, conversion.root);
  const { type, nullable } = typeOf(schema);
  const variants = variantsOf(schema, conversion, depth);
  const made: Record<string, Json | undefined> = {
    ...described(schema),
    ...(type === undefined ? {} : { type }),
    ...(nullable || variants.nullable ? { nullable: true } : {}),
    ...(type === undefined || type === "string" ? enumOf(schema) : {}),
    ...(type === "string" ? formatOf(schema) : {}),
  };
  if (type === undefined && made["enum"]) made["type"] = "string";
  if (variants.schemas.length === 1 && type === undefined) Object.assign(made, variants.schemas[0]);
  else if (variants.schemas.length > 0 && type === undefined) made["anyOf"] = variants.schemas;
  if (type === "array") made["items"] = convert(schema["items"], conversion, depth + 1) ?? { type: "string" };
  if (type === "object") {
    const properties = propertiesOf(schema, conversion, depth);
    // The subset has no objects without properties.
    if (properties === undefined) return undefined;
    Object.assign(made, properties);
  }
  if (made["type"] === undefined && made["anyOf"] === undefined) made["type"] = "string";
  return made;
}

function typeOf(schema: Record<string, unknown>): { readonly type: string | undefined; readonly nullable: boolean } {
  const named = Array.isArray(schema["type"]) ? listOf(schema["type"]) : listOf([schema["type"]]);
  const types = named.filter((type) => type !== "null");
  const nullable = types.length < named.length || schema["nullable"] === true;
  if (types.length > 0) return { type: types[0], nullable };
  if (isObject(schema["properties"])) return { type: "object", nullable };
  return { type: schema["items"] === undefined ? undefined : "array", nullable };
}

function variantsOf(schema: Record<string, unknown>, conversion: Conversion, depth: number) {
  const given = (schema["anyOf"] ?? schema["oneOf"]) as unknown;
  const all = Array.isArray(given) ? (given as unknown[]) : [];
  const real = all.filter((variant) => !(isObject(variant) && variant["type"] === "null"));
  return {
    schemas: real.map((variant) => convert(variant, conversion, depth + 1)).filter((variant) => variant !== undefined),
    nullable: real.length < all.length,
  };
}

/** Only text can be listed. */
function enumOf(schema: Record<string, unknown>): JsonObject {
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  const texts = listOf(values).filter((text) => text !== "");
  return Array.isArray(values) && texts.length === values.length && texts.length > 0 ? { enum: texts } : {};
}

function formatOf({ format }: Record<string, unknown>): JsonObject {
  return format === "date-time" || format === "enum" ? { format } : {};
}

function described({ description }: Record<string, unknown>): JsonObject {
  return typeof description === "string" ? { description } : {};
}

function propertiesOf(schema: Record<string, unknown>, conversion: Conversion, depth: number): JsonObject | undefined {
  const given = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const made = given.flatMap(([name, value]) => {
    const property = convert(value, conversion, depth + 1);
    return property ? [[name, property] as const] : [];
  });
  if (made.length === 0) return undefined;
  const required = [...new Set(listOf(schema["required"]))].filter((name) => made.some(([known]) => known === name));
  return { properties: Object.fromEntries(made), ...(required.length > 0 ? { required } : {}) };
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
