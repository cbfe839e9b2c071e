// Follows a session to its end. If the reader closes the pipe, the session ends without an error.

import type { AttachOptions, Outbound, Session, SessionClient } from "@keelson/protocol";
import { isReaderGone } from "./streams.ts";

export interface Watching {
  readonly client: SessionClient;
  /** Passes every message to `show` until the session ends. Returns false if the reader closed the pipe. */
  until(show: (message: Outbound) => void | Promise<void>, flush: () => Promise<void>): Promise<boolean>;
}

/** Starts at once, so that no message is missed. */
export function watch(session: Session, attach: AttachOptions): Watching {
  const client = session.attach(attach);
  const messages = client.messages[Symbol.asyncIterator]();
  let next = messages.next();
  // `until` reports a failure; before it is called, the rejection must not count as unhandled.
  next.catch(() => undefined);

  return {
    client,
    async until(show, flush) {
      try {
        for (let item = await next; !item.done; item = await next) {
          const slow = show(item.value);
          if (slow !== undefined) await slow;
          next = messages.next();
        }
        await flush();
        return true;
      } catch (error) {
        // Detach first: the session waits for its clients, and this one reads no more.
        client.detach();
        await session.close("terminate");
        if (isReaderGone(error)) return false;
        throw error;
      }
    },
  };
}

/** Sends one prompt and closes the session once it is answered. */
export function sendOnly(session: Session, client: SessionClient, prompt: string): Promise<void> {
  sendPrompt(client, prompt);
  return session.close("end_of_input");
}

export function sendPrompt(client: SessionClient, prompt: string): void {
  client.send({ type: "user", message: { role: "user", content: prompt }, parent_tool_use_id: null });
}
