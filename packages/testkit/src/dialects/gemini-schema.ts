// What Google refuses in a schema of `parameters`: it is a subset of OpenAPI.

import { isObject } from "@keelson/protocol";

const KNOWN = new Set(
  "type description nullable enum format properties required items anyOf minItems maxItems minimum maximum title".split(
    " ",
  ),
);
const TYPES = ["string", "number", "integer", "boolean", "array", "object"];

export function openApiProblem(schema: unknown, at: string): string | undefined {
  if (!isObject(schema)) return `Invalid value at '${at}'`;
  const { type, enum: values, format, properties, required, items, anyOf } = schema;
  const unknown = Object.keys(schema).find((name) => !KNOWN.has(name));
  if (unknown) return `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.`;
  if (type === undefined && anyOf === undefined) return `${at}: must have a type.`;
  if (type !== undefined && !TYPES.includes(type as string)) return `Invalid value at '${at}.type'`;
  if (
    values !== undefined &&
    (type !== "string" || !Array.isArray(values) || values.length === 0 || values.includes(""))
  )
    return `${at}.enum: only allowed for STRING type`;
  if (format !== undefined && type === "string" && format !== "enum" && format !== "date-time")
    return `${at}.format: only 'enum' and 'date-time' are supported for STRING type`;
  if (type === "array" && items === undefined) return `${at}.items: missing field.`;
  if (type === "object") {
    if (!isObject(properties) || Object.keys(properties).length === 0)
      return `${at}.properties: should be non-empty for OBJECT type`;
    const missing = ((required ?? []) as string[]).find((name) => !Object.hasOwn(properties, name));
    if (missing) return `${at}.required: property is not defined: ${missing}`;
  }
  const inner: [unknown, string][] = [
    ...Object.entries(isObject(properties) ? properties : {}).map(([name, value]): [unknown, string] => [
      value,
      `${at}.properties[${name}]`,
    ]),
    ...((anyOf ?? []) as unknown[]).map((value, index): [unknown, string] => [value, `${at}.any_of[${index}]`]),
    ...(items === undefined ? [] : [[items, `${at}.items`] as [unknown, string]]),
  ];
  return inner.map(([value, place]) => openApiProblem(value, place)).find(Boolean);
}
