// Control requests to the session. Everything the terminal asks or changes goes this way, as for any other client.

import type { JsonObject } from "@keelson/protocol";

/** A request that the session refused or could not carry out. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface Requests {
  /** Rejects with a RequestError. */
  request(subtype: string, fields?: JsonObject): Promise<unknown>;
}
