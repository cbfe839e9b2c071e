// Where the sockets of open sessions are: a private folder in the one for our own temporary files. Commands never get them
// (`host/sandbox/sockets`), wherever the folder is.

import { chmodSync, lstatSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { holdOwnFolder, namesInOwnFolder } from "@keelson/disk/own-files";
import { ownTemporary, privateDirectory } from "@keelson/host";

/** Systems take about 104 bytes. */
const LONGEST_PATH = 100;
/** As many sockets are looked at for each session that opens one. Living sessions notice it. */
const MOST_STALE = 8;
/** A new one refuses as well, between the moments at which it gets its name and its owner listens. */
const YOUNG_MS = 10_000;

export interface SocketPlace {
  readonly path: string;
  /** For the user alone. Call when it exists. */
  protect(): void;
  remove(): void;
}

/** Undefined if there is no private folder with a short enough path. */
export async function socketPlace(env: Readonly<Record<string, string | undefined>>): Promise<SocketPlace | undefined> {
  const name = `session-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}.sock`;
  for (const temporary of [ownTemporary(env), ownTemporary({ CLAUDE_CODE_TMPDIR: "/tmp" })]) {
    const folder = join(temporary, "open");
    const path = join(folder, name);
    if (Buffer.byteLength(path) > LONGEST_PATH) continue;
    try {
      holdOwnFolder(privateDirectory(folder), { create: 0o700 })[Symbol.dispose]();
      chmodSync(folder, 0o700);
    } catch {
      // Another user was first to create it.
      continue;
    }
    await removeStale(folder);
    return {
      path,
      protect: () => chmodSync(path, 0o600),
      remove: () => rmSync(path, { force: true }),
    };
  }
  return undefined;
}

/** A socket on which no process listens any more refuses at once. */
async function removeStale(folder: string): Promise<void> {
  const sockets = namesInOwnFolder(folder).filter((name) => name.startsWith("session-"));
  const isStale = async (path: string) => {
    const born = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (born === undefined || Math.abs(Date.now() - born) < YOUNG_MS) return false;
    try {
      (await Bun.connect({ unix: path, socket: { data() {} } })).end();
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
    }
  };
  await Promise.all(
    fewOf(sockets).map(async (name) => {
      const path = join(folder, basename(name));
      if (await isStale(path)) rmSync(path, { force: true });
    }),
  );
}

/** Others each time. */
function fewOf(names: readonly string[]): readonly string[] {
  const from = Math.floor(Math.random() * names.length);
  return [...names.slice(from), ...names.slice(0, from)].slice(0, MOST_STALE);
}
