// How a client learns that it cannot follow a session any more that another process has open.

/** What `messages` of a client ends with if the session was open in another process and cannot be followed there any more. */
export class SessionLostError extends Error {
  override readonly name = "SessionLostError";
  readonly sessionId: string;
  /** In a sentence. */
  readonly why: string;
  /** Whoever opens it again may do what it could not do there, so only a person may decide that. */
  readonly wasLimited: boolean;

  constructor(why: string, sessionId: string, fix: string, wasLimited = false) {
    super(`${why}; ${fix}, run: keelson --resume ${sessionId}`);
    this.wasLimited = wasLimited;
    this.why = why;
    this.sessionId = sessionId;
  }
}
