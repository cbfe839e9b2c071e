// JSON values, and the JSON text of values that never change.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses, or returns undefined: for input from outside that may be damaged. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A memo, not state: keys are values nobody changes after handing them over, so every caller sees the same answer.
// It is what keeps the cost of a request from growing with the conversation, and a resume from writing 20 MB anew.
const texts = new WeakMap<object, string>();

/** The JSON text of a value that is never changed again; worked out once. */
export function jsonOf(value: object): string {
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}

/** Tells `jsonOf` the text a value was just parsed from. */
export function rememberJson(value: object, text: string): void {
  texts.set(value, text);
}
