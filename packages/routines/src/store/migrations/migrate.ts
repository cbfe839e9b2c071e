// The schema, one number after another, and never back. A migration only adds: programs of the version before it go on working on
// the same database until they are replaced, but do not start on it any more.

import { one, type Queries } from "../sql/database.ts";
import { FIRST } from "./0001-first.ts";

export type Migration = readonly string[];

/** The first is version 1. What was released is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  FIRST,
  [`ALTER TABLE workers ADD COLUMN drain_by TEXT`, `CREATE INDEX codes_oldest ON codes (expires_at)`],
];

/** In one transaction, with nobody else doing the same. */
export async function migrate(queries: Queries, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await queries.all(`CREATE TABLE IF NOT EXISTS keelson_schema (version BIGINT PRIMARY KEY, at BIGINT NOT NULL)`);
  const row = await one(queries, `SELECT coalesce(max(version), 0) AS version FROM keelson_schema`);
  const version = Number(row?.["version"]);
  if (version > migrations.length)
    throw new NewerDatabase(
      `The database has schema ${version}, and this version of Keelson knows ${migrations.length} at most; update Keelson`,
    );
  for (const [at, statements] of migrations.entries()) {
    if (at < version) continue;
    for (const statement of statements) await queries.all(statement);
    await queries.all(`INSERT INTO keelson_schema (version, at) VALUES ($1, {now})`, [at + 1]);
  }
}

export class NewerDatabase extends Error {
  override readonly name = "NewerDatabase";
}
