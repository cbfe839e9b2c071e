// What can go wrong with a language server, as callers tell it apart.

export type LanguageServerErrorKind =
  /** The program could not be started or did not finish the handshake. */
  | "start"
  /** The program ended or its output became unreadable while a request was open. */
  | "closed"
  /** No answer in time. */
  | "timeout"
  /** The caller gave up. */
  | "cancelled"
  /** The server answered with an error. */
  | "refused"
  /** The server has no such feature. */
  | "unsupported"
  /** The file cannot be given to a server. */
  | "file";

/** `message` is for people and for the model: one sentence without a full stop. */
export class LanguageServerError extends Error {
  override readonly name = "LanguageServerError";
  readonly kind: LanguageServerErrorKind;

  constructor(kind: LanguageServerErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
