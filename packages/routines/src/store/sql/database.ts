// What the statements need of a database. They are the same for SQLite and PostgreSQL, with three differences, written as
// `{now}` (the clock, in milliseconds), `{lock}` (rows are locked) and `{skip}` (and those that others have locked are left out).

export type SqlValue = string | number | null;

export interface SqlRow {
  readonly [column: string]: unknown;
}

export interface Queries {
  /** `$1` to `$n` are the values. */
  all(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

export interface Database {
  /**
   * Does `work` as a whole or not at all, and again after a failure that passes: a broken connection, a deadlock. `isRepeat` says
   * that an earlier try may have been committed although its answer was lost.
   */
  transaction<Result>(work: (queries: Queries, isRepeat: boolean) => Promise<Result>): Promise<Result>;
  /** The same for one statement, or several of which none changes anything. */
  single<Result>(work: (queries: Queries, isRepeat: boolean) => Promise<Result>): Promise<Result>;
  /** Tells listeners here and in other processes. It may be late, and is never waited for. */
  changed(change: string): void;
  /** The same for what has no effect if it is lost, at once. At most some thousand bytes. */
  signal(text: string): void;
  onChange(listener: (change: string) => void): () => void;
  close(): Promise<void>;
}

export async function one(
  queries: Queries,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<SqlRow | undefined> {
  return (await queries.all(text, values))[0];
}

/** Neither database keeps the character zero in a text. */
export const storable = (value: SqlValue): SqlValue =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\u{fffd}") : value;
