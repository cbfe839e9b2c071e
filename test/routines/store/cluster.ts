// A PostgreSQL server that a test stops, kills, copies and promotes. It runs as an ordinary user in a temporary folder and
// listens on a socket there.

import { SQL } from "bun";
import { execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asUser,
  missing,
  postgresBin,
  says,
  spawned,
  userFor,
} from "../../../packages/store/src/remote/kinds/servers.test-support.ts";

export interface Cluster extends AsyncDisposable {
  /** Stays the same when the server is another: new connections go wherever it is. */
  readonly url: string;
  /** The name of a new, empty database. */
  database(): Promise<string>;
  /** As when the machine fails: nothing is written any more. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** A copy that follows this server. */
  follower(): Promise<Follower>;
}

export interface Follower {
  /** Nothing that is written from now on reaches the copy; what was written before has. */
  cutOff(): Promise<void>;
  /** The copy becomes the server. Call `kill` before. */
  promote(): Promise<void>;
}

/** Undefined if PostgreSQL is not installed; in CI that is an error. */
export async function startCluster(): Promise<Cluster | undefined> {
  const bin = postgresBin();
  if (bin === undefined) return missing("postgresql");
  const folder = mkdtempSync(join(tmpdir(), "keelson-cluster-"));
  const prefix = asUser(userFor(folder));
  const run = (program: string, ...args: string[]) => {
    const [first, ...rest] = [...prefix, join(bin, program), ...args];
    execFileSync(first!, rest, { cwd: folder, stdio: "pipe" });
  };
  const place = (name: string) => ({ data: join(folder, name), socket: join(folder, `${name}.socket`) });
  const primary = place("first");
  run("initdb", "-D", primary.data, "-U", "keelson", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync");
  makeSocketFolder(primary.socket);
  const current = join(folder, "current");
  const servers = new Set<ChildProcess>();

  const lead = (socket: string) => {
    rmSync(`${current}.new`, { force: true });
    symlinkSync(socket, `${current}.new`);
    renameSync(`${current}.new`, current);
  };
  const startAt = async ({ data, socket }: ReturnType<typeof place>, ready: string) => {
    const settings = ["listen_addresses=", "fsync=off", "max_connections=120", "wal_level=replica"];
    const flags = settings.flatMap((setting) => ["-c", setting]);
    const server = spawned([...prefix, join(bin, "postgres"), "-D", data, "-k", socket, ...flags], folder);
    servers.add(server);
    await says(server, ready);
    return server;
  };
  const stop = async (server: ChildProcess, signal: NodeJS.Signals) => {
    servers.delete(server);
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };

  let leader = await startAt(primary, "ready to accept connections");
  lead(primary.socket);
  let databases = 0;
  const psql = (command: string) =>
    run("psql", "-h", current, "-U", "keelson", "-d", "postgres", "-q", "-v", "ON_ERROR_STOP=1", "-c", command);

  return {
    url: `postgres:///postgres?host=${current}&user=keelson`,
    async database() {
      const name = `test_${++databases}`;
      psql(`CREATE DATABASE ${name}`);
      return `postgres:///${name}?host=${current}&user=keelson`;
    },
    kill: () => stop(leader, "SIGQUIT"),
    async start() {
      leader = await startAt(primary, "ready to accept connections");
    },
    async follower() {
      const copy = place("second");
      makeSocketFolder(copy.socket);
      run("pg_basebackup", "-h", current, "-U", "keelson", "-D", copy.data, "-R", "-X", "stream", "--checkpoint=fast");
      let server = await startAt(copy, "started streaming WAL");
      return {
        async cutOff() {
          // What was written before has arrived.
          await using sql = new SQL({ ...socketOf(`postgres:///postgres?host=${current}`), max: 1 });
          const behind = "SELECT 1 FROM pg_stat_replication WHERE replay_lsn >= $1::pg_lsn";
          const [written] = await sql.unsafe("SELECT pg_current_wal_lsn()::text AS lsn");
          while ((await sql.unsafe(behind, [written.lsn])).length === 0) await Bun.sleep(5);
          await stop(server, "SIGINT");
        },
        async promote() {
          server = await startAt(copy, "ready to accept read-only connections");
          run("pg_ctl", "promote", "-w", "-D", copy.data);
          leader = server;
          lead(copy.socket);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await stop(server, "SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where the server, which may be another user, makes its socket. */
function makeSocketFolder(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o777);
}

/** For a connection of the test's own. */
export function socketOf(url: string) {
  const { pathname, searchParams } = new URL(url);
  return {
    adapter: "postgres",
    path: join(searchParams.get("host")!, ".s.PGSQL.5432"),
    username: "keelson",
    database: pathname.slice(1),
  } as const;
}
