// Control requests to the session. Everything the terminal asks or changes goes this way, as for any other client.

import type { JsonObject } from "@keelson/protocol";

export interface Requests {
  /** Rejects with the session's error. */
  request(subtype: string, fields?: JsonObject): Promise<unknown>;
}
