// Errors as the other side gets them.

import type { Json } from "@keelson/protocol";

export const ERROR_CODES = {
  notJson: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  wrongParams: -32602,
  internal: -32603,
  signInRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
} as const;

/** What is wrong may quote what the other side sent. */
const MOST_WORDS = 2_000;

export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message.length > MOST_WORDS ? `${message.slice(0, MOST_WORDS)}…` : message);
    this.code = code;
    this.data = data;
  }
}

export const wrongParams = (what: string) => new RpcError(ERROR_CODES.wrongParams, `Invalid params: ${what}`);

/** Any error as one that can be sent. */
export function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(ERROR_CODES.internal, error instanceof Error ? error.message : String(error));
}
