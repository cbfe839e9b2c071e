// A session store in memory: for tests, for experiments, and as the shortest example of a store.

import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from "../session-store.ts";
import { foldSessionSummary } from "../summary.ts";

interface Kept {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
  readonly uuids: Set<string>;
  summary: SessionSummaryEntry | undefined;
}

export class InMemorySessionStore implements SessionStore {
  readonly #kept = new Map<string, Kept>();
  #lastMtime = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const id = idOf(key);
    let kept = this.#kept.get(id);
    if (kept === undefined) {
      kept = { key: { ...key }, entries: [], uuids: new Set(), summary: undefined };
      this.#kept.set(id, kept);
    }
    const { uuids } = kept;
    const fresh = entries.filter(({ uuid }) => {
      if (typeof uuid !== "string") return true;
      return !uuids.has(uuid) && uuids.add(uuid);
    });
    for (const entry of fresh) kept.entries.push(structuredClone(entry));
    // Never the same time twice, so "newest first" is well defined.
    this.#lastMtime = Math.max(Date.now(), this.#lastMtime + 1);
    kept.summary = foldSessionSummary(kept.summary, key, fresh, { mtime: this.#lastMtime });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const kept = this.#kept.get(idOf(key));
    return kept === undefined ? null : structuredClone(kept.entries);
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    return this.#sessionsOf(projectKey).map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return structuredClone(this.#sessionsOf(projectKey));
  }

  async delete(key: SessionKey): Promise<void> {
    for (const [id, kept] of this.#kept) {
      if (id === idOf(key) || (!key.subpath && isSameSession(kept.key, key))) this.#kept.delete(id);
    }
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return [...this.#kept.values()].flatMap((kept) =>
      kept.key.subpath && isSameSession(kept.key, key) ? [kept.key.subpath] : [],
    );
  }

  /** What was appended under a key, for tests. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return structuredClone(this.#kept.get(idOf(key))?.entries ?? []);
  }

  /** The number of sessions, without subagents. */
  get size(): number {
    return [...this.#kept.values()].filter(({ key }) => !key.subpath).length;
  }

  clear(): void {
    this.#kept.clear();
  }

  #sessionsOf(projectKey: string): SessionSummaryEntry[] {
    return [...this.#kept.values()].flatMap(({ key, summary }) =>
      key.projectKey === projectKey && !key.subpath && summary !== undefined ? [summary] : [],
    );
  }
}

// A JSON array, so no character of a key can be mistaken for a separator.
const idOf = ({ projectKey, sessionId, subpath }: SessionKey) =>
  JSON.stringify([projectKey, sessionId, ...(subpath ? [subpath] : [])]);

const isSameSession = (one: SessionKey, other: SessionKey) =>
  one.projectKey === other.projectKey && one.sessionId === other.sessionId;
