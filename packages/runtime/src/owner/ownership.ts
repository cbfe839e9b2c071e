// That this process, and no other, writes the session's transcript: a lease beside it (`disk/lease`). A new session, whose id no
// one knows yet, gets one with its first entry; any other before something of it is read.

import { createLease, type Lease } from "@keelson/disk/lease";
import type { Session } from "@keelson/protocol";
import type { OpenOptions } from "../session/open-options.ts";
import type { Listener } from "./listen.ts";

/** A short run is over by then, and a longer one waits for the model. */
const SETTLE_AFTER_MS = 150;

export class Ownership {
  readonly #options: OpenOptions;
  #lease: Lease | undefined;
  #problem: unknown;
  #timer: NodeJS.Timeout | undefined;
  #session: Session | undefined;
  #listener: Promise<Listener | undefined> | undefined;

  constructor(options: OpenOptions) {
    this.#options = options;
  }

  /** Before the first line of a transcript that no other process knows. Without a lease, work goes on. */
  claim(path: string): void {
    if (this.#lease === undefined) this.#adopt(() => createLease(leasePath(path), this.#facts()));
  }

  /** Before a session is read that another process may have open. Rejects with an OpenError that says which. */
  async take(session: SessionFile): Promise<void> {
    const path = leasePath(session.path);
    const isMissing = this.#adopt(() => createLease(path, this.#facts())) === undefined;
    if (!isMissing || this.#problem !== undefined) return;
    const { takeSession } = await import("./take-session.ts");
    const lease = await takeSession({ ...session, lease: path }, this.#facts());
    this.#adopt(() => lease);
  }

  /** The transcript was written. That another process may write it at the same time is the only problem. */
  wrote(): void {
    const problem = this.#problem;
    if (problem === undefined) return;
    this.#problem = undefined;
    const why = problem instanceof Error ? problem.message : String(problem);
    this.#options.warn(`Another program can open this session at the same time, because it cannot be locked (${why})`);
  }

  /** Other processes may become clients of the session. */
  serve(session: Session): void {
    this.#session = session;
    this.#settleSoon();
  }

  /** The session ends or moves to another transcript. */
  release(): void {
    clearTimeout(this.#timer);
    this.#lease?.release();
    this.#lease = this.#problem = undefined;
  }

  close(): void {
    this.release();
    void this.#listener?.then((listener) => listener?.close());
  }

  #facts() {
    return { name: this.#options.frontEnd ?? "another program", listens: this.#options.listens === true };
  }

  #adopt(create: () => Lease | undefined): Lease | undefined {
    try {
      this.#lease = create();
      this.#problem = undefined;
    } catch (problem) {
      this.#problem = problem;
    }
    this.#settleSoon();
    return this.#lease;
  }

  #settleSoon(): void {
    clearTimeout(this.#timer);
    if (this.#lease === undefined) return;
    this.#timer = setTimeout(() => void this.#settle(this.#lease!), SETTLE_AFTER_MS);
    this.#timer.unref();
  }

  async #settle(lease: Lease): Promise<void> {
    try {
      const { holdLease } = await import("@keelson/disk/lease/hold");
      const session = this.#session;
      if (session !== undefined && this.#options.listens) this.#listener ??= this.#listen(session);
      const listener = await this.#listener;
      if (listener) lease.add({ socket: listener.path });
      await holdLease(lease);
    } catch (error) {
      this.#options.debug?.("session", () => `The lease is incomplete: ${String(error)}`);
    }
  }

  async #listen(session: Session): Promise<Listener | undefined> {
    const { listen } = await import("./listen.ts");
    const { configDir, env } = this.#options.snapshot;
    return listen(session, { configDir, env });
  }
}

export interface SessionFile {
  readonly id: string;
  readonly path: string;
}

const leasePath = (transcript: string) => transcript.replace(/\.jsonl$/, ".owner");
