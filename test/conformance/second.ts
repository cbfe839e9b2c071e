// Sessions whose front end gets another client than it asks for: one that holds the session without a word for another that
// attached second, or any.

import type { OpenedSession } from "@keelson/runtime";
import type { AttachOptions, SessionClient } from "@keelson/protocol";

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

/** The same session, whose front end gets this client. */
export function sessionWith(session: OpenedSession, attach: (how: AttachOptions) => SessionClient): OpenedSession {
  return {
    get id() {
      return session.id;
    },
    ...(session.announce === undefined ? {} : { announce: session.announce }),
    ...(session.initialPrompt === undefined ? {} : { initialPrompt: session.initialPrompt }),
    close: (reason) => session.close(reason),
    attach: (how = {}) => attach(how),
  };
}
