// A fleet: PostgreSQL, by its own clock. A connection that breaks is made again, and what was asked is asked again.

import { SQL } from "bun";
import { MIGRATIONS, migrate, type Migration } from "./migrations/migrate.ts";
import { StoreUnavailable, type RunStore } from "./run-store.ts";
import { storable, type Database, type Queries, type SqlRow } from "./sql/database.ts";
import { Listeners } from "./sql/listeners.ts";
import { SqlRunStore, type Unseal } from "./sql/sql-store.ts";

export interface PostgresStoreOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; `?host=/FOLDER` for a socket. */
  readonly url: string;
  readonly connections?: number;
  readonly unseal?: Unseal;
  /** For how long a broken connection is made again. */
  readonly giveUpMs?: number;
  /** A server that says nothing for so long is treated as lost, and connected to anew. */
  readonly silenceMs?: number;
  /** For tests of schedules, instead of the clock of the database. */
  readonly now?: () => number;
  /** For tests of other versions. */
  readonly migrations?: readonly Migration[];
}

export async function openPostgresStore({ unseal, migrations, ...options }: PostgresStoreOptions): Promise<RunStore> {
  const database = new PostgresDatabase(options);
  try {
    await database.transaction(async (queries) => {
      await queries.all(`SELECT pg_advisory_xact_lock(hashtext('keelson routines'))`);
      await migrate(queries, migrations ?? MIGRATIONS);
    });
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlRunStore(database, unseal);
}

const CONNECTIONS = 10;
const GIVE_UP_MS = 60_000;
const SILENCE_MS = 15_000;
const CHANNEL = "keelson_routines";
const LISTEN_AGAIN_MS = 5_000;
/** Changes of runs are told together. */
const TELL_AFTER_MS = 100;
const CLOCK = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

class PostgresDatabase implements Database {
  readonly #options: Omit<PostgresStoreOptions, "unseal" | "migrations">;
  readonly #listeners = new Listeners();
  /** Tells our own notifications from those of others. */
  readonly #name = crypto.randomUUID();
  readonly #untold = new Set<string>();
  #sql: SQL;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #isListening = false;
  #isClosed = false;

  constructor(options: Omit<PostgresStoreOptions, "unseal" | "migrations">) {
    this.#options = options;
    this.#sql = this.#connect();
  }

  transaction<Result>(work: (queries: Queries, isRepeat: boolean) => Promise<Result>): Promise<Result> {
    return this.#repeated(
      (sql, isRepeat) =>
        sql.begin("isolation level read committed", (transaction) =>
          work(this.#queriesOf(transaction), isRepeat),
        ) as Promise<Result>,
    );
  }

  single<Result>(work: (queries: Queries, isRepeat: boolean) => Promise<Result>): Promise<Result> {
    return this.#repeated((sql, isRepeat) => work(this.#queriesOf(sql), isRepeat));
  }

  changed(change: string): void {
    this.#listeners.tell(change);
    this.#untold.add(change);
    if (change === "work") clearTimeout(this.#telling);
    else if (this.#telling !== undefined) return;
    this.#telling = setTimeout(() => void this.#tell(), change === "work" ? 0 : TELL_AFTER_MS);
    this.#telling.unref();
  }

  signal(text: string): void {
    this.#listeners.tell(text);
    if (!this.#isClosed)
      this.#sql.unsafe("SELECT pg_notify($1, $2)", [CHANNEL, `${this.#name} ${text}`]).catch(() => undefined);
  }

  onChange(listener: (change: string) => void): () => void {
    if (!this.#isListening) void this.#listen();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#telling);
    await this.#sql.close({ timeout: 1 });
  }

  #connect(): SQL {
    const { url, connections = CONNECTIONS } = this.#options;
    return new SQL({
      ...addressOf(url),
      adapter: "postgres",
      max: connections,
      connectionTimeout: 5,
      // A process that is stopped in the middle of a transaction must not keep its locks.
      connection: {
        application_name: "keelson",
        idle_in_transaction_session_timeout: "5000",
        statement_timeout: "10000",
      },
    });
  }

  #queriesOf(sql: Pick<SQL, "unsafe">): Queries {
    return {
      all: async (text, values = []) => {
        const { now } = this.#options;
        const own = postgresText(text, now && `$${values.length + 1}::bigint`);
        const clock = now && text.includes("{now}") ? [Math.floor(now())] : [];
        return (await sql.unsafe(own, [...values.map(storable), ...clock])) as readonly SqlRow[];
      },
    };
  }

  async #repeated<Result>(work: (sql: SQL, isRepeat: boolean) => Promise<Result>): Promise<Result> {
    const since = performance.now();
    for (let round = 0; ; round++) {
      const sql = this.#sql;
      try {
        return await withinSilence(work(sql, round > 0), this.#options.silenceMs ?? SILENCE_MS);
      } catch (error) {
        if (error instanceof Silence) this.#replace(sql);
        else if (!isPassing(error)) throw error;
        if (this.#isClosed || performance.now() - since > (this.#options.giveUpMs ?? GIVE_UP_MS))
          throw new StoreUnavailable(`The database cannot be reached: ${messageOf(error)}`, { cause: error });
        await Bun.sleep(Math.min(500, 10 * 2 ** Math.min(round, 6)) * (0.5 + Math.random()));
      }
    }
  }

  /** Its connections may wait for a server that is gone for good. */
  #replace(sql: SQL): void {
    if (this.#sql !== sql) return;
    this.#sql = this.#connect();
    this.#isListening = false;
    if (this.#listeners.size > 0) void this.#listen();
    sql.close({ timeout: 0 }).catch(() => undefined);
  }

  async #tell(): Promise<void> {
    this.#telling = undefined;
    const changes = [...this.#untold].slice(0, 100);
    for (const change of changes) this.#untold.delete(change);
    if (this.#isClosed || changes.length === 0) return;
    const payload = [this.#name, ...changes].join(" ");
    // Whoever does not hear of it looks from time to time.
    await this.#sql.unsafe("SELECT pg_notify($1, $2)", [CHANNEL, payload]).catch(() => undefined);
    if (this.#untold.size > 0) this.#telling ??= setTimeout(() => void this.#tell(), 0);
  }

  async #listen(): Promise<void> {
    this.#isListening = true;
    try {
      await this.#sql.listen(
        CHANNEL,
        (payload) => {
          const [name, ...changes] = payload.split(" ");
          if (name !== this.#name) for (const change of changes) this.#listeners.tell(change);
        },
        // Also after a connection was lost, with what was said meanwhile.
        () => this.#listeners.tell("work"),
      );
    } catch {
      this.#isListening = false;
      const again = setTimeout(() => {
        if (!this.#isClosed && !this.#isListening && this.#listeners.size > 0) void this.#listen();
      }, LISTEN_AGAIN_MS);
      again.unref();
    }
  }
}

/** A statement in the words of this database. */
export function postgresText(text: string, now: string = CLOCK): string {
  return text.replaceAll("{now}", now).replaceAll("{lock}", "FOR UPDATE").replaceAll("{skip}", "SKIP LOCKED");
}

class Silence extends Error {}

async function withinSilence<Result>(work: Promise<Result>, silenceMs: number): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Silence("it does not answer")), silenceMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    // What comes of it later is of no interest.
    work.catch(() => undefined);
  }
}

/** Whether the same may succeed soon: a lost connection, a server that starts or is promoted, a deadlock. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  const state = typeof error.errno === "string" ? error.errno : "";
  return (
    /^ERR_POSTGRES_(?:CONNECTION|IDLE_TIMEOUT|LIFETIME)/.test(error.code) ||
    /^(?:08...|57P0[1-5]|57014|53300|40001|40P01|25006|25P0[34])$/.test(state) ||
    // Two requests under one claim token at the same moment: then the second finds the run of the first.
    (state === "23505" && error.constraint === "runs_claim")
  );
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A socket is named as programs of PostgreSQL name it: `postgres:///DATABASE?host=/FOLDER&user=NAME`. */
function addressOf(url: string): SQL.PostgresOrMySQLOptions {
  // The address has a password: it is not part of what is said.
  if (!URL.canParse(url))
    throw new Error("The address of the database is not a URL: postgres://USER:PASSWORD@HOST/DATABASE");
  const { searchParams, pathname, username, port } = new URL(url);
  const folder = searchParams.get("host");
  if (!folder?.startsWith("/")) return { url };
  return {
    path: `${folder}/.s.PGSQL.${port || searchParams.get("port") || "5432"}`,
    username: decodeURIComponent(username) || (searchParams.get("user") ?? "keelson"),
    database: decodeURIComponent(pathname.slice(1)) || "keelson",
  };
}
