// A session store in Postgres, for any client that sends a query: `pg`'s Pool or Client work as they are. Every change
// is one statement, so it stays atomic even if a pool uses another connection for each query.

import { setTimeout as wait } from "node:timers/promises";
import { tableNames } from "./table-names.ts";
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from "../session-store.ts";
import { foldSessionSummary } from "../summary.ts";

/** The part of a Postgres client that this store needs. */
export interface PostgresClient {
  // oxlint-disable-next-line no-explicit-any -- each client has its own type for what may be bound, and for a row
  query(text: string, values?: any[]): Promise<{ rows: any[] }>;
}

export interface PostgresSessionStoreOptions {
  readonly client: PostgresClient;
  /** Prefix of the table names; may include a schema, which must exist. */
  readonly table?: string;
}

interface Row {
  readonly [column: string]: unknown;
}

// Two values per entry; a statement takes at most 65,535.
const MOST_PER_STATEMENT = 5_000;
const MOST_ROUNDS = 200;

export class PostgresSessionStore implements SessionStore {
  readonly #client: PostgresClient;
  readonly #entries: string;
  readonly #sessions: string;
  #ready: Promise<void> | undefined;

  constructor({ client, table = "keelson" }: PostgresSessionStoreOptions) {
    this.#client = client;
    const { entries, sessions } = tableNames(table);
    this.#entries = entries;
    this.#sessions = sessions;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += MOST_PER_STATEMENT) {
      const batch = entries.slice(from, from + MOST_PER_STATEMENT);
      await (key.subpath ? this.#insert(key, batch) : this.#insertAndSummarize(key, batch));
    }
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const rows = await this.#all(
      `SELECT entry::text AS entry FROM ${this.#entries}
       WHERE project_key = $1 AND session_id = $2 AND subpath = $3 ORDER BY seq`,
      placeOf(key),
    );
    return rows.length === 0 ? null : rows.map((row) => JSON.parse(String(row["entry"])) as SessionStoreEntry);
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const rows = await this.#all(
      `SELECT session_id, mtime::text AS mtime FROM ${this.#sessions} WHERE project_key = $1`,
      [projectKey],
    );
    return rows.map((row) => ({ sessionId: String(row["session_id"]), mtime: Number(row["mtime"]) }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const rows = await this.#all(
      `SELECT session_id, mtime::text AS mtime, summary::text AS summary FROM ${this.#sessions} WHERE project_key = $1`,
      [projectKey],
    );
    return rows.map(summaryOf);
  }

  async delete(key: SessionKey): Promise<void> {
    const [project, session, subpath] = placeOf(key);
    const isSession = "project_key = $1 AND session_id = $2";
    if (subpath !== "") {
      await this.#all(`DELETE FROM ${this.#entries} WHERE ${isSession} AND subpath = $3`, [project, session, subpath]);
      return;
    }
    await this.#all(
      `WITH gone AS (DELETE FROM ${this.#entries} WHERE ${isSession})
       DELETE FROM ${this.#sessions} WHERE ${isSession}`,
      [project, session],
    );
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const rows = await this.#all(
      `SELECT DISTINCT subpath FROM ${this.#entries} WHERE project_key = $1 AND session_id = $2 AND subpath <> ''
       ORDER BY subpath`,
      [projectKey, sessionId],
    );
    return rows.map((row) => String(row["subpath"]));
  }

  /** Creates missing tables. Runs automatically before the first use; several processes may run it at once. */
  async migrate(): Promise<void> {
    const { entries, sessions } = { entries: this.#entries, sessions: this.#sessions };
    const index = `${entries.replace(/^.*\./, "")}_uuid`;
    // One statement, with a lock: otherwise two programs starting together would both try to create the table.
    await this.#client.query(
      `DO $migrate$ BEGIN
         PERFORM pg_advisory_xact_lock(hashtext('keelson session store'));
         CREATE TABLE IF NOT EXISTS ${entries} (
           seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
           project_key text NOT NULL, session_id text NOT NULL, subpath text NOT NULL,
           uuid text, entry json NOT NULL);
         CREATE UNIQUE INDEX IF NOT EXISTS ${index} ON ${entries} (project_key, session_id, subpath, uuid);
         CREATE TABLE IF NOT EXISTS ${sessions} (
           project_key text NOT NULL, session_id text NOT NULL, mtime bigint NOT NULL, revision bigint NOT NULL,
           summary json NOT NULL, PRIMARY KEY (project_key, session_id));
       END $migrate$`,
    );
  }

  async #insert(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> {
    await this.#all(
      `INSERT INTO ${this.#entries} (project_key, session_id, subpath, uuid, entry)
       SELECT $1, $2, $3, batch.uuid, batch.entry::json FROM ${batchFrom(4, entries.length)}
       ORDER BY batch.place ON CONFLICT DO NOTHING`,
      [...placeOf(key), ...valuesOf(entries)],
    );
  }

  /**
   * Computes the new summary from the previous one. If someone else appended between our read and our statement, the
   * revision has changed, the statement does nothing, and we read again.
   */
  async #insertAndSummarize(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const [project, session] = placeOf(key);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const [row] = await this.#all(
        `SELECT session_id, mtime::text AS mtime, revision::text AS revision, summary::text AS summary
         FROM ${this.#sessions} WHERE project_key = $1 AND session_id = $2`,
        [project, session],
      );
      const previous = row === undefined ? undefined : summaryOf(row);
      const { mtime, data } = foldSessionSummary(previous, key, entries, { mtime: Date.now() });
      const [answer] = await this.#all(
        `WITH claimed AS (
           INSERT INTO ${this.#sessions} AS known (project_key, session_id, mtime, revision, summary)
           VALUES ($1, $2, $3::text::bigint, 1, $4::text::json)
           ON CONFLICT (project_key, session_id) DO UPDATE
             SET mtime = greatest(known.mtime, excluded.mtime), revision = known.revision + 1, summary = excluded.summary
             WHERE known.revision = $5::text::bigint
           RETURNING 1),
         added AS (
           INSERT INTO ${this.#entries} (project_key, session_id, subpath, uuid, entry)
           SELECT $1, $2, '', batch.uuid, batch.entry::json FROM ${batchFrom(6, entries.length)}
           WHERE EXISTS (SELECT FROM claimed) ORDER BY batch.place ON CONFLICT DO NOTHING)
         SELECT count(*)::text AS claimed FROM claimed`,
        [project, session, String(mtime), JSON.stringify(data), String(row?.["revision"] ?? 0), ...valuesOf(entries)],
      );
      if (answer?.["claimed"] === "1") return;
      await wait(Math.random() * Math.min(50, 2 * round));
    }
    throw new Error(`Too many writers are appending to session "${session}"; try again`);
  }

  async #all(text: string, values: readonly unknown[]): Promise<Row[]> {
    this.#ready ??= this.migrate();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
    return (await this.#client.query(text, [...values])).rows as Row[];
  }
}

const placeOf = ({ projectKey, sessionId, subpath }: SessionKey) => [projectKey, sessionId, subpath ?? ""] as const;

// Rows in batch order. Their positions are our own numbers, so they may be part of the text.
function batchFrom(first: number, count: number): string {
  const rows = Array.from(
    { length: count },
    (_, place) => `(${place}, $${first + 2 * place}::text, $${first + 2 * place + 1}::text)`,
  );
  return `(VALUES ${rows.join(", ")}) AS batch (place, uuid, entry)`;
}

const valuesOf = (entries: readonly SessionStoreEntry[]) =>
  entries.flatMap((entry) => [typeof entry.uuid === "string" ? entry.uuid : null, JSON.stringify(entry)]);

function summaryOf(row: Row): SessionSummaryEntry {
  return {
    sessionId: String(row["session_id"]),
    mtime: Number(row["mtime"]),
    data: JSON.parse(String(row["summary"])) as Record<string, unknown>,
  };
}
