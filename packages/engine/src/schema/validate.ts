// Checks the model's input against a tool's schema, after fixing harmless mistakes, and describes what is wrong.

import { isObject, tryParse, type JsonObject } from "@keelson/protocol";
import { validateSchema, type Issue } from "./json-schema.ts";
import { isType, typeName } from "./json-values.ts";

type CheckedInput =
  { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly message: string };

export function checkInput(tool: string, schema: JsonObject, input: unknown): CheckedInput {
  if (isObject(input) && isPlain(schema, input)) return { ok: true, input: input as JsonObject };
  const mended = mend(schema, input, 0);
  const issues = validateSchema(schema, mended);
  if (issues.length === 0 && isObject(mended)) return { ok: true, input: mended as JsonObject };
  if (issues.length === 0) issues.push({ path: "", keyword: "type", message: "must be object", detail: "object" });

  const lines = issues.flatMap((issue) => sentence(issue, mended) ?? []);
  if (lines.length === 0) {
    const list = issues.map((issue) => ({ code: codeOf(issue), path: steps(issue.path), message: issue.message }));
    return { ok: false, message: `InputValidationError: ${JSON.stringify(list, null, 2)}` };
  }
  const noun = lines.length === 1 ? "issue" : "issues";
  return {
    ok: false,
    message: `InputValidationError: ${tool} failed due to the following ${noun}:\n${lines.join("\n")}`,
  };
}

/** What a schema asks of most inputs: these fields, and of these types. */
interface PlainFields {
  /** The type of each field that has nothing else to check or to fill in. */
  readonly types: ReadonlyMap<string, string>;
  readonly required: readonly string[];
}

const plainFields = new WeakMap<JsonObject, PlainFields | null>();

/** Whether the input is valid as it is. False says nothing: the input has to be looked at closely. */
function isPlain(schema: JsonObject, input: Readonly<Record<string, unknown>>): boolean {
  let fields = plainFields.get(schema);
  if (fields === undefined) plainFields.set(schema, (fields = plainFieldsOf(schema)));
  if (fields === null) return false;
  for (const key of Object.keys(input)) {
    const type = fields.types.get(key);
    if (type === undefined || !isType(type, input[key])) return false;
  }
  for (const key of fields.required) if (!Object.hasOwn(input, key)) return false;
  return true;
}

const PLAIN_KEYWORDS = new Set(["$schema", "type", "description", "properties", "required", "additionalProperties"]);
const SCALARS = new Set(["string", "number", "integer", "boolean"]);

function plainFieldsOf(schema: JsonObject): PlainFields | null {
  const { type, properties, required = [] } = schema;
  if (type !== "object" || !isObject(properties)) return null;
  if (!Array.isArray(required) || !required.every((key) => typeof key === "string")) return null;
  if (!Object.keys(schema).every((key) => PLAIN_KEYWORDS.has(key))) return null;
  const types = new Map<string, string>();
  for (const [key, field] of Object.entries(properties)) {
    if (!isObject(field) || "default" in field) return null;
    const isBare = Object.keys(field).every((each) => each === "type" || each === "description");
    if (isBare && typeof field.type === "string" && SCALARS.has(field.type)) types.set(key, field.type);
  }
  return { types, required };
}

const DEEPEST = 50;

/** Converts numbers and booleans sent as text to the schema's type, and fills in defaults. */
function mend(schema: unknown, value: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > DEEPEST) return value;
  if (typeof value === "string") return schema.type === "string" ? value : unquote(schema, value, depth);
  if (schema.type === "array" && isObject(value) && isObject(schema.items) && schema.items.type === "object")
    return [mend(schema.items, value, depth + 1)];
  if (Array.isArray(value))
    return isObject(schema.items) ? value.map((item) => mend(schema.items, item, depth + 1)) : value;
  if (!isObject(value) || !isObject(schema.properties)) return value;
  const mended: Record<string, unknown> = { ...value };
  for (const [key, field] of Object.entries(schema.properties)) {
    if (Object.hasOwn(value, key) && value[key] !== undefined) mended[key] = mend(field, value[key], depth + 1);
    else if (isObject(field) && field.default !== undefined) mended[key] = structuredClone(field.default);
  }
  return mended;
}

function unquote(schema: Readonly<Record<string, unknown>>, value: string, depth: number): unknown {
  const { type, items } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes("string")) return value;
  if (types.includes("array") || types.includes("object")) {
    const parsed = tryParse(value.trim());
    if (Array.isArray(parsed) || isObject(parsed)) return mend(schema, parsed, depth + 1);
    return types.includes("array") && isObject(items) && items.type === "string" && !/^\s*[[{]/.test(value)
      ? [value]
      : value;
  }
  if ((types.includes("number") || types.includes("integer")) && /^-?\d+(\.\d+)?$/.test(value.trim())) {
    const number = Number(value);
    if (types.some((each) => each === "number" || (each === "integer" && isType("integer", number)))) return number;
  }
  if (types.includes("boolean") && /^(?:true|false)$/i.test(value.trim())) return /^true$/i.test(value.trim());
  return value;
}

/** Describes the three common mistakes in words the model can act on. */
function sentence({ keyword, path, detail }: Issue, input: unknown): string | undefined {
  const name = (last?: string) => nameOf(steps(path).concat(last ?? []));
  switch (keyword) {
    case "required":
      return `The required parameter \`${name(detail)}\` is missing`;
    case "additionalProperties":
      return `An unexpected parameter \`${name(detail)}\` was provided`;
    case "type":
      return `The parameter \`${name() || "input"}\` type is expected as \`${detail}\` but provided as \`${typeName(at(input, path))}\``;
    default:
      return undefined;
  }
}

/** `todos[0].activeForm` */
function nameOf(path: readonly (string | number)[]): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? step : `${name}.${step}`;
  }, "");
}

function steps(pointer: string): (string | number)[] {
  const parts = pointer === "" ? [] : pointer.slice(1).split("/");
  return parts.map((part) => {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d+$/.test(key) ? Number(key) : key;
  });
}

function at(value: unknown, pointer: string): unknown {
  return steps(pointer).reduce<unknown>((here, step) => {
    if (Array.isArray(here)) return here[Number(step)];
    return isObject(here) ? here[String(step)] : undefined;
  }, value);
}

function codeOf({ keyword }: Issue): string {
  if (/^(min|exclusiveMin)/.test(keyword)) return "too_small";
  if (/^(max|exclusiveMax)/.test(keyword)) return "too_big";
  if (keyword === "enum" || keyword === "const") return "invalid_value";
  if (keyword === "pattern" || keyword === "format") return "invalid_format";
  return keyword === "anyOf" || keyword === "oneOf" ? "invalid_union" : "custom";
}
