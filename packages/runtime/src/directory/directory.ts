// The sessions of this process, and the way to every other: opens them, finds those that are open, lists them with those on
// disk, and closes those that nobody needs. Several front ends of one process share it.

import { sharedSandbox } from "@keelson/host";
import type {
  AttachOptions,
  ControlSubtype,
  EndReason,
  FieldsOf,
  ListedSession,
  ReplyTo,
  SessionClient,
} from "@keelson/protocol";
import type { StoredSessions } from "@keelson/store/stored-sessions";
import { openSession } from "../session/open.ts";
import type { OpenedSession } from "../session/open-options.ts";
import { OpenError } from "../session/place.ts";
import type { LiveSession } from "../session/session.ts";
import type { FolderChoice, SessionsHere, SharedSession, StoredSession } from "./sessions-here.ts";
import { writtenSoFar } from "../stream/open-streams.ts";
import type { MessageQuery } from "../stream/past.ts";
import { openOptions } from "./wanted.ts";
import type { ProgramParts, WantedSession } from "./wanted-session.ts";

export class SessionDirectory implements SessionsHere {
  readonly #program: ProgramParts;
  readonly #here = new Set<SessionHere>();
  readonly #opening = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();

  constructor(program: ProgramParts = {}) {
    this.#program = { ...program, sharedSandbox: sharedSandbox() };
  }

  async open(wanted: WantedSession): Promise<OpenedSession> {
    const opening = openSession(openOptions(wanted, this.#program, this));
    this.#opening.add(opening);
    try {
      return this.#keep(await opening, wanted);
    } catch (error) {
      if (!(error instanceof OpenError) || error.owned === undefined || wanted.join === undefined) throw error;
      // It may be one of those that are being opened here.
      await Promise.allSettled([...this.#opening].filter((other) => other !== opening));
      const here = this.#at(error.owned.id);
      if (here?.isClosing) {
        await here.ended;
        return this.open(wanted);
      }
      const { joinOwner } = await import("../owner/join.ts");
      const joined = await joinOwner(error.owned, wanted.join, wanted.snapshot.configDir, here && (() => here.hold()));
      // Its owner has just ended.
      return joined ?? this.open({ ...wanted, join: undefined });
    } finally {
      this.#opening.delete(opening);
    }
  }

  find(id: string): SharedSession | undefined {
    const here = this.#at(id);
    return here?.isClosing ? undefined : here;
  }

  all(): readonly SharedSession[] {
    return [...this.#here].filter(({ isClosing }) => !isClosing);
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async joinElsewhere(session: StoredSession, configDir: string): Promise<OpenedSession | undefined> {
    return (await import("../owner/join.ts")).joinElsewhere(session, configDir);
  }

  async list(
    stored: Pick<StoredSessions, "rows">,
    { cwd, allProjects, asked }: FolderChoice,
  ): Promise<readonly ListedSession[]> {
    const { withOpenSessions } = await import("./with-open.ts");
    const open = [...this.#here].filter((each) => allProjects || each.cwd === cwd);
    return withOpenSessions(await stored.rows({ allProjects }), open, asked);
  }

  async messages(stored: StoredSessions, id: string, query: MessageQuery) {
    const here = this.#at(id);
    if (here) return here.request("get_messages", query);
    const part = writtenSoFar((await stored.path(id)) ?? null);
    return part && (await import("../stream/past.ts")).storedMessages(part, query);
  }

  async close(reason: EndReason): Promise<void> {
    // Those that are being opened are here in a moment.
    await Promise.allSettled(this.#opening);
    await Promise.all([...this.#here].map((each) => each.close(reason)));
  }

  /** An id changes when a conversation is cleared, so it is no key. */
  #at(id: string): SessionHere | undefined {
    return [...this.#here].find((each) => each.id === id);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #keep(session: LiveSession, { snapshot, warn, closeIdleAfterMs }: WantedSession): OpenedSession {
    const here = new SessionHere(session, { cwd: snapshot.cwd, warn, closeIdleAfterMs });
    this.#here.add(here);
    session.stateChanged = () => this.#changed();
    void session.ended.then(() => {
      this.#here.delete(here);
      this.#changed();
    });
    this.#changed();
    // Whoever joins it later finds it begun.
    const { announce, initialPrompt } = session;
    return Object.assign(
      here.hold(),
      announce === undefined ? {} : { announce },
      initialPrompt === undefined ? {} : { initialPrompt },
    );
  }
}

interface HereOptions {
  /** The folder it was opened in. */
  readonly cwd: string;
  readonly closeIdleAfterMs: number | undefined;
  warn(text: string): void;
}

/** One session, and the front ends that opened it. */
class SessionHere implements SharedSession {
  readonly cwd: string;
  readonly openedMs = Date.now();
  readonly #session: LiveSession;
  readonly #closeIdleAfterMs: number | undefined;
  readonly #warn: HereOptions["warn"];
  readonly #holders = new Set<object>();
  #timer: NodeJS.Timeout | undefined;

  constructor(session: LiveSession, { cwd, warn, closeIdleAfterMs }: HereOptions) {
    this.cwd = cwd;
    this.#session = session;
    this.#closeIdleAfterMs = closeIdleAfterMs;
    this.#warn = warn;
    if (closeIdleAfterMs === undefined) return;
    session.clientsChanged = () => this.#waitUntilIdle();
    this.#waitUntilIdle();
    void session.ended.then(() => clearTimeout(this.#timer));
  }

  get id(): string {
    return this.#session.id;
  }

  get title(): string | undefined {
    return this.#session.title;
  }

  get state(): SharedSession["state"] {
    return this.#session.state;
  }

  get isClosing(): boolean {
    return this.#session.closing;
  }

  get ended(): Promise<void> {
    return this.#session.ended;
  }

  request<Subtype extends ControlSubtype>(subtype: Subtype, fields?: FieldsOf<Subtype>): Promise<ReplyTo<Subtype>> {
    return this.#session.request(subtype, fields);
  }

  attach(options?: AttachOptions): SessionClient {
    return this.#session.attach(options);
  }

  close(reason: EndReason): Promise<void> {
    return this.#session.close(reason);
  }

  /** As one front end has it. */
  hold(): OpenedSession {
    const session = this.#session;
    let own: readonly SessionClient[] = [];
    const holder = {
      get id() {
        return session.id;
      },
      attach: (options?: AttachOptions): SessionClient => {
        const client = session.attach(options);
        own = [...own.filter(({ id }) => session.hasClient(id)), client];
        return client;
      },
      close: async (reason: EndReason): Promise<void> => {
        this.#holders.delete(holder);
        if (this.#holders.size === 0) return this.close(reason);
        if (reason === "end_of_input") return session.endInput(own.map(({ id }) => id));
        for (const client of own) client.detach();
      },
    };
    this.#holders.add(holder);
    return holder;
  }

  #waitUntilIdle(): void {
    clearTimeout(this.#timer);
    if (this.#session.clientCount > 0 || this.isClosing) return;
    this.#timer = setTimeout(() => {
      if (this.#session.busy) this.#waitUntilIdle();
      else this.close("end_of_input").catch((error: Error) => this.#warn(`The session ended badly: ${error.message}`));
    }, this.#closeIdleAfterMs);
  }
}
