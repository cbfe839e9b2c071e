// JSON values, and the cached JSON text of values that never change.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list of anything: `Array.isArray` takes away that its items are not known. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** An object that was read as JSON, in which every value is JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** A field that only some kinds of a block or message have. Unknown, because whoever sent it may be newer than our types. */
export function readField(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Returns undefined for invalid JSON. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A cache, not state: the keys are never changed, so every caller gets the same answer. Without it, the cost of a request
// would grow with the conversation, and a resume would serialize 20 MB again.
const texts = new WeakMap<object, string>();

/** The JSON text of a value that never changes again; computed once. */
export function jsonOf(value: object): string {
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}

/** Stores the text that a value was parsed from, for `jsonOf`. */
export function rememberJson(value: object, text: string): void {
  texts.set(value, text);
}

/**
 * Whether a field is a long text that nobody has read since its line of a transcript was parsed (`store/read/parse-line.ts`).
 * It is not blank. Reading it parses it again, so what only needs to know that asks here first.
 */
export function isFolded(value: object, name: string): boolean {
  return Object.getOwnPropertyDescriptor(value, name)?.get !== undefined;
}
