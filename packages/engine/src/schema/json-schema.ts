// A small JSON Schema validator (the common parts of 2020-12 and draft 7). It knows values, not tools. Unknown keywords
// are ignored. Work, depth and the number of issues are bounded.

import { isObject, type JsonObject } from "@keelson/protocol";
import { compileRegex, MOST_STEPS as MOST_PATTERN_STEPS, type Effort, type Regex } from "../pattern/regex.ts";

export interface Issue {
  /** A JSON pointer such as `/a/0`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
  readonly keyword: string;
  /** The property or type the issue is about. */
  readonly detail?: string;
}

const MOST_ISSUES = 20;
const MOST_STEPS = 200_000;
const DEEPEST = 100;

/** All issues with the value, at most twenty; empty if it is valid. */
export function validateSchema(schema: JsonObject, value: unknown): Issue[] {
  const check: Check = { root: schema, issues: [], steps: { left: MOST_STEPS }, matches: patternMatcher() };
  validate(schema, value, "", 0, check);
  return check.issues;
}

interface Check {
  readonly root: JsonObject;
  readonly issues: Issue[];
  readonly steps: { left: number };
  readonly matches: Matches;
}

type Matches = (pattern: string, value: string) => boolean;

function validate(schema: unknown, value: unknown, path: string, depth: number, check: Check): void {
  if (check.steps.left > 0 && depth <= DEEPEST && isSimplyOf(schema, value)) return void check.steps.left--;
  const complain = (keyword: string, message: string, detail?: string) => {
    if (check.issues.length < MOST_ISSUES)
      check.issues.push({ path, message, keyword, ...(detail !== undefined && { detail }) });
  };
  if (--check.steps.left < 0 || depth > DEEPEST) return complain("depth", "is too large or nested too deeply to check");
  if (schema === false) return complain("false", "boolean schema is false");
  if (!isObject(schema)) return;
  const inner = (next: unknown, at: unknown = value, where = path) => validate(next, at, where, depth + 1, check);
  const fits = (next: unknown, at: unknown = value) => {
    const trial: Check = { ...check, issues: [] };
    validate(next, at, path, depth + 1, trial);
    return trial.issues.length === 0;
  };

  if (typeof schema.$ref === "string") {
    const target = resolve(check.root, schema.$ref);
    if (target === undefined) complain("$ref", `can't resolve reference ${schema.$ref}`);
    else inner(target);
  }
  const types = typesOf(schema.type);
  if (types && !types.some((type) => isType(type, value))) {
    complain("type", `must be ${types.join(",")}`, types.join(","));
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((each) => same(each, value))) {
    complain("enum", "must be equal to one of the allowed values");
  }
  if ("const" in schema && !same(schema.const, value)) complain("const", "must be equal to constant");

  if (typeof value === "number") checkNumber(schema, value, complain);
  if (typeof value === "string") checkString(schema, value, complain, check.matches);
  if (Array.isArray(value)) checkArray(schema, value, path, complain, inner, fits);
  else if (isObject(value)) checkObject(schema, value, path, complain, inner, fits, check.matches);

  if (Array.isArray(schema.allOf)) for (const each of schema.allOf) inner(each);
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((each) => fits(each))) {
    complain("anyOf", "must match a schema in anyOf");
  }
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter((each) => fits(each)).length !== 1) {
    complain("oneOf", "must match exactly one schema in oneOf");
  }
  if ("not" in schema && fits(schema.not)) complain("not", "must NOT be valid");
  if ("if" in schema) {
    const branch = fits(schema.if) ? "then" : "else";
    if (branch in schema && !fits(schema[branch])) {
      inner(schema[branch]);
      complain("if", `must match "${branch}" schema`);
    }
  }
}

/** Whether the schema asks for nothing but a type, as most fields of tools do, and the value has it. */
function isSimplyOf(schema: unknown, value: unknown): boolean {
  if (!isObject(schema) || typeof schema.type !== "string" || !TYPES.has(schema.type)) return false;
  for (const key in schema) if (key !== "type" && key !== "description") return false;
  return isType(schema.type, value);
}

type Complain = (keyword: string, message: string, detail?: string) => void;
type Inner = (schema: unknown, value?: unknown, path?: string) => void;
type Fits = (schema: unknown, value?: unknown) => boolean;
type Fields = Record<string, unknown>;

function checkNumber(schema: Fields, value: number, complain: Complain): void {
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

function checkString(schema: Fields, value: string, complain: Complain, matches: Matches): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = typeof minLength === "number" || typeof maxLength === "number" ? characters(value) : 0;
  if (typeof minLength === "number" && length < minLength) {
    complain("minLength", `must NOT have fewer than ${minLength} characters`);
  }
  if (typeof maxLength === "number" && length > maxLength) {
    complain("maxLength", `must NOT have more than ${maxLength} characters`);
  }
  if (typeof pattern === "string" && !matches(pattern, value)) complain("pattern", `must match pattern "${pattern}"`);
  if (typeof format === "string" && FORMATS[format]?.test(value) === false) {
    complain("format", `must match format "${format}"`);
  }
}

/** Lenient on purpose: they catch prose where a date or an address is expected. */
const FORMATS: Readonly<Record<string, RegExp | undefined>> = {
  date: /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])$/,
  "date-time":
    /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-6]\d(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
};

function checkArray(
  schema: Fields,
  value: unknown[],
  path: string,
  complain: Complain,
  inner: Inner,
  fits: Fits,
): void {
  const { minItems, maxItems, contains } = schema;
  if (typeof minItems === "number" && value.length < minItems) {
    complain("minItems", `must NOT have fewer than ${minItems} items`);
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    complain("maxItems", `must NOT have more than ${maxItems} items`);
  }
  if (schema.uniqueItems === true && new Set(value.map(canonical)).size < value.length) {
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

function checkObject(
  schema: Fields,
  value: Fields,
  path: string,
  complain: Complain,
  inner: Inner,
  fits: Fits,
  matches: Matches,
): void {
  const { required, minProperties, maxProperties, propertyNames, dependentRequired } = schema;
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
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  for (const key of keys) {
    const at = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    let known = false;
    if (Object.hasOwn(properties, key)) {
      known = true;
      inner(properties[key], value[key], at);
    }
    for (const [pattern, next] of patterns) {
      if (!matches(pattern, key)) continue;
      known = true;
      inner(next, value[key], at);
    }
    if (propertyNames !== undefined && !fits(propertyNames, key))
      complain("propertyNames", "property name must be valid", key);
    if (known || schema.additionalProperties === undefined) continue;
    if (schema.additionalProperties === false) {
      complain("additionalProperties", "must NOT have additional properties", key);
    } else inner(schema.additionalProperties, value[key], at);
  }
}

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function typesOf(type: unknown): string[] | undefined {
  if (type === undefined) return undefined;
  const list: unknown[] = Array.isArray(type) ? type : [type];
  return list.every((each) => typeof each === "string" && TYPES.has(each)) ? (list as string[]) : [];
}

export function isType(type: string, value: unknown): boolean {
  return type === "number"
    ? typeof value === "number"
    : type === "integer"
      ? Number.isInteger(value)
      : typeName(value) === type;
}

export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Only references within the schema; nothing is fetched. */
function resolve(root: Fields, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const raw of reference.slice(2).split("/")) {
    const key = decode(raw).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A pattern that cannot be matched in bounded time is not checked: the schema may come from a hostile server. */
function patternMatcher(): Matches {
  const effort: Effort = { left: MOST_PATTERN_STEPS };
  const known = new Map<string, Regex | undefined>();
  return (pattern, value) => {
    if (!known.has(pattern)) known.set(pattern, compile(pattern));
    const regex = known.get(pattern);
    return regex !== undefined && regex.test(value, effort) !== false;
  };
}

/** Older patterns use escapes that the unicode flag does not allow. */
function compile(pattern: string): Regex | undefined {
  return compileRegex(pattern, { unicode: true }) ?? compileRegex(pattern);
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function same(left: unknown, right: unknown): boolean {
  return (
    left === right || (typeof left === "object" && typeof right === "object" && canonical(left) === canonical(right))
  );
}

/** Equal values have equal text, whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}
