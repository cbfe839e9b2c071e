// JSON-RPC as MCP uses it: building messages, reading answers, and errors. Knows nothing about transports or methods.

import { isObject, type JsonObject } from "@keelson/protocol";

export const CONNECTION_CLOSED = -32000;
export const TIMED_OUT = -32001;
/** Our own code: HTTP has no JSON-RPC code for it. */
const UNAUTHORIZED = -32_401;
export const UNSUPPORTED_VERSION = -32022;
export const URL_ELICITATION_REQUIRED = -32042;
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A failed request. `code` is the JSON-RPC code; the message has the same form as in the MCP SDK. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: number;
  /** Details as the server sent them. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(`MCP error ${code}: ${message.slice(0, MAX_MESSAGE_LENGTH)}`);
    this.code = code;
    this.data = data;
  }
}

const MAX_MESSAGE_LENGTH = 10_000;

/** The server wants the user to sign in, or to sign in again with more rights. */
export class NeedsSignInError extends McpError {
  constructor(message: string) {
    super(UNAUTHORIZED, message);
  }
}

export function rpcRequest(id: number, method: string, params: JsonObject): JsonObject {
  return { method, params, jsonrpc: "2.0", id };
}

export function rpcNotification(method: string, params?: JsonObject): JsonObject {
  return { method, ...(params ? { params } : {}), jsonrpc: "2.0" };
}

/** The id is null if the request could not be read. */
export function rpcError(id: string | number | null, code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Returns the result. Throws McpError if the answer is an error or not a valid response. */
export function readResponse(answer: unknown): unknown {
  if (isObject(answer) && isObject(answer["error"])) {
    const { code, message, data } = answer["error"];
    throw new McpError(
      typeof code === "number" ? code : INTERNAL_ERROR,
      typeof message === "string" ? message : "the server did not say why",
      data,
    );
  }
  if (isObject(answer) && answer["result"] !== undefined) return answer["result"];
  throw new McpError(INTERNAL_ERROR, "the server's answer is not a JSON-RPC response");
}

export const messageOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
