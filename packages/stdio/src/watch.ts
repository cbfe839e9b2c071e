// Watches a session to its end, and turns "nobody reads our output" into a quiet end.

import type { Outbound, Session } from "@keelson/protocol";
import { isReaderGone } from "./streams.ts";

export interface Watching {
  /** Feeds every message to `show`, in order, until the session has ended. False: the reader went away. */
  until(show: (message: Outbound) => void | Promise<void>, flush: () => Promise<void>): Promise<boolean>;
}

/** Starts watching at once, so that nothing sent afterwards is missed. */
export function watch(session: Session): Watching {
  const messages = session.attach()[Symbol.asyncIterator]();
  let next = messages.next();
  // Whoever calls `until` sees a failure; until then it must not count as unhandled.
  next.catch(() => undefined);

  return {
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
        // Leave first: a session waits for its watchers, and this one takes nothing more.
        await messages.return?.();
        await session.close("terminate");
        if (isReaderGone(error)) return false;
        throw error;
      }
    },
  };
}

/** Sends one prompt and asks the session to end when it is answered. */
export function sendOnly(session: Session, prompt: string): Promise<void> {
  sendPrompt(session, prompt);
  return session.close("end_of_input");
}

export function sendPrompt(session: Session, prompt: string): void {
  session.send({ type: "user", message: { role: "user", content: prompt }, parent_tool_use_id: null });
}
