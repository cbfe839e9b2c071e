// The fields of a form, from the JSON Schema an MCP server sent.

import { isObject } from "@keelson/protocol";

export interface FieldOption {
  readonly value: string;
  readonly title: string;
}

interface Common {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
}

export type FormField = Common &
  (
    | {
        readonly kind: "text";
        readonly format?: string;
        readonly minLength?: number;
        readonly maxLength?: number;
        readonly pattern?: string;
        readonly initial: string;
      }
    | {
        readonly kind: "number";
        readonly whole: boolean;
        readonly minimum?: number;
        readonly maximum?: number;
        readonly initial: string;
      }
    | { readonly kind: "boolean"; readonly initial: boolean | undefined }
    | { readonly kind: "choice"; readonly options: readonly FieldOption[]; readonly initial: string | undefined }
    | {
        readonly kind: "choices";
        readonly options: readonly FieldOption[];
        readonly minItems?: number;
        readonly maxItems?: number;
        readonly initial: readonly string[];
      }
    /** A type this form does not know: typed as JSON. */
    | { readonly kind: "json"; readonly initial: string }
  );

export function formFields(schema: unknown, order: unknown): readonly FormField[] {
  if (!isObject(schema) || !isObject(schema["properties"])) return [];
  const { properties, required } = schema;
  const named = Array.isArray(order) ? order.filter((name) => typeof name === "string") : [];
  const names = [...new Set([...named, ...Object.keys(properties)])].filter((name) => Object.hasOwn(properties, name));
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return names.map((name) => fieldOf(name, properties[name], needed.includes(name)));
}

function fieldOf(name: string, property: unknown, required: boolean): FormField {
  const schema = isObject(property) ? property : {};
  const { title, description, type, default: initial } = schema;
  const common: Common = {
    name,
    title: text(title) ?? name,
    ...(text(description) === undefined ? {} : { description: text(description) }),
    required,
  };
  const options = optionsOf(schema);
  if (options) return { ...common, kind: "choice", options, initial: text(initial) };
  switch (type) {
    case "string":
      return { ...common, kind: "text", ...textLimits(schema), initial: text(initial) ?? "" };
    case "number":
    case "integer": {
      const limits = { minimum: number(schema["minimum"]), maximum: number(schema["maximum"]) };
      const start = typeof initial === "number" ? String(initial) : "";
      return { ...common, kind: "number", whole: type === "integer", ...limits, initial: start };
    }
    case "boolean":
      return { ...common, kind: "boolean", initial: typeof initial === "boolean" ? initial : undefined };
    case "array": {
      const items = optionsOf(isObject(schema["items"]) ? schema["items"] : {});
      if (!items) break;
      const limits = { minItems: number(schema["minItems"]), maxItems: number(schema["maxItems"]) };
      const start = Array.isArray(initial) ? initial.filter((each) => typeof each === "string") : [];
      return { ...common, kind: "choices", options: items, ...limits, initial: start };
    }
  }
  return { ...common, kind: "json", initial: initial === undefined ? "" : JSON.stringify(initial) };
}

function textLimits(schema: Record<string, unknown>) {
  return {
    format: text(schema["format"]),
    minLength: number(schema["minLength"]),
    maxLength: number(schema["maxLength"]),
    pattern: text(schema["pattern"]),
  };
}

/** From `enum` (with `enumNames`), or from a list of `const` with titles. */
function optionsOf({ enum: values, enumNames: names, oneOf, anyOf }: Record<string, unknown>) {
  if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string")) {
    const titles: readonly unknown[] = Array.isArray(names) ? names : [];
    return values.map((value, index): FieldOption => ({ value, title: text(titles[index]) ?? value }));
  }
  const list = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  const options = list.flatMap((each): FieldOption[] =>
    isObject(each) && typeof each["const"] === "string"
      ? [{ value: each["const"], title: text(each["title"]) ?? each["const"] }]
      : [],
  );
  return options.length > 0 && options.length === list.length ? options : undefined;
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
