// Claiming the next of 10,000 due runs, and ending it: one process with eight workers on SQLite, eight processes on PostgreSQL.

import { join } from "node:path";
import { openPostgresStore, openSqliteStore } from "@keelson/routines";
import { startCluster } from "../../../test/routines/store/cluster.ts";
import { manyInPostgres, manyInSqlite } from "../../../test/routines/store/many-runs.ts";
import type { Stage } from "../../stage.ts";
import type { Row } from "../../table.ts";
import type { Timings } from "./worker-main.ts";

const WORKERS = 8;

export async function claims(stage: Stage): Promise<Row[]> {
  const runs = stage.quick ? 20 : 100;
  const file = join(stage.folder, "claims.db");
  await manyInSqlite(await openSqliteStore({ file }), file);
  const rows = rowsOf("SQLite", await work(file, WORKERS, runs));
  await using cluster = await startCluster();
  if (cluster === undefined) return rows;
  const url = await cluster.database();
  await manyInPostgres(await openPostgresStore({ url }), url, true);
  const each = await Promise.all(Array.from({ length: WORKERS }, () => work(url, 1, runs)));
  const all = { claims: each.flatMap(({ claims }) => claims), ends: each.flatMap(({ ends }) => ends) };
  return [...rows, ...rowsOf("PostgreSQL", all)];
}

const rowsOf = (name: string, { claims, ends }: Timings): Row[] => [
  { what: `claim a run, ${WORKERS} workers on ${name}`, unit: "ms", samples: claims },
  { what: `finish a run, ${WORKERS} workers on ${name}`, unit: "ms", samples: ends },
];

async function work(address: string, workers: number, runs: number): Promise<Timings> {
  const main = join(import.meta.dir, "worker-main.ts");
  const child = Bun.spawn([process.execPath, main, address, String(workers), String(runs)], { stdout: "pipe" });
  const timings = JSON.parse(await child.stdout.text()) as Timings;
  await child.exited;
  return timings;
}
