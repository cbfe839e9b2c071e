// Replies to control requests, and how their fields are read. Requests are untrusted input.

import {
  isObject,
  type ControlRequest,
  type ControlSubtype,
  type JsonObject,
  type PendingQuestions,
  type ReplyTo,
  type Unchecked,
} from "@keelson/protocol";
import type { ControlTargets } from "./targets.ts";

export type ControlReply<Payload = unknown> =
  | {
      readonly ok: true;
      readonly payload?: Payload;
      /** Next to the payload, where clients look for them. */
      readonly beside?: PendingQuestions;
      /** Runs after the reply is sent. */
      after?(): void;
    }
  | { readonly ok: false; readonly error: string; readonly code?: string; readonly missing?: true };

export interface ControlContext {
  readonly id: string;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** The id of the client that sends it; empty for a request of the session itself. */
  readonly client: string;
  /** Questions that this client may answer, and no one has answered yet. */
  readonly pending: readonly ControlRequest[];
  /** The client has sent this kind of request before. */
  readonly again: boolean;
  /** What its `initialize` says about the session counts, because no other driver has been attached for as long. */
  readonly shapesSession: boolean;
  /** It may bring hooks, servers and agents. */
  readonly mayBring: boolean;
  /** From now on, the client sees what subagents say, or no longer does. */
  showAgentText(isShown: boolean): void;
  interruptRun(): void;
  endSession(): void;
  /** Passes on a message from an MCP server inside the client. */
  receiveMcp(server: string, message: JsonObject): void;
}

/** May throw an Error; its message becomes the reply. */
export type ControlHandler<Subtype extends ControlSubtype> = (
  request: Unchecked<Subtype>,
  targets: ControlTargets,
  asked: ControlContext,
) => ControlReply<ReplyTo<Subtype>> | Promise<ControlReply<ReplyTo<Subtype>>>;

type Besides = Pick<ControlReply & { ok: true }, "beside" | "after">;

export function done(): ControlReply<void>;
export function done<Payload>(payload: Payload, more?: Besides): ControlReply<Payload>;
export function done(payload?: unknown, more: Besides = {}): ControlReply {
  return { ok: true, ...(payload === undefined ? {} : { payload }), ...more };
}

export function failed(error: string, code?: string): ControlReply<never> {
  return { ok: false, error, ...(code === undefined ? {} : { code }) };
}

export function unsupported(subtype: string): ControlReply<never> {
  return failed(`Unsupported control request subtype: ${subtype}`, "unsupported_request");
}

/** Throws if the field is not a string. */
export function textIn<Request extends { readonly subtype: string }>(
  request: Request,
  key: keyof Request & string,
): string {
  const value: unknown = request[key];
  if (typeof value === "string") return value;
  throw new Error(`${request.subtype}: "${key}" must be a string`);
}

/** Undefined if the field is not an object. */
export function fieldsIn<Request extends object>(
  request: Request,
  key: keyof Request,
): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = request[key];
  return isObject(value) ? value : undefined;
}
