// Control requests to the session. Everything the terminal asks or changes goes this way, as for any other client.

import type { ControlSubtype, FieldsOf, ReplyTo } from "@keelson/protocol";

/** A request that the session refused or could not carry out. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string | undefined;
  /** It was about a file, and there is none of this name. */
  readonly isMissing: boolean;

  constructor(message: string, code?: string, isMissing = false) {
    super(message);
    this.code = code;
    this.isMissing = isMissing;
  }
}

export interface Requests {
  /** Rejects with a RequestError. The signal takes the request back: it gets no reply. */
  request<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
    signal?: AbortSignal,
  ): Promise<ReplyTo<Subtype>>;
}
