// The errors the engine handles. Any other error is a bug and is not caught.

/** What callers branch on. Uses the wire's name where there is one. */
export type ModelErrorKind =
  | "overloaded"
  | "rate_limit"
  | "server_error"
  | "connection"
  | "timeout"
  | "stream_cut"
  | "authentication_failed"
  /** Not sent: there is no key. The message is shown as it is. */
  | "signed_out"
  | "billing_error"
  | "invalid_request"
  | "prompt_too_long"
  | "model_not_found"
  | "aborted"
  /** Not sent: it would have cost more than is left. */
  | "budget_exhausted"
  | "unknown";

/** A model call that failed. `kind` is what callers branch on; `message` is for people. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  /** The vendor's name for it, such as `invalid_request_error`. */
  readonly apiType: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** How the model's server names the request. */
  readonly requestId: string | undefined;
  /** The server asks not to be sent the request again. */
  readonly isFinal: boolean;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: {
      status?: number;
      apiType?: string;
      retryAfterMs?: number;
      requestId?: string;
      isFinal?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.apiType = options.apiType;
    this.retryAfterMs = options.retryAfterMs;
    this.requestId = options.requestId;
    this.isFinal = options.isFinal ?? false;
  }
}

/** The name that clients know; they have none for connections, and a prompt that is too long is an invalid request. */
export function wireErrorName({ kind }: ModelError): string {
  if (kind === "prompt_too_long") return "invalid_request";
  if (kind === "signed_out") return "authentication_failed";
  return kind === "connection" || kind === "timeout" || kind === "stream_cut" ? "unknown" : kind;
}

/** A tool failed. The message goes back to the model, which may try again. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
