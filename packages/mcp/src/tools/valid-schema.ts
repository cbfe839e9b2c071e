// Repairs schemas that do not conform to JSON Schema draft 2020-12: one of them makes model APIs refuse a whole request.
// Older forms are rewritten; what has no meaning is dropped. The server itself checks the input, so nothing is lost.

import { isObject } from "@keelson/protocol";

type Fields = Record<string, unknown>;

/** The same object if nothing is wrong with it. */
export function validSchema(schema: Fields): Fields {
  const { required, ...rest } = schema;
  const entries = Object.entries(withoutOldForms(rest)).flatMap(([key, value]) => {
    const made = validValue(key, value);
    return made === undefined ? [] : [[key, made] as const];
  });
  const needed = [...strings(required), ...requiredProperties(rest["properties"])];
  const made: Fields = Object.fromEntries([
    ...entries,
    ...(needed.length > 0 || (Array.isArray(required) && required.length === 0)
      ? [["required", isSame(needed, required) ? required : [...new Set(needed)]] as const]
      : []),
  ]);
  const isUnchanged =
    Object.keys(made).length === Object.keys(schema).length &&
    Object.entries(made).every(([key, value]) => value === schema[key]);
  return isUnchanged ? schema : made;
}

const isSame = (list: readonly string[], value: unknown) =>
  Array.isArray(value) && new Set(list).size === value.length && list.every((item, at) => item === value[at]);

/** Draft 4 marked a limit as exclusive, and a property as required, with `true`; lists of items had another name. */
function withoutOldForms(schema: Fields): Fields {
  const made = { ...schema };
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof made[exclusive] !== "boolean") continue;
    if (made[exclusive] && typeof made[limit] === "number") {
      made[exclusive] = made[limit];
      delete made[limit];
    } else delete made[exclusive];
  }
  if (Array.isArray(made["items"])) {
    made["prefixItems"] = made["items"];
    delete made["items"];
    if (isSchema(made["additionalItems"])) made["items"] = made["additionalItems"];
  }
  return made;
}

const requiredProperties = (properties: unknown): string[] =>
  isObject(properties)
    ? Object.entries(properties).flatMap(([name, value]) =>
        isObject(value) && value["required"] === true ? [name] : [],
      )
    : [];

const isSchema = (value: unknown) => isObject(value) || typeof value === "boolean";
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

/** The value of a keyword; undefined if it must be left out. */
function validValue(key: string, value: unknown): unknown {
  if (key === "type") return validType(value);
  if (SCHEMAS_BY_NAME.has(key)) return isObject(value) ? mapped(value) : undefined;
  if (SCHEMA_LISTS.has(key)) return Array.isArray(value) ? listed(value) : undefined;
  if (SCHEMAS.has(key)) return isSchema(value) ? valid(value) : undefined;
  if (key === "enum") return Array.isArray(value) && value.length > 0 ? value : undefined;
  if (key === "pattern") return typeof value === "string" && isPattern(value) ? value : undefined;
  if (key === "multipleOf") return typeof value === "number" && value > 0 ? value : undefined;
  const type = Object.hasOwn(TYPES, key) ? TYPES[key] : undefined;
  if (type === "count") return Number.isInteger(value) && Number(value) >= 0 ? value : undefined;
  return type === undefined || typeof value === type ? value : undefined;
}

const valid = (value: unknown) => (isObject(value) ? validSchema(value) : value);

function mapped(value: Fields): Fields {
  const entries = Object.entries(value).flatMap(([name, inner]) =>
    isSchema(inner) ? [[name, valid(inner)] as const] : [],
  );
  const isUnchanged =
    entries.length === Object.keys(value).length && entries.every(([name, inner]) => inner === value[name]);
  return isUnchanged ? value : Object.fromEntries(entries);
}

function listed(value: readonly unknown[]): readonly unknown[] | undefined {
  const made = value.filter(isSchema).map(valid);
  if (made.length === 0) return undefined;
  return made.length === value.length && made.every((item, at) => item === value[at]) ? value : made;
}

const NAMES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
/** Words of programming languages, for which there is one of JSON Schema. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  str: "string",
  text: "string",
  int: "integer",
  float: "number",
  double: "number",
  bool: "boolean",
  list: "array",
  tuple: "array",
  dict: "object",
  map: "object",
  none: "null",
};

function validType(value: unknown): unknown {
  const given = Array.isArray(value) ? strings(value) : strings([value]);
  const named = given.flatMap((type) => {
    const lower = type.toLowerCase();
    return NAMES.has(lower) ? [lower] : Object.hasOwn(OTHER_NAMES, lower) ? [OTHER_NAMES[lower]!] : [];
  });
  const types = [...new Set(named)];
  // A type that means nothing stands for any.
  if (types.length === 0 || named.length < given.length) return undefined;
  if (!Array.isArray(value)) return types[0];
  return isSame(types, value) ? value : types;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

const words = (text: string) => new Set(text.split(" "));
const SCHEMAS_BY_NAME = words("properties patternProperties $defs definitions dependentSchemas");
const SCHEMA_LISTS = words("anyOf oneOf allOf prefixItems");
const SCHEMAS = words(
  "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties",
);
const TYPES: Readonly<Record<string, "string" | "number" | "boolean" | "count">> = {
  ...Object.fromEntries(
    [...words("title description format $ref $id $schema $anchor $comment")].map((key) => [key, "string"]),
  ),
  ...Object.fromEntries([...words("minimum maximum exclusiveMinimum exclusiveMaximum")].map((key) => [key, "number"])),
  ...Object.fromEntries([...words("uniqueItems deprecated readOnly writeOnly")].map((key) => [key, "boolean"])),
  ...Object.fromEntries(
    [...words("minLength maxLength minItems maxItems minProperties maxProperties")].map((key) => [key, "count"]),
  ),
};
