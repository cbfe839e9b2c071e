// A tool as a caller defines it: a name, a description, an input schema, and a function.

import type { CallToolResult, ToolAnnotations } from "./shapes.ts";

/** Zod types by name, from zod 3 or 4. */
export type AnyZodRawShape = Record<string, { _output: any } | { _zod: { output: any } }>;

export type InferShape<Shape extends AnyZodRawShape> = {
  [Key in keyof Shape]: Shape[Key] extends { _zod: { output: infer Output } }
    ? Output
    : Shape[Key] extends { _output: infer Output }
      ? Output
      : never;
} & {};

/** A JSON Schema of an object, for callers who already have one. Arguments are then passed on unchecked. */
export type JsonSchemaObject = {
  type: "object";
  properties?: Record<string, unknown>;
  required?: readonly string[];
  [key: string]: unknown;
};

export type SdkMcpToolDefinition<Schema extends AnyZodRawShape = AnyZodRawShape> = {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>;
};

export interface ToolExtras {
  annotations?: ToolAnnotations;
  /** Words to find the tool by while it is not loaded. */
  searchHint?: string;
  /** Offer it from the start, never only on demand. */
  alwaysLoad?: boolean;
}

/** What a handler gets besides its arguments. */
export interface ToolCallExtra {
  /** Aborts when the call is cancelled. */
  signal: AbortSignal;
  requestId: string | number;
  _meta?: Record<string, unknown>;
  sendNotification(notification: { method: string; params?: Record<string, unknown> }): Promise<void>;
}

export function tool<Schema extends AnyZodRawShape>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>,
  extras?: ToolExtras,
): SdkMcpToolDefinition<Schema>;
export function tool(
  name: string,
  description: string,
  inputSchema: JsonSchemaObject,
  handler: (args: Record<string, unknown>, extra: unknown) => Promise<CallToolResult>,
  extras?: ToolExtras,
): SdkMcpToolDefinition<any>;
export function tool(
  name: string,
  description: string,
  inputSchema: any,
  handler: (args: any, extra: unknown) => Promise<CallToolResult>,
  { annotations, searchHint, alwaysLoad }: ToolExtras = {},
): SdkMcpToolDefinition<any> {
  const meta = {
    ...(searchHint === undefined ? {} : { "anthropic/searchHint": searchHint }),
    ...(alwaysLoad === undefined ? {} : { "anthropic/alwaysLoad": alwaysLoad }),
  };
  return {
    name,
    description,
    inputSchema,
    handler,
    ...(annotations === undefined ? {} : { annotations }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}
