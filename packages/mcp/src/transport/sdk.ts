// A server inside the client's own program: messages travel as control requests, and each brings its answer back.

import type { JsonObject } from "@keelson/protocol";
import type { Transport } from "../client.ts";

/** Hands a message to the client. Resolves with what the server answered, rejects when the client refuses. */
export type SendToServer = (message: JsonObject, signal: AbortSignal) => Promise<unknown>;

export function sdkTransport(send: SendToServer): Transport {
  return {
    async send(message, signal) {
      const answer = await send(message, signal);
      const isRequest = message["method"] !== undefined && message["id"] !== undefined;
      // An answer that is missing now will never come.
      if (isRequest && (answer === undefined || answer === null)) throw new Error("The client gave no answer");
      // Clients answer notifications, too: with an empty result of no request.
      return isRequest ? answer : undefined;
    },
  };
}
