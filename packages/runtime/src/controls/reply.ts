// What a control request is answered with, and how its fields are read. Requests come from outside: nothing is trusted.

import type { ControlRequest } from "@keelson/protocol";
import type { ControlTargets } from "./targets.ts";

export type ControlReply =
  | {
      readonly ok: true;
      readonly payload?: unknown;
      /** Goes next to the payload, where clients look for what waits for them. */
      readonly beside?: Readonly<Record<string, unknown>>;
      /** Done once the answer is on its way. */
      after?(): void;
    }
  | { readonly ok: false; readonly error: string; readonly code?: string };

export type ControlRequestBody = { readonly subtype: string; readonly [key: string]: unknown };

export interface ControlContext {
  readonly id: string;
  /** Aborted when the client takes the request back, or goes. */
  readonly signal: AbortSignal;
  /** What the client itself still has to answer. */
  readonly pending: readonly ControlRequest[];
  /** It is not the first of its kind. */
  readonly again: boolean;
}

/** May throw an Error: its message becomes the answer. */
export type Handler = (
  request: ControlRequestBody,
  targets: ControlTargets,
  asked: ControlContext,
) => ControlReply | Promise<ControlReply>;

/** Without a payload: a plain "done". */
export function done(
  payload?: unknown,
  more: Pick<ControlReply & { ok: true }, "beside" | "after"> = {},
): ControlReply {
  return { ok: true, ...(payload === undefined ? {} : { payload }), ...more };
}

export function failed(error: string, code?: string): ControlReply {
  return { ok: false, error, ...(code === undefined ? {} : { code }) };
}

export function unsupported(subtype: string): ControlReply {
  return failed(`Unsupported control request subtype: ${subtype}`, "unsupported_request");
}

/** A field that must be text. Throws, naming the request and the field. */
export function textIn(request: ControlRequestBody, key: string): string {
  const value = request[key];
  if (typeof value === "string") return value;
  throw new Error(`${request.subtype}: "${key}" must be a string`);
}

/** The fields of an object, or undefined. */
export function fieldsIn(request: ControlRequestBody, key: string): Readonly<Record<string, unknown>> | undefined {
  const value = request[key];
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
