// What a session store is: a place outside this machine that keeps copies of transcripts. Entries are opaque to it; it
// keeps them in order, each uuid once.

/** One transcript. `subpath` is absent for the conversation itself, `subagents/agent-<id>` for a subagent's. */
export type SessionKey = {
  /** The working directory as a folder name; see `projectKeyOf`. */
  projectKey: string;
  sessionId: string;
  subpath?: string;
};

/** One line of a transcript. `uuid`, if present, is the idempotency key. */
export type SessionStoreEntry = {
  type: string;
  uuid?: string;
  timestamp?: string;
  [key: string]: unknown;
};

/** What a list shows of a session, stored next to it. `data` is opaque: store what `foldSessionSummary` returned. */
export type SessionSummaryEntry = {
  sessionId: string;
  /** Milliseconds since 1970, by the clock that `listSessions` uses. */
  mtime: number;
  data: Record<string, unknown>;
};

export type SessionStore = {
  /** Adds entries in order, atomically if the backend can. Entries whose uuid already exists are skipped. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Everything appended under exactly this key, in order; null if nothing was. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Without a subpath, deletes the session and all its subpaths. A missing session is not an error. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths of a session, without the conversation itself. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

/** When entries go to the store: at the end of a turn, or at once. */
export type SessionStoreFlush = "batched" | "eager";
