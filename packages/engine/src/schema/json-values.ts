// Values as JSON Schema sees them: their types, when two are equal, and what a reference leads to.

import { isObject, type JsonObject } from "@keelson/protocol";

export const JSON_TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

export function typesOf(type: unknown): string[] | undefined {
  if (type === undefined) return undefined;
  const list: unknown[] = Array.isArray(type) ? type : [type];
  return list.every((each) => typeof each === "string" && JSON_TYPES.has(each)) ? (list as string[]) : [];
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
export function resolveReference(root: JsonObject, reference: string): unknown {
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

export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function isSameJson(left: unknown, right: unknown): boolean {
  return (
    left === right ||
    (typeof left === "object" && typeof right === "object" && canonicalJson(left) === canonicalJson(right))
  );
}

/** Equal values have equal text, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}
