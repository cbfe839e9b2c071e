// Schemas for tool inputs: small builders that produce JSON Schema (2020-12) and infer their type. They only describe
// values; `validate.ts` checks them. Our own code instead of zod: it adds nothing to startup, and we control the error
// texts.

import type { JsonObject } from "@keelson/protocol";

export interface Schema<T> {
  readonly json: JsonObject;
  /** Never set; carries the type. */
  readonly type?: T;
}

export interface OptionalSchema<T> extends Schema<T | undefined> {
  readonly optional: true;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

type Shape = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<S extends Shape> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S];
type InferShape<S extends Shape> = { [K in Exclude<keyof S, OptionalKeys<S>>]: Infer<S[K]> } & {
  [K in OptionalKeys<S>]?: Infer<S[K]>;
};

/** An object with these fields and no others. */
export function object<S extends Shape>(shape: S): Schema<InferShape<S>> {
  const required = Object.keys(shape).filter((key) => !("optional" in shape[key]!));
  return {
    json: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, field.json])),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
  };
}

/** An object inside another schema: the same, without the `$schema` line. */
export function item<S extends Shape>(shape: S): Schema<InferShape<S>> {
  const { $schema: _, ...json } = object(shape).json;
  return { json };
}

export function string(description?: string, more: JsonObject = {}): Schema<string> {
  return { json: { ...about(description), type: "string", ...more } };
}

export function number(description?: string, more: JsonObject = {}): Schema<number> {
  return { json: { ...about(description), type: "number", ...more } };
}

export function integer(description?: string, more: JsonObject = {}): Schema<number> {
  return { json: { ...about(description), type: "integer", ...more } };
}

export function boolean(description?: string, more: JsonObject = {}): Schema<boolean> {
  return { json: { ...about(description), type: "boolean", ...more } };
}

export function oneOf<const V extends string>(values: readonly V[], description?: string): Schema<V> {
  return { json: { ...about(description), type: "string", enum: values } };
}

export function array<T>(items: Schema<T>, description?: string, more: JsonObject = {}): Schema<T[]> {
  return { json: { ...about(description), type: "array", items: items.json, ...more } };
}

/** An object with any fields. */
export function anyObject(description?: string): Schema<Record<string, unknown>> {
  return { json: { ...about(description), type: "object", additionalProperties: {} } };
}

export function optional<T>(inner: Schema<T>): OptionalSchema<T> {
  return { json: inner.json, optional: true };
}

function about(description: string | undefined): JsonObject {
  return description === undefined ? {} : { description };
}
