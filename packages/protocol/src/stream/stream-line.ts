// A message as it travels over a socket, to a client that may come back.

import { isObject } from "../json.ts";
import type { Outbound, StreamCursor } from "./session.ts";

export interface StreamLine {
  /** The position behind the message; null if it has none of its own. */
  readonly c: StreamCursor | null;
  readonly m: Outbound;
}

/** The messages are those of another Keelson; as in any stream, what is not known is passed on. */
export const isStreamLine = (said: unknown): said is StreamLine =>
  isObject(said) && (said["c"] === null || typeof said["c"] === "string") && isObject(said["m"]);
