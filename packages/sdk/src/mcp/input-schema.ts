// A tool's input, however it was written: as JSON Schema for the model, and as a check of what the model sent.

import { isObject } from "@keelson/protocol";
import { zod3ToJsonSchema } from "./zod3.ts";

export type CheckedArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: readonly string[] };

type AnySchema = Record<string, any>;

/** The JSON Schema of an object. Throws if part of it has none. */
export async function toJsonSchema(input: AnySchema): Promise<Record<string, unknown>> {
  if (isJsonSchema(input)) return input;
  const shape = shapeOf(input);
  const values = Object.values(shape);
  const strangers = Object.keys(shape).filter((name) => !isZod3(shape[name]) && !isZod4(shape[name]));
  if (strangers.length > 0) throw new Error(`"${strangers[0]}" is not a zod type`);
  if (values.some(isZod3)) {
    if (values.some(isZod4)) throw new Error("zod 3 and zod 4 types cannot be mixed in one tool");
    return zod3ToJsonSchema(shape);
  }
  // Only loaded for a tool defined with zod 4: about 10 ms.
  const { object, toJSONSchema } = await import("zod/mini");
  const { $schema: _, ...schema } = toJSONSchema(object(shape), { io: "input", target: "draft-7" }) as AnySchema;
  for (const [name, type] of Object.entries(shape)) {
    // Another copy of zod keeps its descriptions private; those of the top level are also on the types.
    const property = schema["properties"]?.[name];
    if (isObject(property) && property["description"] === undefined && typeof type.description === "string") {
      property["description"] = type.description;
    }
  }
  return schema;
}

/** Checks arguments one by one, so each copy and version of zod checks its own types. */
export async function checkArguments(input: AnySchema, args: unknown): Promise<CheckedArguments> {
  if (isJsonSchema(input)) return { ok: true, value: args };
  if (!isObject(args)) return { ok: false, problems: ["expected an object"] };
  const problems: string[] = [];
  const value: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(shapeOf(input))) {
    const { success, data, error } = await type.safeParseAsync(args[name]);
    if (!success)
      problems.push(...issuesOf(error).map(({ path, message }) => `${[name, ...path].join(".")}: ${message}`));
    else if (data !== undefined || name in args) value[name] = data;
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

// In a shape, values are types; only in a JSON Schema is `type` a plain string.
const isJsonSchema = (input: AnySchema) => input["type"] === "object" && !isZod4(input);

/** A shape, or the shape inside `z.object(…)`. */
function shapeOf(input: AnySchema): AnySchema {
  if (isZod4(input)) return input["_zod"].def.shape ?? {};
  if (isZod3(input)) return typeof input["shape"] === "object" ? input["shape"] : {};
  return input;
}

const isZod4 = (type: unknown) => isObject(type) && isObject(type["_zod"]);
const isZod3 = (type: unknown) => isObject(type) && !isZod4(type) && isObject(type["_def"]);

const issuesOf = (error: any): readonly { path: readonly PropertyKey[]; message: string }[] => error?.issues ?? [];
