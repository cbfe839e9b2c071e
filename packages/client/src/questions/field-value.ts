// What was entered in a field, checked against its schema.

import { tryParse, type Json } from "@keelson/protocol";
import type { FormField } from "./form-fields.ts";

export type FieldState =
  { readonly text: string } | { readonly flag: boolean | undefined } | { readonly picked: readonly string[] };

/** No value and no error: the field is optional and was left empty. */
export interface FieldValue {
  readonly value?: Json;
  readonly error?: string;
}

export function fieldValue(field: FormField, state: FieldState): FieldValue {
  if ("flag" in state) {
    if (state.flag !== undefined) return { value: state.flag };
    return field.required ? { error: "Choose yes or no" } : {};
  }
  if ("picked" in state) return pickedValue(field, state.picked);
  const { text } = state;
  if (text.trim() === "" && !(field.kind === "text" && text !== "")) return field.required ? { error: "Required" } : {};
  switch (field.kind) {
    case "text":
      return textValue(field, text);
    case "number":
      return numberValue(field, text.trim());
    default: {
      const value = tryParse(text);
      return value === undefined ? { error: "Enter a JSON value" } : { value: value as Json };
    }
  }
}

function pickedValue(field: FormField, picked: readonly string[]): FieldValue {
  if (field.kind === "choice") {
    if (picked[0] !== undefined) return { value: picked[0] };
    return field.required ? { error: "Choose one" } : {};
  }
  const { minItems, maxItems } = field.kind === "choices" ? field : {};
  if (picked.length === 0 && !field.required) return {};
  const least = minItems ?? 0;
  if (picked.length < least) return { error: `Choose at least ${least}` };
  if (maxItems !== undefined && picked.length > maxItems) return { error: `Choose at most ${maxItems}` };
  return { value: [...picked] };
}

function textValue(field: FormField & { kind: "text" }, text: string): FieldValue {
  const { minLength = 0, maxLength = Infinity, format = "", pattern } = field;
  const length = [...text].length;
  if (length < minLength) return { error: `Enter at least ${minLength} characters` };
  if (length > maxLength) return { error: `Enter at most ${maxLength} characters` };
  const check = Object.hasOwn(FORMATS, format) ? FORMATS[format]! : undefined;
  if (check && !check.fits(text)) return { error: check.error };
  if (pattern !== undefined && pattern.length < 200 && text.length < 1000 && !fitsPattern(text, pattern))
    return { error: `Enter a text that matches ${pattern}` };
  return { value: text };
}

/** A pattern that is not valid rejects nothing: the server checks again. */
function fitsPattern(text: string, pattern: string): boolean {
  // Repeated groups can take forever on the wrong text, and the pattern is not ours.
  if (/\)[*+{]/.test(pattern)) return true;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function numberValue(field: FormField & { kind: "number" }, text: string): FieldValue {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) return { error: field.whole ? "Enter a whole number" : "Enter a number" };
  if (field.whole && !Number.isInteger(value)) return { error: "Enter a whole number" };
  const { minimum, maximum } = field;
  if (minimum !== undefined && value < minimum) return { error: `Enter ${minimum} or more` };
  if (maximum !== undefined && value > maximum) return { error: `Enter ${maximum} or less` };
  return { value };
}

const FORMATS: Readonly<Record<string, { fits(text: string): boolean; readonly error: string }>> = {
  email: {
    fits: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
    error: "Enter an email address, like name@example.com",
  },
  uri: { fits: (text) => URL.canParse(text), error: "Enter an address, like https://example.com" },
  date: { fits: isDate, error: "Enter a date, like 2026-01-31" },
  "date-time": {
    fits: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(text) &&
      isDate(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    error: "Enter a date and time, like 2026-01-31T12:00:00Z",
  },
};

/** Not just its look: February 30 is no date. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
