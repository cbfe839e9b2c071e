// What we send, against the published schema of the protocol. Fields that the schema does not know are faults, too: nothing of
// ours may stand at the root of a specified type.

import { isObject } from "@keelson/protocol";
import schema from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { z } from "zod";

type Definition = Readonly<Record<string, unknown>>;

const definitions = withoutOthers(schema.$defs) as Readonly<Record<string, Definition>>;
const parsers = new Map<string, z.ZodType>();

/** Without what stands for kinds of tomorrow and of others: nothing of ours may pass for one. */
function withoutOthers(value: unknown): unknown {
  if (Array.isArray(value)) {
    const known = value.filter((each) => !isObject(each) || each["title"] !== "other");
    return known.map(withoutOthers);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutOthers(each)]));
}

/** What is wrong with the value; empty if it is valid. */
export function faultsOf(type: string, value: unknown): readonly string[] {
  let parser = parsers.get(type);
  if (!parser) {
    const json = { $schema: schema.$schema, $defs: definitions, $ref: `#/$defs/${type}` };
    parser = z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0]);
    parsers.set(type, parser);
  }
  // As it arrives: without what JSON does not have.
  const sent: unknown = JSON.parse(JSON.stringify(value));
  const { error } = parser.safeParse(sent);
  const unknown = unknownFields({ $ref: `#/$defs/${type}` }, sent, type);
  return [...(error ? error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) : []), ...unknown];
}

function unknownFields(definition: Definition, value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) {
    const { items } = resolved(definition, value);
    return isObject(items) ? value.flatMap((each, index) => unknownFields(items, each, `${path}.${index}`)) : [];
  }
  if (!isObject(value)) return [];
  const { properties, isOpen } = resolved(definition, value);
  if (isOpen) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const field = properties.get(key);
    return field ? unknownFields(field, each, `${path}.${key}`) : [`${path}.${key} is not of the protocol`];
  });
}

/** All that may be in this value: of the definition, of what it refers to, and of the alternative that fits. */
function resolved(definition: Definition, value: unknown) {
  const properties = new Map<string, Definition>();
  let items: unknown;
  let isOpen = true;
  const add = (one: Definition): void => {
    if (typeof one["$ref"] === "string") return add(definitions[one["$ref"].slice("#/$defs/".length)] ?? {});
    items ??= one["items"];
    if (isObject(one["properties"])) {
      isOpen = false;
      for (const [key, field] of Object.entries(one["properties"])) if (isObject(field)) properties.set(key, field);
    }
    for (const each of listOf(one["allOf"])) add(each);
    for (const each of [...listOf(one["oneOf"]), ...listOf(one["anyOf"])]) if (fits(each, value)) add(each);
  };
  add(definition);
  return { properties, items, isOpen };
}

const listOf = (value: unknown) => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);

/** By the constant that tells alternatives apart. */
function fits({ properties }: Definition, value: unknown): boolean {
  if (!isObject(properties) || !isObject(value)) return true;
  return Object.entries(properties).every(
    ([key, field]) => !isObject(field) || field["const"] === undefined || field["const"] === value[key],
  );
}
