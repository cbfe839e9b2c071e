// The stream of one session, for as long as the page shows it: connects again by itself, from where it was.

import type { Inbound, Outbound } from "@keelson/protocol";
import { isStreamLine } from "@keelson/protocol/stream-line";
import { ServerLink } from "./link.ts";

export interface StreamListener {
  /** A connection begins; questions and requests of the one before it are void. */
  began(): void;
  message(message: Outbound, cursor: string | null): void;
  /** `why` if it will not connect again. */
  lost(why?: string): void;
}

export class SessionStream {
  readonly #link: ServerLink;
  #cursor: string | undefined;

  constructor(id: string, listener: StreamListener) {
    const path = () => `./v1/sessions/${id}/stream${this.#cursor === undefined ? "" : `?after=${this.#cursor}`}`;
    this.#link = new ServerLink(path, {
      began: () => listener.began(),
      line: (line) => {
        if (!isStreamLine(line)) return;
        const { c, m } = line;
        if (c !== null) this.#cursor = c;
        listener.message(m, c);
      },
      lost: (why) => listener.lost(why),
    });
  }

  /** Behind the last message that came. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** False if there is no connection. The caller sends what must arrive again when there is one. */
  send(message: Inbound): boolean {
    return this.#link.send(JSON.stringify(message));
  }

  /** What is shown is no longer what was said: connects anew and gets all of it. */
  startAnew(): void {
    this.#cursor = undefined;
    this.#link.restart();
  }

  close(): void {
    this.#link.close();
  }
}
