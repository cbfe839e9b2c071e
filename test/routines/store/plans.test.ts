// How the databases find the next run among 10,000 that are due: by an index, without sorting.

import { Database as Sqlite } from "bun:sqlite";
import { SQL } from "bun";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { openPostgresStore, openSqliteStore } from "@keelson/routines";
import { postgresText } from "../../../packages/routines/src/store/postgres.ts";
import { sqliteText } from "../../../packages/routines/src/store/sqlite.ts";
import { CLAIM } from "../../../packages/routines/src/store/sql/claims.ts";
import { socketOf, startCluster } from "./cluster.ts";
import { manyInPostgres, manyInSqlite } from "./many-runs.ts";

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "keelson-plans-"));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const onPostgres = testUnless(cluster ? null : "PostgreSQL is not installed", test);

test("SQLite claims by two indexes and sorts nothing", async () => {
  const file = join(folder, "plans.db");
  await manyInSqlite(await openSqliteStore({ file }), file);
  using sqlite = new Sqlite(file);
  const planOf = (text: string, values: readonly (string | number)[]) =>
    sqlite
      .query<{ detail: string }, (string | number)[]>(`EXPLAIN QUERY PLAN ${sqliteText(text, values.length)}`)
      .all(...values, Date.now())
      .map(({ detail }) => detail);
  const claim = planOf(`${CLAIM} id`, ["claim", "worker", 1]);
  expect(claim.filter((line) => /\bSCAN\b|TEMP B-TREE/.test(line))).toEqual([]);
  expect(claim.filter((line) => /runs_lease|runs_due/.test(line))).toHaveLength(2);
  // What this test would find: one select for both.
  const draft = planOf(
    `SELECT id FROM runs WHERE (state = 'running' AND lease_until < {now}) OR (state = 'queued' AND due <= {now}) ORDER BY due LIMIT 1`,
    [],
  );
  expect(draft.join()).toContain("TEMP B-TREE");
});

onPostgres.each(["with statistics", "before any"])(
  "PostgreSQL claims by two indexes and sorts nothing, %s",
  async (when) => {
    const url = await cluster!.database();
    await manyInPostgres(await openPostgresStore({ url }), url, when === "with statistics");
    await using sql = new SQL({ ...socketOf(url), max: 1 });
    const planOf = async (text: string, values: readonly (string | number)[]) => {
      const rows = await sql.unsafe(`EXPLAIN ${postgresText(text)}`, [...values]);
      return rows.map((row: Readonly<Record<string, string>>) => row["QUERY PLAN"]!) as string[];
    };
    const claim = await planOf(`${CLAIM} id`, ["claim", "worker", 1]);
    expect(claim.filter((line) => /\b(?:Sort|Seq Scan|Bitmap)\b/.test(line))).toEqual([]);
    expect(claim.filter((line) => /Index.*Scan.*(?:runs_lease|runs_due)/.test(line))).toHaveLength(2);
    const draft = await planOf(
      `SELECT id FROM runs WHERE (state = 'running' AND lease_until < {now}) OR (state = 'queued' AND due <= {now}) ORDER BY due LIMIT 1`,
      [],
    );
    expect(draft.join()).toContain("Sort");
  },
);
