// A table that people and servers write: each operation is one statement.

import { InvalidCursor, type PageWanted, type RowPage, type RowTable } from "../run-store.ts";
import { one, type Database, type SqlRow, type SqlValue } from "./database.ts";
import { columnOf, columnsOf, insertInto, fromRow, valuesOf, type TableShape } from "./rows.ts";

export class SqlTable<Row extends { readonly id: string }> implements RowTable<Row> {
  readonly #database: Database;
  readonly #shape: TableShape<Row>;

  constructor(database: Database, shape: TableShape<Row>) {
    this.#database = database;
    this.#shape = shape;
  }

  async get(id: string): Promise<Row | undefined> {
    const { rows } = await this.list({ id } as Partial<Row>, { limit: 1 });
    return rows[0];
  }

  list(where: Partial<Row> = {}, page: PageWanted = {}): Promise<RowPage<Row>> {
    return this.#database.single((queries) => {
      const conditions = conditionsOf(this.#shape, where, 0);
      return readRows(queries, this.#shape, conditions, page);
    });
  }

  insert(row: Row): Promise<boolean> {
    const shape = this.#shape;
    return this.#database.single(async (queries, isRepeat) => {
      const values = valuesOf(shape, row);
      const text = `${insertInto(shape, row)} RETURNING id`;
      if ((await one(queries, text, values)) !== undefined) return true;
      if (!isRepeat) return false;
      const there = await one(queries, `SELECT ${columnsOf(shape)} FROM ${shape.table} WHERE id = $1`, [row.id]);
      return there !== undefined && JSON.stringify(valuesOf(shape, ordered(shape, row))) === asText(shape, there);
    });
  }

  update(id: string, change: Partial<Row>, where: Partial<Row> = {}): Promise<boolean> {
    const shape = this.#shape;
    const sets = Object.keys(change).map((field, at) => `${columnOf(field)} = $${at + 1}`);
    const values = valuesOf(shape, change);
    const conditions = conditionsOf(shape, { ...where, id }, values.length);
    const text = `UPDATE ${shape.table} SET ${sets.join(", ")} WHERE ${conditions.text} RETURNING id`;
    return this.#database.single(async (queries) => {
      try {
        return (await one(queries, text, [...values, ...conditions.values])) !== undefined;
      } catch (error) {
        if (isTaken(error)) return false;
        throw error;
      }
    });
  }

  remove(id: string, where: Partial<Row> = {}): Promise<Row | undefined> {
    const shape = this.#shape;
    const { text, values } = conditionsOf(shape, { ...where, id }, 0);
    return this.#database.single(async (queries) => {
      const row = await one(queries, `DELETE FROM ${shape.table} WHERE ${text} RETURNING ${columnsOf(shape)}`, values);
      return row && fromRow(shape, row);
    });
  }
}

/** Another row has a value that is unique. */
function isTaken(error: unknown): boolean {
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown };
  return code === "SQLITE_CONSTRAINT_UNIQUE" || errno === "23505";
}

export interface Conditions {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const MOST_ROWS = 1_000;
const USUAL_ROWS = 100;

/** The newest first, or by id. */
export async function readRows<Row extends { readonly id: string }>(
  queries: { all(text: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> },
  shape: TableShape<Row>,
  { text, values }: Conditions,
  { cursor, limit = USUAL_ROWS }: PageWanted,
): Promise<RowPage<Row>> {
  const { newest } = shape;
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(limit)));
  const after: SqlValue[] = [];
  let start = "";
  if (cursor !== undefined) {
    const timed = /^(\d{1,16})\.(\S{1,1400})$/.exec(cursor);
    if (newest !== undefined && timed === null)
      throw new InvalidCursor(
        `"${cursor.slice(0, 100)}" is not a cursor of this list; use the one that came with the page before`,
      );
    const [time, id] = [`$${values.length + 1}`, `$${values.length + 2}`];
    after.push(...(timed !== null && newest !== undefined ? [Number(timed[1]), timed[2]!] : [cursor]));
    start = newest === undefined ? ` AND id > ${time}` : ` AND (${columnOf(newest)}, id) < (${time}, ${id})`;
  }
  const order = newest === undefined ? "id" : `${columnOf(newest)} DESC, id DESC`;
  const found = await queries.all(
    `SELECT ${columnsOf(shape)} FROM ${shape.table} WHERE ${text}${start} ORDER BY ${order} LIMIT ${most + 1}`,
    [...values, ...after],
  );
  const rows = found.slice(0, most).map((row) => fromRow(shape, row));
  const last = rows.at(-1);
  if (found.length <= most || last === undefined) return { rows, next: null };
  return { rows, next: newest === undefined ? last.id : `${Number(last[newest])}.${last.id}` };
}

/** All of these values; `taken` placeholders come before. */
export function conditionsOf<Row>(shape: TableShape<Row>, where: Partial<Row>, taken: number): Conditions {
  const values: SqlValue[] = [];
  const parts = ["1 = 1"];
  const given = valuesOf(shape, where);
  for (const [at, field] of Object.keys(where).entries()) {
    const value = given[at]!;
    if (value === null) {
      parts.push(`${columnOf(field)} IS NULL`);
      continue;
    }
    values.push(value);
    parts.push(`${columnOf(field)} = $${taken + values.length}`);
  }
  return { text: parts.join(" AND "), values };
}

function ordered<Row extends object>({ columns }: TableShape<Row>, row: Row): Partial<Row> {
  const fields = Object.keys(columns).map((field) => [field, row[field as keyof Row] ?? null]);
  return Object.fromEntries(fields) as Partial<Row>;
}

const asText = <Row extends object>(shape: TableShape<Row>, row: SqlRow) =>
  JSON.stringify(valuesOf(shape, ordered(shape, fromRow(shape, row))));
