// A transport that shows every message that goes through it.

import type { JsonObject } from "@keelson/protocol";
import type { Transport } from "../connection/client.ts";

export type OnMessage = (direction: "sent" | "received", message: unknown) => void;

export function watchedTransport(inner: Transport, onMessage: OnMessage): Transport {
  return {
    ...(inner.start
      ? {
          start: (events, signal) =>
            inner.start!(
              {
                message(message) {
                  onMessage("received", message);
                  events.message(message);
                },
                closed: (reason) => events.closed(reason),
              },
              signal,
            ),
        }
      : {}),
    async send(message: JsonObject, signal: AbortSignal) {
      onMessage("sent", message);
      const answer = await inner.send(message, signal);
      if (answer !== undefined) onMessage("received", answer);
      return answer;
    },
    useVersion: (version) => inner.useVersion?.(version),
    noise: () => inner.noise?.(),
    close: () => inner.close?.(),
  };
}
