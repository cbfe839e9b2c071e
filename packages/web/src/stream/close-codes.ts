/** Why the server closes a socket. The page tells them apart. */
export const CLOSE = {
  /** Not a message, or one that this device may not send. */
  refused: 4003,
  /** There is no such session, or it cannot be opened. */
  noSession: 4004,
  /** The device was signed out. */
  signedOut: 4001,
  /** It did not read for a long time, or sends too much. It may come back with its cursor. */
  slow: 4008,
  /** The session is over, or the server is. */
  ended: 4010,
} as const;
