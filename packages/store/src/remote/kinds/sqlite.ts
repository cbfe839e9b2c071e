// A session store in an open SQLite database: `node:sqlite`, `bun:sqlite` and `better-sqlite3` all work. The database
// belongs to the caller; the store adds two tables.

import { tableNames } from "./table-names.ts";
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from "../session-store.ts";
import { foldSessionSummary } from "../summary.ts";

/** The part of a SQLite driver that this store needs. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

export interface SqliteStatement {
  // oxlint-disable-next-line no-explicit-any -- each driver has its own type for what may be bound
  run(...values: any[]): unknown;
  // oxlint-disable-next-line no-explicit-any
  all(...values: any[]): unknown[];
}

export interface SqliteSessionStoreOptions {
  readonly database: SqliteDatabase;
  /** Prefix of the table names. */
  readonly table?: string;
}

export class SqliteSessionStore implements SessionStore {
  readonly #database: SqliteDatabase;
  readonly #entries: string;
  readonly #sessions: string;

  constructor({ database, table = "keelson" }: SqliteSessionStoreOptions) {
    this.#database = database;
    const { entries, sessions } = tableNames(table);
    this.#entries = entries;
    this.#sessions = sessions;
    this.#migrate(entries, sessions);
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const [project, session, subpath] = placeOf(key);
    this.#atOnce(() => {
      const insert = this.#database.prepare(
        `INSERT INTO ${this.#entries} (project_key, session_id, subpath, uuid, entry) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING RETURNING seq`,
      );
      // Write first: this takes the lock, so no one changes the summary between our read and our update.
      const fresh = entries.filter(
        (entry) => insert.all(project, session, subpath, uuidOf(entry), JSON.stringify(entry)).length > 0,
      );
      if (subpath !== "") return;
      const [row] = this.#all(`SELECT * FROM ${this.#sessions} WHERE project_key = ? AND session_id = ?`, [
        project,
        session,
      ]);
      const previous = row === undefined ? undefined : summaryOf(row);
      const { mtime, data } = foldSessionSummary(previous, key, fresh, { mtime: Date.now() });
      this.#database
        .prepare(
          `INSERT INTO ${this.#sessions} (project_key, session_id, mtime, summary) VALUES (?, ?, ?, ?)
           ON CONFLICT (project_key, session_id) DO UPDATE SET mtime = excluded.mtime, summary = excluded.summary`,
        )
        .run(project, session, mtime, JSON.stringify(data));
    });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const rows = this.#all(
      `SELECT entry FROM ${this.#entries} WHERE project_key = ? AND session_id = ? AND subpath = ? ORDER BY seq`,
      placeOf(key),
    );
    return rows.length === 0 ? null : rows.map((row) => JSON.parse(String(row["entry"])) as SessionStoreEntry);
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const rows = this.#all(`SELECT session_id, mtime FROM ${this.#sessions} WHERE project_key = ?`, [projectKey]);
    return rows.map((row) => ({ sessionId: String(row["session_id"]), mtime: Number(row["mtime"]) }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return this.#all(`SELECT * FROM ${this.#sessions} WHERE project_key = ?`, [projectKey]).map(summaryOf);
  }

  async delete(key: SessionKey): Promise<void> {
    const [project, session, subpath] = placeOf(key);
    const isSession = "project_key = ? AND session_id = ?";
    this.#atOnce(() => {
      if (subpath !== "") {
        this.#database
          .prepare(`DELETE FROM ${this.#entries} WHERE ${isSession} AND subpath = ?`)
          .run(project, session, subpath);
        return;
      }
      for (const table of [this.#entries, this.#sessions]) {
        this.#database.prepare(`DELETE FROM ${table} WHERE ${isSession}`).run(project, session);
      }
    });
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const rows = this.#all(
      `SELECT DISTINCT subpath FROM ${this.#entries} WHERE project_key = ? AND session_id = ? AND subpath <> ''
       ORDER BY subpath`,
      [projectKey, sessionId],
    );
    return rows.map((row) => String(row["subpath"]));
  }

  #migrate(entries: string, sessions: string): void {
    // Without a timeout, a concurrent writer causes an error at once. A timeout that the caller set stays.
    const [timeout] = this.#all("PRAGMA busy_timeout", []);
    if (Number(timeout?.["timeout"] ?? 0) === 0) this.#database.exec("PRAGMA busy_timeout = 5000");
    this.#database.exec(
      `CREATE TABLE IF NOT EXISTS ${entries} (
         seq INTEGER PRIMARY KEY AUTOINCREMENT,
         project_key TEXT NOT NULL, session_id TEXT NOT NULL, subpath TEXT NOT NULL,
         uuid TEXT, entry TEXT NOT NULL);
       CREATE UNIQUE INDEX IF NOT EXISTS ${entries}_uuid ON ${entries.replace(/^.*\./, "")} (project_key, session_id, subpath, uuid);
       CREATE TABLE IF NOT EXISTS ${sessions} (
         project_key TEXT NOT NULL, session_id TEXT NOT NULL, mtime INTEGER NOT NULL, summary TEXT NOT NULL,
         PRIMARY KEY (project_key, session_id));`,
    );
  }

  /** A savepoint instead of a transaction, because the caller may be in one. */
  #atOnce(work: () => void): void {
    this.#database.exec("SAVEPOINT keelson_session_store");
    try {
      work();
      this.#database.exec("RELEASE keelson_session_store");
    } catch (error) {
      this.#database.exec("ROLLBACK TO keelson_session_store; RELEASE keelson_session_store");
      throw error;
    }
  }

  #all(sql: string, values: readonly unknown[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values) as Record<string, unknown>[];
  }
}

const placeOf = ({ projectKey, sessionId, subpath }: SessionKey) => [projectKey, sessionId, subpath ?? ""] as const;

const uuidOf = ({ uuid }: SessionStoreEntry) => (typeof uuid === "string" ? uuid : null);

function summaryOf(row: Record<string, unknown>): SessionSummaryEntry {
  return {
    sessionId: String(row["session_id"]),
    mtime: Number(row["mtime"]),
    data: JSON.parse(String(row["summary"])) as Record<string, unknown>,
  };
}
