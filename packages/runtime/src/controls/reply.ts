// Replies to control requests, and how their fields are read. Requests are untrusted input.

import type { ControlRequest, JsonObject } from "@keelson/protocol";
import type { ControlTargets } from "./targets.ts";

export type ControlReply =
  | {
      readonly ok: true;
      readonly payload?: unknown;
      /** Fields next to the payload, where clients look for open questions. */
      readonly beside?: Readonly<Record<string, unknown>>;
      /** Runs after the reply is sent. */
      after?(): void;
    }
  | { readonly ok: false; readonly error: string; readonly code?: string };

export type ControlRequestBody = { readonly subtype: string; readonly [key: string]: unknown };

export interface ControlContext {
  readonly id: string;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Our requests that the client has not answered yet. */
  readonly pending: readonly ControlRequest[];
  /** The client has sent this kind of request before. */
  readonly again: boolean;
  interruptRun(): void;
  endSession(): void;
  /** Passes on a message from an MCP server inside the client. */
  receiveMcp(server: string, message: JsonObject): void;
}

/** May throw an Error; its message becomes the reply. */
export type ControlHandler = (
  request: ControlRequestBody,
  targets: ControlTargets,
  asked: ControlContext,
) => ControlReply | Promise<ControlReply>;

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

/** Throws if the field is not a string. */
export function textIn(request: ControlRequestBody, key: string): string {
  const value = request[key];
  if (typeof value === "string") return value;
  throw new Error(`${request.subtype}: "${key}" must be a string`);
}

/** Undefined if the field is not an object. */
export function fieldsIn(request: ControlRequestBody, key: string): Readonly<Record<string, unknown>> | undefined {
  const value = request[key];
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
