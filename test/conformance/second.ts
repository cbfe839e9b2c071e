// A session that one client opened and holds without a word, for another one that attached second.

import type { OpenedSession } from "@keelson/runtime";
import type { SessionClient } from "@keelson/protocol";

/**
 * What the front end gets that opened the session. The second client comes with it: from the beginning, with what that one
 * wants to see, and nothing else of it. The session is closed when `read` is done.
 */
export function heldSession(session: OpenedSession, read: (second: SessionClient) => Promise<void>): OpenedSession {
  let reading: Promise<void> | undefined;
  return {
    get id() {
      return session.id;
    },
    ...(session.announce === undefined ? {} : { announce: session.announce }),
    ...(session.initialPrompt === undefined ? {} : { initialPrompt: session.initialPrompt }),
    async close(reason) {
      await session.close(reason);
      await reading;
    },
    attach(how = {}) {
      // It says nothing, so no answer is waited for from it.
      const first = session.attach({ ...how, answers: { permissions: false, requests: false } });
      const [epoch] = first.cursor.split(".");
      reading = read(session.attach({ ...how, name: "second", after: `${epoch}.0` }));
      return first;
    },
  };
}
