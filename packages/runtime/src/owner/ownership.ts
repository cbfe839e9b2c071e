// That this process, and no other, writes the session's transcript: a lease beside it (`disk/lease`). A new session, whose id no
// one knows yet, gets one with its first entry; any other before something of it is read.

import { createLease, type Lease } from "@keelson/disk/lease";
import type { Session } from "@keelson/protocol";
import { ownerPath } from "@keelson/store";
import type { OpenOptions } from "../session/open-options.ts";
import type { Listener } from "./listen.ts";

/** Short runs are over by then; others wait for the model. */
const SETTLE_AFTER_MS = 150;

export class Ownership {
  readonly options: OpenOptions;
  session: Session | undefined;
  lease: Lease | undefined;
  listener: Promise<Listener | undefined> | undefined;
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OpenOptions) {
    this.options = options;
  }

  /** Before the first line of a transcript that no other process knows. Without a lease, work goes on. */
  claim(path: string): void {
    if (this.lease === undefined) this.#adopt(() => createLease(ownerPath(path), this.#facts()));
  }

  /** Before a session is read that another process may have open. Rejects with an OpenError that says which. */
  async take(session: SessionFile): Promise<void> {
    this.claim(session.path);
    if (this.lease !== undefined || this.#problem !== undefined) return;
    const { takeSession } = await import("./take-session.ts");
    this.#adopt(await takeSession({ ...session, lease: ownerPath(session.path) }, this.#facts(), this.options.warn));
  }

  /** The transcript can be written, so the only problem is that another process can, too. */
  wrote(): void {
    if (this.#problem !== undefined) this.options.warn(`${UNLOCKED} (${this.#problem})`);
    this.#problem = undefined;
  }

  /** Other processes may become clients of the session. */
  serve(session: Session): void {
    this.session = session;
    this.#settleSoon();
  }

  /** The session takes no more prompts. */
  stopListening(): void {
    this.session = undefined;
    void this.listener?.then((listener) => listener?.stop());
    if (this.options.listens) this.lease?.note({ listens: false });
  }

  /** Whoever waits for the session need not wait long. */
  ending(): void {
    this.lease?.note({ ending: true });
  }

  /** The session has ended, or moves. */
  release(): void {
    clearTimeout(this.#timer);
    this.lease?.release();
    this.lease = this.#problem = undefined;
  }

  #facts() {
    return { name: this.options.frontEnd ?? "another program", listens: this.options.listens === true };
  }

  #adopt(take: () => Lease | undefined): void {
    try {
      this.lease = take();
      this.#settleSoon();
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
    }
  }

  #settleSoon(): void {
    clearTimeout(this.#timer);
    const { lease } = this;
    if (lease === undefined) return;
    this.#timer = setTimeout(
      () => void import("./settle.ts").then(({ settle }) => settle(this, lease)),
      SETTLE_AFTER_MS,
    );
    this.#timer.unref();
  }
}

export interface SessionFile {
  readonly id: string;
  readonly path: string;
  /** The id is to be that of a new session. */
  readonly isNew?: boolean;
}

const UNLOCKED = "Another program can open this session at the same time, because it cannot be locked";
