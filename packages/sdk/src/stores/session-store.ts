// What a session store is: a place outside this machine that keeps copies of transcripts. Entries are opaque to it;
// it keeps them in the order they came, each uuid once.

/** One transcript. `subpath` is left out for the conversation itself, `subagents/agent-<id>` for a subagent's. */
export type SessionKey = {
  /** The working directory as a folder name; see `projectKeyOf`. */
  projectKey: string;
  sessionId: string;
  subpath?: string;
};

/** One line of a transcript. `uuid`, where there is one, is the idempotency key. */
export type SessionStoreEntry = {
  type: string;
  uuid?: string;
  timestamp?: string;
  [key: string]: unknown;
};

/** What a list shows of a session, kept by the store beside it. `data` is opaque: store what `foldSessionSummary` gave. */
export type SessionSummaryEntry = {
  sessionId: string;
  /** Milliseconds since 1970, by the clock `listSessions` uses. */
  mtime: number;
  data: Record<string, unknown>;
};

export type SessionStore = {
  /** Adds entries in order. All or nothing where the backend can; entries whose uuid is there already are left out. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Everything appended under exactly this key, in order; null when nothing was. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Without a subpath: the session with all its subpaths. Nothing there is no error. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths of a session, without the conversation itself. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

/** When what a session writes goes to the store: at the end of a turn, or at once. */
export type SessionStoreFlush = "batched" | "eager";
