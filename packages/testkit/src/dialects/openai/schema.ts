// What OpenAI refuses in the parameters of a function.

import { isObject } from "@keelson/protocol";
import { draftProblem } from "../draft-schema.ts";

const NOT_AT_ROOT = ["oneOf", "anyOf", "allOf", "enum", "not"];

export function schemaProblem(name: string, schema: unknown): string | undefined {
  const wrong = (what: string) => `Invalid schema for function '${name}': ${what}`;
  if (schema === undefined) return undefined;
  if (!isObject(schema) || schema["type"] !== "object" || NOT_AT_ROOT.some((key) => key in schema))
    return wrong("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.");
  if (!isObject(schema["properties"])) return wrong("In context=(), object schema missing properties.");
  const invalid = draftProblem(schema);
  if (invalid) return wrong(invalid);
  const place = arrayWithoutItems(schema, []);
  return place ? wrong(`In context=(${place.join(", ")}), array schema missing items.`) : undefined;
}

function arrayWithoutItems(schema: unknown, place: readonly string[]): readonly string[] | undefined {
  if (Array.isArray(schema)) return first(schema.map((item, at) => arrayWithoutItems(item, [...place, String(at)])));
  if (!isObject(schema)) return undefined;
  if (schema["type"] === "array" && !("items" in schema)) return place;
  const inside = ["properties", "items", "anyOf", "oneOf", "allOf", "additionalProperties", "$defs"];
  return first(
    inside.map((key) => {
      const value = schema[key];
      if ((key === "properties" || key === "$defs") && isObject(value))
        return first(Object.entries(value).map(([own, item]) => arrayWithoutItems(item, [...place, key, own])));
      return arrayWithoutItems(value, [...place, key]);
    }),
  );
}

const first = <T>(list: readonly (T | undefined)[]) => list.find((item) => item !== undefined);
