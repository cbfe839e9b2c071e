// What is refused, in the words of the protocol: `{"type":"error","error":{"type","message"}}`.

export type HttpRefusalType =
  | "invalid_request"
  | "authentication"
  | "permission"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "too_large"
  | "unsupported_media_type"
  | "misdirected"
  | "precondition_failed"
  | "rate_limit"
  | "storage"
  | "server";

const STATUS: Readonly<Record<HttpRefusalType, number>> = {
  invalid_request: 400,
  authentication: 401,
  permission: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected: 421,
  rate_limit: 429,
  server: 500,
  storage: 507,
};

export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly type: HttpRefusalType;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: HttpRefusalType, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.type = type;
    this.headers = headers;
  }

  get status(): number {
    return STATUS[this.type];
  }

  bodyAs(type: string): object {
    return { type: "error", error: { type, message: this.message } };
  }
}
