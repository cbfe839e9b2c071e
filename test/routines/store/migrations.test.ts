// The schema: made once by any number of programs, never by an older one, and used by two versions at the same time.

import { Database as Sqlite } from "bun:sqlite";
import { SQL } from "bun";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { openPostgresStore, openSqliteStore, type RunStore } from "@keelson/routines";
import { MIGRATIONS, type Migration } from "../../../packages/routines/src/store/migrations/migrate.ts";
import { socketOf, startCluster } from "./cluster.ts";
import { claimOne } from "./conformance.ts";
import { newRoutine, newRun } from "./rows.ts";

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "keelson-migrations-"));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Kind {
  readonly name: string;
  /** Where a new database is. */
  place(): Promise<string>;
  open(place: string, migrations?: readonly Migration[]): Promise<RunStore>;
  ask(place: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

let files = 0;
const KINDS: readonly Kind[] = [
  {
    name: "SQLite",
    place: async () => join(folder, `${++files}.db`),
    open: (file, migrations) => openSqliteStore({ file, ...(migrations ? { migrations } : {}) }),
    async ask(file, text) {
      using sqlite = new Sqlite(file);
      return sqlite.query<Record<string, unknown>, []>(text).all();
    },
  },
  {
    name: "PostgreSQL",
    place: () => cluster!.database(),
    open: (url, migrations) => openPostgresStore({ url, ...(migrations ? { migrations } : {}) }),
    async ask(url, text) {
      await using sql = new SQL({ ...socketOf(url), max: 1 });
      return await sql.unsafe(text);
    },
  },
];

/** What a later version might bring. */
const NEXT: readonly Migration[] = [
  ...MIGRATIONS,
  [
    `ALTER TABLE runs ADD COLUMN flavor TEXT`,
    `ALTER TABLE routines ADD COLUMN color TEXT NOT NULL DEFAULT 'blue'`,
    `CREATE TABLE flavors (id TEXT PRIMARY KEY)`,
    `UPDATE runs SET flavor = 'old'`,
  ],
];

for (const { name, place, open, ask } of KINDS)
  describe(name, () => {
    const when = testUnless(
      name === "PostgreSQL" && cluster === undefined ? "PostgreSQL is not installed" : null,
      test,
    );

    when("any number of programs may start on an empty database at once", async () => {
      const at = await place();
      const stores = await Promise.all(Array.from({ length: 8 }, () => open(at)));
      await Promise.all(stores.map((store) => store.createRoutine(newRoutine())));
      expect((await stores[0]!.routines({})).rows).toHaveLength(8);
      const versions = await ask(at, "SELECT version FROM keelson_schema ORDER BY version");
      expect(versions.map(({ version }) => Number(version))).toEqual(MIGRATIONS.map((_, at) => at + 1));
      await Promise.all(stores.map((store) => store.close()));
    });

    when("a database of a newer version is refused, and left as it is", async () => {
      const at = await place();
      await (await open(at, NEXT)).close();
      await expect(open(at)).rejects.toThrow(
        `The database has schema ${NEXT.length}, and this version of Keelson knows ${MIGRATIONS.length} at most; update Keelson`,
      );
      await (await open(at, NEXT)).close();
    });

    when("a migration that fails leaves nothing behind, and is tried again", async () => {
      const at = await place();
      await (await open(at)).close();
      const broken = [
        ...MIGRATIONS,
        ["CREATE TABLE flavors (id TEXT PRIMARY KEY)", "ALTER TABLE none ADD COLUMN x TEXT"],
      ];
      await expect(open(at, broken)).rejects.toThrow();
      await (await open(at, NEXT)).close();
      expect(await ask(at, "SELECT count(*) AS n FROM flavors")).toHaveLength(1);
    });

    when("runs in flight in a database of the first schema go on with this version", async () => {
      const at = await place();
      const first = await open(at, MIGRATIONS.slice(0, 1));
      const { id } = await first.createRoutine(newRoutine({ overlap: "queue" }));
      const { run } = await first.enqueue({ run: newRun(id, "in flight") });
      await first.enqueue({ run: newRun(id, "behind it") });
      const claim = crypto.randomUUID();
      const until = (await first.now()) + 60_000;
      await ask(
        at,
        `UPDATE runs SET state = 'running', attempt = 1, fence = 1, claim = '${claim}', worker = 'w', lease_until = ${until}
         WHERE id = '${run!.id}'`,
      );
      await first.seen({ id: "w", version: "0", slots: 1, draining: false });

      const upgraded = await open(at);
      await first.seen({ id: "w", version: "0", slots: 2, draining: false });
      expect(await upgraded.workers.get("w")).toMatchObject({ slots: 2, drainBy: null });
      // The worker of the older version ends what it has.
      expect(await first.finish({ runId: run!.id, claim }, { state: "succeeded" })).toEqual({ held: true });
      const next = await claimOne({ worker: upgraded });
      expect(await upgraded.finish({ runId: next.run.id, claim: next.claim }, { state: "succeeded" })).toEqual({
        held: true,
      });
      const { rows } = await upgraded.runs({ routineId: id }, {});
      expect(rows.map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
      await first.close();
      await upgraded.close();
    });

    when("runs in flight survive an upgrade, and both versions go on working on them", async () => {
      const at = await place();
      const old = await open(at);
      const { id } = await old.createRoutine(newRoutine({ overlap: "queue" }));
      await Promise.all(Array.from({ length: 10 }, (_, n) => old.enqueue({ run: newRun(id, `old ${n}`) })));
      const { run, claim } = await claimOne({ worker: old });
      const held = { runId: run.id, claim };
      await old.append(held, [{ seq: 1, kind: "message", line: "{}" }]);

      const upgraded = await open(at, NEXT);
      expect(await old.beat(held, { leaseMs: 30_000 })).toMatchObject({ held: true });
      expect(await old.finish(held, { state: "succeeded" })).toEqual({ held: true });
      const done: string[] = [];
      const work = async (store: RunStore) => {
        for (;;) {
          const next = await store.claim({ worker: "w", leaseMs: 30_000 });
          if (next.run === undefined) return;
          expect(await store.finish({ runId: next.run.id, claim: next.claim }, { state: "succeeded" })).toEqual({
            held: true,
          });
          done.push(next.run.id);
        }
      };
      await upgraded.enqueue({ run: newRun(id, "new") });
      await old.enqueue({ run: newRun(id, "old, after it") });
      // Each ends when it finds nothing, which happens while the other has the only run that is not held back.
      while (done.length < 11) await Promise.all([work(old), work(upgraded)]);
      const { rows } = await old.runs({ routineId: id }, {});
      expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => "succeeded"));
      expect(new Set(done).size).toBe(11);
      await old.close();
      await upgraded.close();
    });
  });

test("the file of SQLite and those beside it are for their owner alone", async () => {
  const file = join(folder, "private.db");
  const store = await openSqliteStore({ file });
  await store.createRoutine(newRoutine());
  for (const each of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(each).mode & 0o777).toBe(0o600);
  await store.close();
});
