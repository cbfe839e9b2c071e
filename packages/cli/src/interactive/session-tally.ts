// Listens to a session on its way to the screen, for what is kept about it after it ended.

import { isResult, type ResultMessage, type Session } from "@keelson/protocol";

export interface SessionTally {
  /** Something was said, so there is something to resume. */
  prompted: boolean;
  /** The last result. */
  result?: ResultMessage;
}

/** The same session; what passes through it is noted in `tally`. */
export function watchedSession(session: Session, tally: SessionTally): Session {
  return {
    get id() {
      return session.id;
    },
    send(input) {
      if (input.type === "user") tally.prompted = true;
      session.send(input);
    },
    async *attach(options) {
      for await (const message of session.attach(options)) {
        if (isResult(message)) tally.result = message;
        yield message;
      }
    },
    close: (reason) => session.close(reason),
  };
}
