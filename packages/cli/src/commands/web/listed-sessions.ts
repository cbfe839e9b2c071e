// The list of the page: sessions on disk, and what is known of those that are open somewhere. A row is the same object as long as
// nothing in it changes, so whoever shows the list can tell cheaply what has changed.

import { ownerPath } from "@keelson/store";
import {
  FRESH_MS,
  inProgressUntil,
  searchSessionTexts,
  SessionIndex,
  type IndexedSession,
} from "@keelson/store/session-index";
import type { FoundSessions, WebSession } from "@keelson/web";
import type { SessionsHere, SharedSession } from "../../open.ts";
import { ArchivedSessions } from "./archived.ts";
import { SessionsElsewhere } from "./elsewhere.ts";

type LiveFacts = Pick<WebSession, "isOpen" | "state" | "isArchived">;

export class ListedSessions {
  readonly #sessions: SessionsHere;
  readonly #index: SessionIndex;
  readonly #archived: ArchivedSessions;
  readonly #elsewhere: SessionsElsewhere;
  readonly #rows = new WeakMap<IndexedSession, WebSession>();
  readonly #workUntil = new WeakMap<IndexedSession, number>();
  /** Of those that have no transcript yet. */
  #unwritten = new Map<string, WebSession>();
  readonly #listeners = new Set<() => void>();
  readonly #unwatch: () => void;

  constructor(sessions: SessionsHere, configDir: string) {
    const changed = () => this.#changed();
    this.#sessions = sessions;
    this.#index = new SessionIndex(configDir);
    this.#index.changed = changed;
    this.#archived = new ArchivedSessions(configDir);
    this.#elsewhere = new SessionsElsewhere(sessions, configDir, changed);
    this.#unwatch = sessions.watch(changed);
  }

  /** Newest first. One that has no transcript yet is as new as it was opened. */
  async all(): Promise<readonly WebSession[]> {
    const stored = await this.#index.list();
    const here = new Map(this.#sessions.all().map((session) => [session.id, session]));
    const archived = this.#archived.all;
    const held = await this.#held(stored, here);
    const rows = new Map<string, WebSession>();
    // A session may have been copied into another folder.
    for (const session of stored)
      if (!rows.has(session.id)) rows.set(session.id, this.#row(session, { here, held, archived }));
    const unwritten = this.#openWithoutTranscript([...here.values()].filter(({ id }) => !rows.has(id)));
    this.#unwritten = new Map(unwritten.map((row) => [row.id, row]));
    // It is almost in order, which costs a sort little.
    return [...unwritten, ...rows.values()].sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
  }

  async find(id: string): Promise<WebSession | undefined> {
    const [stored, open] = [await this.#index.find(id), this.#sessions.find(id)];
    if (stored === undefined) return open && this.#openWithoutTranscript([open])[0];
    const here = new Map(open ? [[id, open]] : []);
    const held = await this.#held([stored], here);
    return this.#row(stored, { here, held, archived: this.#archived.all });
  }

  /** As the index has it. */
  stored(id: string): Promise<IndexedSession | undefined> {
    return this.#index.find(id);
  }

  async search(words: string, ids: readonly string[], signal: AbortSignal): Promise<FoundSessions> {
    const wanted = new Set(ids);
    const among = (await this.#index.list()).filter(({ id }) => wanted.has(id));
    const found = await searchSessionTexts(words, among, signal);
    return { ids: new Set(found.map(({ id }) => id)), isWhole: !signal.aborted };
  }

  /** Calls the listener when something may have changed, and often when nothing has; until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async archive(id: string, isArchived: boolean): Promise<void> {
    await this.#archived.set(id, isArchived);
    this.#changed();
  }

  /** Something was written by us. */
  readAgain(): void {
    this.#index.readAgain();
  }

  close(): void {
    this.#unwatch();
    this.#index.close();
    this.#elsewhere.close();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Which of them another program has open. */
  async #held(
    stored: readonly IndexedSession[],
    here: ReadonlyMap<string, SharedSession>,
  ): Promise<ReadonlySet<IndexedSession>> {
    const owned = stored.filter(({ id, hasOwner }) => hasOwner && !here.has(id));
    const held = await Promise.all(owned.map(({ path }) => isHeld(path)));
    return new Set(owned.filter((_, at) => held[at]));
  }

  #row(session: IndexedSession, places: Places): WebSession {
    const { isOpen, state, isArchived } = this.#liveFacts(session, places);
    const known = this.#rows.get(session);
    if (known?.isOpen === isOpen && known.state === state && known.isArchived === isArchived) return known;
    const { id, cwd, gitBranch: branch, worktree, size: bytes, firstPrompt, lastPrompt } = session;
    // Without a name it is called by how it began: a title that changes with each prompt is hard to find again.
    const title = session.title === lastPrompt ? (firstPrompt ?? session.title) : session.title;
    const modifiedMs = Math.floor(session.modified);
    const row = { id, title, cwd, branch, worktree, modifiedMs, bytes, isOpen, state, isArchived };
    this.#rows.set(session, row);
    return row;
  }

  #liveFacts(session: IndexedSession, { here, held, archived }: Places): LiveFacts {
    const { id } = session;
    const isArchived = archived.has(id);
    const open = here.get(id);
    if (open) return { isOpen: true, state: open.state, isArchived };
    if (held.has(session)) return { isOpen: true, state: this.#elsewhere.stateOf(session), isArchived };
    this.#elsewhere.forget(id);
    return { isOpen: false, state: this.#isInProgress(session) ? "running" : "idle", isArchived };
  }

  /** By the transcript alone. */
  #isInProgress(session: IndexedSession): boolean {
    const now = Date.now();
    if (now - session.modified >= FRESH_MS) return false;
    const known = this.#workUntil.get(session) ?? inProgressUntil(session.path) ?? 0;
    this.#workUntil.set(session, known);
    return now < known;
  }

  #openWithoutTranscript(open: readonly SharedSession[]): readonly WebSession[] {
    return open.map(({ id, title = "", cwd, openedMs: modifiedMs, state }): WebSession => {
      const known = this.#unwritten.get(id);
      if (known?.title === title && known.state === state) return known;
      const facts = { id, title, cwd, branch: undefined, worktree: undefined, modifiedMs, bytes: 0 };
      return { ...facts, isOpen: true, isArchived: false, state };
    });
  }
}

interface Places {
  readonly here: ReadonlyMap<string, SharedSession>;
  /** Those that another program has open. */
  readonly held: ReadonlySet<IndexedSession>;
  readonly archived: ReadonlySet<string>;
}

async function isHeld(path: string): Promise<boolean> {
  const { leaseHolder } = await import("@keelson/disk/lease/take");
  return leaseHolder(ownerPath(path)).then(
    (holder) => holder !== undefined,
    () => false,
  );
}
