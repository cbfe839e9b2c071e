// A small JSON Schema validator (the common parts of 2020-12 and draft 7). It knows values, not tools. Unknown keywords
// are ignored. Work, depth and the number of issues are bounded.

import { isObject, type JsonObject } from "@keelson/protocol";
import { compileRegex, MOST_STEPS as MOST_PATTERN_STEPS, type Effort, type Regex } from "../pattern/regex.ts";
import { isType, resolveReference, isSameJson, JSON_TYPES, typesOf } from "./json-values.ts";
import { checkArray, checkNumber, checkObject, checkString, type PatternTest, type SchemaSpot } from "./keywords.ts";

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
  validate(schema, value, { path: "", depth: 0 }, check);
  return check.issues;
}

interface Check {
  readonly root: JsonObject;
  readonly issues: Issue[];
  readonly steps: { left: number };
  readonly matches: PatternTest;
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function validate(schema: unknown, value: unknown, { path, depth }: Place, check: Check): void {
  if (check.steps.left > 0 && depth <= DEEPEST && isSimplyOf(schema, value)) return void check.steps.left--;
  const complain = (keyword: string, message: string, detail?: string) => {
    if (check.issues.length < MOST_ISSUES)
      check.issues.push({ path, message, keyword, ...(detail !== undefined && { detail }) });
  };
  if (--check.steps.left < 0 || depth > DEEPEST) return complain("depth", "is too large or nested too deeply to check");
  if (schema === false) return complain("false", "boolean schema is false");
  if (!isObject(schema)) return;
  const inner = (next: unknown, at: unknown = value, where = path) =>
    validate(next, at, { path: where, depth: depth + 1 }, check);
  const fits = (next: unknown, at: unknown = value) => {
    const trial: Check = { ...check, issues: [] };
    validate(next, at, { path, depth: depth + 1 }, trial);
    return trial.issues.length === 0;
  };

  if (typeof schema.$ref === "string") {
    const target = resolveReference(check.root, schema.$ref);
    if (target === undefined) complain("$ref", `can't resolve reference ${schema.$ref}`);
    else inner(target);
  }
  const types = typesOf(schema.type);
  if (types && !types.some((type) => isType(type, value))) {
    complain("type", `must be ${types.join(",")}`, types.join(","));
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((each) => isSameJson(each, value))) {
    complain("enum", "must be equal to one of the allowed values");
  }
  if ("const" in schema && !isSameJson(schema.const, value)) complain("const", "must be equal to constant");

  const spot: SchemaSpot = { path, complain, inner, fits, matches: check.matches };
  if (typeof value === "number") checkNumber(schema, value, spot);
  if (typeof value === "string") checkString(schema, value, spot);
  if (Array.isArray(value)) checkArray(schema, value, spot);
  else if (isObject(value)) checkObject(schema, value, spot);

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
  if (!isObject(schema) || typeof schema.type !== "string" || !JSON_TYPES.has(schema.type)) return false;
  for (const key in schema) if (key !== "type" && key !== "description") return false;
  return isType(schema.type, value);
}

/** A pattern that cannot be matched in bounded time is not checked: the schema may come from a hostile server. */
function patternMatcher(): PatternTest {
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
