// Transport for a server inside the client program: each message is a control request, and its response is the answer.

import type { JsonObject } from "@keelson/protocol";
import type { Transport } from "../connection/client.ts";

/** Resolves with the server's answer; rejects if the client returns an error. */
export type SendToServer = (message: JsonObject, signal: AbortSignal) => Promise<unknown>;

export function sdkTransport(send: SendToServer): Transport {
  return {
    async send(message, signal) {
      const answer = await send(message, signal);
      const isRequest = message["method"] !== undefined && message["id"] !== undefined;
      // The response is the only way to answer, so a missing answer will never arrive.
      if (isRequest && (answer === undefined || answer === null)) throw new Error("The client did not answer");
      // Clients answer notifications too, with an empty result that belongs to no request.
      return isRequest ? answer : undefined;
    },
  };
}
