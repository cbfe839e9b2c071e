// One machine: a file, in WAL mode. Several processes may use it.

import { constants, Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { MIGRATIONS, migrate, type Migration } from "./migrations/migrate.ts";
import { StoreUnavailable, type RunStore } from "./run-store.ts";
import { storable, type Database, type Queries, type SqlRow, type SqlValue } from "./sql/database.ts";
import { Listeners } from "./sql/listeners.ts";
import { SqlRunStore, type Unseal } from "./sql/sql-store.ts";

export interface SqliteStoreOptions {
  readonly file: string;
  /** Default: the clock of this machine. */
  readonly now?: () => number;
  readonly unseal?: Unseal;
  /** For tests of other versions. */
  readonly migrations?: readonly Migration[];
}

export async function openSqliteStore({ file, now, unseal, migrations }: SqliteStoreOptions): Promise<RunStore> {
  const database = new SqliteDatabase(file, now ?? Date.now);
  try {
    await database.prepare(migrations ?? MIGRATIONS);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlRunStore(database, unseal);
}

/** Copies the database of a store, also while it is used, to a new file for its owner alone. */
export function backUpSqlite(file: string, copy: string): void {
  if (existsSync(copy)) throw new Error(`"${copy}" exists already; choose another file for the copy`);
  const folder = dirname(copy);
  if (!existsSync(folder)) throw new Error(`There is no folder "${folder}"; make it first`);
  if (!existsSync(file)) throw new Error(`There is no database "${file}"`);
  asOwner(() => {
    const sqlite = new Sqlite(file, { readwrite: true });
    try {
      keepLog(sqlite);
      sqlite.run(`PRAGMA busy_timeout = ${GIVE_UP_MS}`);
      sqlite.run("VACUUM INTO ?", [copy]);
    } finally {
      sqlite.close();
    }
  });
}

const LARGEST_LOG = 64 * 1024 * 1024;

/** What is beside the database stays there when it is closed: in the place of a missing file, anybody could put one that SQLite believes. */
function keepLog(sqlite: Sqlite): void {
  sqlite.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  // It stays empty, so that it says nothing of another database that is put in the place of this one.
  sqlite.run(`PRAGMA journal_size_limit = ${LARGEST_LOG}`);
}

/** Files that are made meanwhile, by SQLite too, are for their owner alone. */
function asOwner<Result>(work: () => Result): Result {
  const before = process.umask(0o077);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}

const BUSY_MS = 5;
const GIVE_UP_MS = 30_000;
const LOOK_MS = 200;

interface WaitingTransaction {
  /** Runs its statements. What it returns tells the caller, and is called once they are on the disk. */
  perform(): Promise<() => void>;
  reject(error: unknown): void;
}

const MOST_TOGETHER = 50;

class SqliteDatabase implements Database {
  readonly #sqlite: Sqlite;
  readonly #now: () => number;
  readonly #listeners = new Listeners();
  /** One connection: what is in a transaction must not be mixed with anything else. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting: WaitingTransaction[] = [];
  #looking: ReturnType<typeof setInterval> | undefined;
  #version = 0;

  constructor(file: string, now: () => number) {
    this.#now = now;
    this.#sqlite = asOwner(() => new Sqlite(file, { create: true, readwrite: true }));
    keepLog(this.#sqlite);
    // This thread does nothing else while it waits for another process in here; the rest of the wait is ours.
    this.#sqlite.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    this.#sqlite.run("PRAGMA synchronous = FULL");
  }

  async prepare(migrations: readonly Migration[]): Promise<void> {
    await this.#whenFree(() => this.#sqlite.run("PRAGMA journal_mode = WAL"));
    await this.transaction((queries) => migrate(queries, migrations));
  }

  transaction<Result>(work: (queries: Queries, isRepeat: boolean) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const perform = async () => {
      const result = await work(this.#queries, false);
      return () => resolve(result);
    };
    this.#waiting.push({ perform, reject });
    if (this.#waiting.length === 1) this.#round();
    return promise;
  }

  #round(): void {
    void this.#inTurn(() => {
      const transactions = this.#waiting.splice(0, MOST_TOGETHER);
      if (this.#waiting.length > 0) this.#round();
      return this.#together(transactions);
    });
  }

  single<Result>(work: (queries: Queries, isRepeat: boolean) => Promise<Result>): Promise<Result> {
    return this.#inTurn(() => this.#whenFree(() => work(this.#queries, false)));
  }

  changed(change: string): void {
    this.#listeners.tell(change);
  }

  signal(text: string): void {
    this.#listeners.tell(text);
  }

  onChange(listener: (change: string) => void): () => void {
    const stop = this.#listeners.add(listener);
    if (this.#looking === undefined) {
      this.#version = this.#dataVersion();
      this.#looking = setInterval(() => this.#look(), LOOK_MS);
      this.#looking.unref();
    }
    return () => {
      stop();
      if (this.#listeners.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#inTurn(async () => this.#sqlite.close(false));
  }

  readonly #queries: Queries = {
    all: async (text, values = []) => this.#all(text, values),
  };

  #all(text: string, values: readonly SqlValue[]): readonly SqlRow[] {
    const own = sqliteText(text, values.length);
    const now = text.includes("{now}") ? [Math.floor(this.#now())] : [];
    return this.#sqlite.query<SqlRow, SqlValue[]>(own).all(...values.map(storable), ...now);
  }

  /** Other processes cannot call us: a counter of the file says that one of them wrote. */
  #look(): void {
    const version = this.#dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#listeners.tell("work");
  }

  #dataVersion(): number {
    const row = this.#sqlite.query<{ data_version: number }, []>("PRAGMA data_version").get();
    return row?.data_version ?? 0;
  }

  /** What waits is written to the disk together, which takes as long as one. Each succeeds or fails alone, and knows it after that. */
  async #together(transactions: readonly WaitingTransaction[]): Promise<void> {
    const told: (() => void)[] = [];
    try {
      await this.#whenFree(() => this.#sqlite.run("BEGIN IMMEDIATE"));
      for (const { perform, reject } of transactions) {
        this.#sqlite.run("SAVEPOINT one");
        try {
          told.push(await perform());
        } catch (error) {
          // A full disk ends the transaction of all.
          if (!this.#sqlite.inTransaction) throw error;
          this.#sqlite.run("ROLLBACK TO one");
          told.push(() => reject(error));
        }
        this.#sqlite.run("RELEASE one");
      }
      await this.#whenFree(() => this.#sqlite.run("COMMIT"));
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.run("ROLLBACK");
      for (const { reject } of transactions) reject(error);
      return;
    }
    for (const tell of told) tell();
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      return await work();
    } finally {
      resolve();
    }
  }

  async #whenFree<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const since = performance.now();
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() - since > GIVE_UP_MS)
          throw new StoreUnavailable("Another process keeps the database file locked; end it if it is stopped", {
            cause: error,
          });
        await Bun.sleep(Math.random() * 10);
      }
    }
  }
}

/** A statement in the words of this database. The clock is one more value: as text, each millisecond would be a new statement. */
export function sqliteText(text: string, values: number): string {
  return text
    .replace(/\{lock\}|\{skip\}/g, "")
    .replaceAll("{now}", `$${values + 1}`)
    .replace(/\$(\d+)/g, "?$1");
}

const isBusy = (error: unknown) => error instanceof Error && /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));
const codeOf = (error: Error) => ("code" in error && typeof error.code === "string" ? error.code : "");
