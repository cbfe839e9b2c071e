// What a route is: who may use it, what it takes, and what it does. The OpenAPI file is made from these.

import type { DeviceRole, SignedDevice } from "../devices/devices.ts";

export type RouteMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** `anyone` needs no sign-in. A viewer reads; a driver does everything but what is for admins, where there are any. */
export type RouteAccess = "anyone" | DeviceRole;

/** A small part of JSON Schema. */
export type FieldSchema =
  | {
      readonly type: "string";
      readonly maxLength?: number;
      readonly enum?: readonly string[];
      readonly description?: string;
    }
  | { readonly type: "boolean" | "integer" | "number" | "null"; readonly description?: string }
  | { readonly type: "array"; readonly items: FieldSchema; readonly description?: string }
  | { readonly anyOf: readonly FieldSchema[]; readonly description?: string }
  | ObjectSchema;

export const TEXT_OR_NULL = { anyOf: [{ type: "string" }, { type: "null" }] } as const;

export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  /** Default: none. */
  readonly additionalProperties?: boolean;
  readonly description?: string;
}

export interface RouteRequest {
  /** Of those in braces in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it came, of a route that takes bytes. */
  readonly bytes: Uint8Array;
  readonly headers: Headers;
  /** The address that the connection comes from. */
  readonly from: string;
  readonly now: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** A request of a device that is signed in. */
export interface SignedInRequest extends RouteRequest {
  readonly device: SignedDevice;
}

/** `text`, or a stream of it, instead of JSON. */
export interface RouteReply {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface RouteFacts {
  readonly method: RouteMethod;
  /** `/v1/sessions/{id}` */
  readonly path: string;
  /** One sentence for the OpenAPI file. */
  readonly summary: string;
  /** Query parameters by name, with their longest value. Others are refused. */
  readonly query?: Readonly<Record<string, { readonly maxLength: number; readonly description: string }>>;
  /** Whether it may take seconds: a device has few of these at once. */
  readonly isCostly?: (query: Readonly<Record<string, string>>) => boolean;
  /** Absent: the request has no body. */
  readonly body?: ObjectSchema;
  /**
   * The body is not read by the door, and may be of any type or absent. For calls of programs, which have no page and so no Origin: the
   * route itself checks what proves who they are.
   */
  readonly takesBytes?: true;
  /** In bytes, if it is not what every route takes. */
  readonly maxBody?: number;
  /** What ids in the path look like. Default: a UUID. */
  readonly ids?: RegExp;
  readonly reply: FieldSchema;
  readonly status?: number;
  /** What it may be refused with besides what every route may be. */
  readonly errors?: readonly number[];
}

export interface OpenRoute extends RouteFacts {
  readonly access: "anyone";
  /** Another site may lead a browser here. It answers with a redirect to the page, and changes nothing. */
  readonly isLinked?: true;
  /** For programs that have a token of their own: throws a HttpRefusal before anything of the body is read. */
  admit?(headers: Headers, params: Readonly<Record<string, string>>): Promise<void>;
  run(request: RouteRequest): RouteReply | Promise<RouteReply>;
}

export interface SignedInRoute extends RouteFacts {
  readonly access: DeviceRole;
  /** For people alone: it makes something by which others could sign in. */
  readonly isForPeople?: true;
  run(request: SignedInRequest): RouteReply | Promise<RouteReply>;
}

export type Route = OpenRoute | SignedInRoute;
