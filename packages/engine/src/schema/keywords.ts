// The keywords of JSON Schema that are about one type: numbers, strings, lists and objects.

import { isObject } from "@keelson/protocol";
import { canonicalJson, characterCount } from "./json-values.ts";

export type PatternTest = (pattern: string, value: string) => boolean;

/** One value under one schema. */
export interface SchemaSpot {
  readonly path: string;
  complain(keyword: string, message: string, detail?: string): void;
  /** Checks a value inside this one, or this one against another schema. */
  inner(schema: unknown, value?: unknown, path?: string): void;
  /** Whether a value matches; complains about nothing. */
  fits(schema: unknown, value?: unknown): boolean;
  readonly matches: PatternTest;
}

type Fields = Record<string, unknown>;

export function checkNumber(schema: Fields, value: number, { complain }: SchemaSpot): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) complain("minimum", `must be >= ${minimum}`);
  if (typeof maximum === "number" && value > maximum) complain("maximum", `must be <= ${maximum}`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) {
    complain("exclusiveMinimum", `must be > ${exclusiveMinimum}`);
  }
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) {
    complain("exclusiveMaximum", `must be < ${exclusiveMaximum}`);
  }
  if (typeof multipleOf === "number" && multipleOf > 0) {
    const quotient = value / multipleOf;
    if (Math.abs(quotient - Math.round(quotient)) > 1e-9) complain("multipleOf", `must be multiple of ${multipleOf}`);
  }
}

export function checkString(schema: Fields, value: string, { complain, matches }: SchemaSpot): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = typeof minLength === "number" || typeof maxLength === "number" ? characterCount(value) : 0;
  if (typeof minLength === "number" && length < minLength) {
    complain("minLength", `must NOT have fewer than ${minLength} characters`);
  }
  if (typeof maxLength === "number" && length > maxLength) {
    complain("maxLength", `must NOT have more than ${maxLength} characters`);
  }
  if (typeof pattern === "string" && !matches(pattern, value)) complain("pattern", `must match pattern "${pattern}"`);
  if (typeof format === "string" && Object.hasOwn(FORMATS, format) && !FORMATS[format]!.test(value)) {
    complain("format", `must match format "${format}"`);
  }
}

/** Lenient on purpose: they catch prose where a date or an address is expected. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])$/,
  "date-time":
    /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-6]\d(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
};

export function checkArray(schema: Fields, value: unknown[], { path, complain, inner, fits }: SchemaSpot): void {
  const { minItems, maxItems, contains } = schema;
  if (typeof minItems === "number" && value.length < minItems) {
    complain("minItems", `must NOT have fewer than ${minItems} items`);
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    complain("maxItems", `must NOT have more than ${maxItems} items`);
  }
  if (schema.uniqueItems === true && new Set(value.map(canonicalJson)).size < value.length) {
    complain("uniqueItems", "must NOT have duplicate items");
  }
  // Draft 7 puts the fixed items in an `items` list and the rest in `additionalItems`.
  const listed = Array.isArray(schema.items);
  const head: unknown = listed ? schema.items : schema.prefixItems;
  const fixed = Array.isArray(head) ? head : [];
  const rest: unknown = listed ? schema.additionalItems : schema.items;
  for (const [at, item] of value.entries()) {
    const next: unknown = at < fixed.length ? fixed[at] : rest;
    if (next !== undefined) inner(next, item, `${path}/${at}`);
  }
  if (contains !== undefined && !value.some((item) => fits(contains, item))) {
    complain("contains", "must contain at least 1 valid item(s)");
  }
}

export function checkObject(schema: Fields, value: Fields, spot: SchemaSpot): void {
  const { complain } = spot;
  const { required, minProperties, maxProperties, dependentRequired } = schema;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  for (const key of Array.isArray(required) ? required : []) {
    if (!keys.includes(String(key))) complain("required", `must have required property '${key}'`, String(key));
  }
  if (isObject(dependentRequired)) {
    for (const [key, needs] of Object.entries(dependentRequired)) {
      if (!keys.includes(key) || !Array.isArray(needs)) continue;
      for (const need of needs) {
        if (!keys.includes(String(need)))
          complain("required", `must have property ${need} when property ${key} is present`, String(need));
      }
    }
  }
  if (typeof minProperties === "number" && keys.length < minProperties) {
    complain("minProperties", `must NOT have fewer than ${minProperties} properties`);
  }
  if (typeof maxProperties === "number" && keys.length > maxProperties) {
    complain("maxProperties", `must NOT have more than ${maxProperties} properties`);
  }
  for (const key of keys) checkProperty(schema, key, value[key], spot);
}

function checkProperty(schema: Fields, key: string, value: unknown, spot: SchemaSpot): void {
  const { path, complain, inner, fits, matches } = spot;
  const { propertyNames, additionalProperties } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const at = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  let known = false;
  if (Object.hasOwn(properties, key)) {
    known = true;
    inner(properties[key], value, at);
  }
  for (const [pattern, next] of patterns) {
    if (!matches(pattern, key)) continue;
    known = true;
    inner(next, value, at);
  }
  if (propertyNames !== undefined && !fits(propertyNames, key))
    complain("propertyNames", "property name must be valid", key);
  if (known || additionalProperties === undefined) return;
  if (additionalProperties === false) {
    complain("additionalProperties", "must NOT have additional properties", key);
  } else inner(additionalProperties, value, at);
}
