// Database servers for this folder's tests. Each runs from the system's own binaries in a temporary folder, listens
// only on a socket in it, and is removed after the test.

import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Server {
  readonly socket: string;
  stop(): Promise<void>;
}

/** Undefined if the binaries are not installed; the tests then report that they were skipped, or fail if CI is set. */
export async function startPostgres(): Promise<Server | undefined> {
  const bin = postgresBin();
  if (bin === undefined) return missing("postgresql");
  const dir = mkdtempSync(join(tmpdir(), "keelson-pg-"));
  const user = userFor(dir);
  const data = join(dir, "data");
  const [program, ...args] = [...asUser(user), join(bin, "initdb")];
  execFileSync(
    program!,
    [...args, "-D", data, "-U", "keelson", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    {
      cwd: dir,
      stdio: "pipe",
    },
  );
  const settings = ["listen_addresses=", "fsync=off", "max_connections=30"].flatMap((setting) => ["-c", setting]);
  const server = spawned([...asUser(user), join(bin, "postgres"), "-D", data, "-k", dir, ...settings], dir);
  await says(server, "ready to accept connections");
  return { socket: join(dir, ".s.PGSQL.5432"), stop: () => stop(server, "SIGINT", dir) };
}

/** @param kept a folder of the caller's, where the data outlives the server. */
export async function startRedis(kept?: string): Promise<Server | undefined> {
  const program = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .map((dir) => join(dir, "redis-server"))
    .find((path) => existsSync(path));
  if (program === undefined) return missing("redis-server");
  const dir = kept ?? mkdtempSync(join(tmpdir(), "keelson-redis-"));
  const socket = join(dir, "redis.sock");
  const settings = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--unixsocketperm",
    "700",
    "--save",
    "",
    "--dir",
    dir,
    "--appendonly",
    kept === undefined ? "no" : "yes",
  ];
  const server = spawned([...asUser(undefined), program, ...settings], dir);
  await says(server, "[Rr]eady to accept connections");
  return { socket, stop: () => stop(server, "SIGTERM", kept === undefined ? dir : undefined) };
}

export function missing(debianPackage: string): undefined {
  if (process.env["CI"]) throw new Error(`${debianPackage} is not installed: run scripts/ci-packages.sh`);
}

export function postgresBin(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(root, version, "bin")), "/usr/local/bin", "/opt/homebrew/bin"].find(
    (bin) => existsSync(join(bin, "initdb")) && existsSync(join(bin, "postgres")),
  );
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres refuses to run as root, so it runs as the user its package created, or as nobody, who gets the folder. */
export function userFor(dir: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = userCalled("postgres") ?? userCalled("nobody")!;
  chownSync(dir, user.uid, user.gid);
  return user;
}

function userCalled(name: string): User | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }));
  return uid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid?.stdout) } : undefined;
}

/** With setpriv, the server also ends when the test process does. */
export function asUser(user: User | undefined): string[] {
  const setpriv = "/usr/bin/setpriv";
  if (!existsSync(setpriv)) return [];
  const identity = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  return [setpriv, ...identity, "--pdeathsig", "SIGTERM"];
}

export function spawned([program, ...args]: readonly string[], cwd: string): ChildProcess {
  return spawn(program!, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
}

export async function says(server: ChildProcess, pattern: string): Promise<void> {
  const wanted = new RegExp(pattern);
  const heard: string[] = [];
  const ready = [server.stdout!, server.stderr!].map(
    (stream) =>
      new Promise<void>((resolve) => {
        createInterface({ input: stream }).on("line", (line) => {
          heard.push(line);
          if (wanted.test(line)) resolve();
        });
      }),
  );
  const ended = once(server, "exit").then(() => {
    throw new Error(`The server ended before it was ready:\n${heard.join("\n")}`);
  });
  ended.catch(() => {});
  await Promise.race([...ready, ended]);
}

async function stop(server: ChildProcess, signal: NodeJS.Signals, dir: string | undefined): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
}
