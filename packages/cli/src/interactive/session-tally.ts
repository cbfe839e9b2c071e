// Listens to a session on its way to the screen, for what is kept about it after it ended.

import { isResult, type Inbound, type Outbound, type ResultMessage, type Session } from "@keelson/protocol";

export interface SessionTally {
  /** The last result. */
  result?: ResultMessage;
}

/** The same session; what passes through it is noted in `tally`. `first` is sent by the first client. */
export function watchedSession(session: Session, tally: SessionTally, first?: Inbound): Session {
  let opening = first;
  return {
    get id() {
      return session.id;
    },
    attach(options) {
      const client = session.attach(options);
      if (opening !== undefined) client.send(opening);
      opening = undefined;
      return {
        id: client.id,
        get cursor() {
          return client.cursor;
        },
        messages: noted(client.messages, tally),
        send: (input) => client.send(input),
        detach: () => client.detach(),
      };
    },
    close: (reason) => session.close(reason),
  };
}

async function* noted(messages: AsyncIterable<Outbound>, tally: SessionTally): AsyncGenerator<Outbound> {
  for await (const message of messages) {
    if (isResult(message)) tally.result = message;
    yield message;
  }
}
