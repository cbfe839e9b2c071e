// Folders of runs on this machine. `private` is for the worker alone; `work` is what a run sees. A place belongs to the process that
// made it, and whoever finds it without that process ends what still runs there and removes it.
//
//   private/mirrors   private/setups   private/locks   private/runs/NAME/{owner,child,lease,settings.json,…}
//   work/NAME/{checkout,home,tmp,config}

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FileLockedError, withFileLock } from "@keelson/disk/lock";
import { tryParse } from "@keelson/protocol";
import { endSandboxesOf, identify, isGroupAlive, isRunning, killGroup, type ProcessIdentity } from "./processes.ts";

export interface RunPlace {
  /** For the worker alone. */
  readonly private: string;
  readonly work: string;
  readonly checkout: string;
  readonly home: string;
  readonly temporary: string;
  /** The program's configuration folder: nothing but the transcript of this run. */
  readonly config: string;
  /** Folders of other runs that are on this machine now. */
  others(): readonly string[];
  /** From now on, whoever clears up ends this process first. */
  started(pid: number): void;
  remove(): Promise<void>;
}

export interface RunPlaces {
  readonly mirrors: string;
  readonly setups: string;
  /** What no run may read. */
  readonly private: string;
  make(runId: string): Promise<RunPlace>;
  /** Removes what workers left that are gone. Returns how many places. */
  sweep(): Promise<number>;
}

export function openPlaces(folder: string): RunPlaces {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  checkOurs(folder);
  const root = realpathSync(folder);
  const [secret, work] = [join(root, "private"), join(root, "work")];
  const runs = join(secret, "runs");
  const locks = join(secret, "locks");
  for (const path of [secret, runs, join(secret, "mirrors"), join(secret, "setups"), locks])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  mkdirSync(work, { recursive: true, mode: 0o755 });
  chmodSync(secret, 0o700);
  for (const path of [secret, runs, join(secret, "mirrors"), join(secret, "setups"), locks, work]) checkOurs(path);
  // Nobody but root can list what is in it: a run cannot find those that begin later.
  chmodSync(work, 0o311);

  const remove = async (name: string) => {
    await removeTree(join(work, name));
    await removeTree(join(runs, name));
  };
  /**
   * Whoever takes a place or clears one up: what was abandoned when somebody looked may have a new owner by the time that its
   * processes have ended.
   */
  const alone = <Result>(name: string, work: () => Promise<Result>, patienceMs?: number) =>
    withFileLock(join(locks, name), work, { isTemporary: true, patienceMs });
  /** The place of a worker that is gone. Call it in `alone`. */
  const clear = async (name: string) => {
    const child = readIdentity(join(runs, name, "child"));
    if (child !== undefined && (isRunning(child) || isGroupAlive(child.pid))) {
      if (isRunning(child)) killGroup(child.pid);
      await groupEnd(child.pid);
    }
    endSandboxesOf(join(work, name));
    await remove(name);
  };

  return {
    mirrors: join(secret, "mirrors"),
    setups: join(secret, "setups"),
    private: secret,
    async make(runId) {
      // The same path as before if possible: the conversation may name it. Short, because the sandbox has sockets below it.
      const base = runId.replace(/[^A-Za-z0-9_]/g, "").slice(0, LONGEST_NAME);
      for (let number = 1; ; number++) {
        const name = number === 1 ? base : `${base}-${number}`;
        const own = join(runs, name);
        const isOurs = await alone(name, async () => {
          if (!create(own)) {
            if (!isAbandoned(own)) return false;
            await clear(name);
            if (!create(own)) return false;
          }
          writeFileSync(join(own, "owner"), JSON.stringify(identify(process.pid)), { mode: 0o600 });
          return true;
        });
        if (!isOurs) continue;
        const here = join(work, name);
        await removeTree(here);
        const folders = {
          checkout: join(here, "checkout"),
          home: join(here, "home"),
          temporary: join(here, "tmp"),
          config: join(here, "config"),
        };
        mkdirSync(here, { mode: 0o700 });
        for (const path of [folders.home, folders.temporary, folders.config]) mkdirSync(path, { mode: 0o700 });
        return {
          private: own,
          work: here,
          ...folders,
          others: () =>
            readdirSync(runs)
              .filter((each) => each !== name)
              .slice(0, MOST_OTHERS)
              .map((each) => join(work, each)),
          started: (pid) => writeFileSync(join(own, "child"), JSON.stringify(identify(pid)), { mode: 0o600 }),
          remove: () => remove(name),
        };
      }
    },
    async sweep() {
      let cleared = 0;
      for (const name of readdirSync(runs).filter((name) => isAbandoned(join(runs, name)))) {
        const clearing = alone(
          name,
          async () => {
            if (!isAbandoned(join(runs, name))) return;
            await clear(name);
            cleared++;
          },
          0,
        );
        // Then somebody else does it.
        await clearing.catch((error: unknown) => {
          if (!(error instanceof FileLockedError)) throw error;
        });
      }
      return cleared;
    },
  };
}

/** The path of a socket has at most 107 bytes, of which the folder of all runs may take 45. */
const LONGEST_NAME = 16;

/** What is hidden from a command costs a mount each. */
const MOST_OTHERS = 64;

/** Whoever can write there decides what runs are. In folders such as /var/tmp, another user may have come first. */
function checkOurs(path: string): void {
  const { uid, mode } = lstatSync(path);
  const problem = !lstatSync(path).isDirectory()
    ? "is not a folder"
    : uid !== (process.geteuid?.() ?? uid)
      ? "belongs to another user"
      : (mode & 0o022) !== 0
        ? "can be written by other users"
        : undefined;
  if (problem !== undefined) throw new Error(`"${path}" ${problem}; choose another folder for runs with --folder`);
}

function create(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** One without an owner is being made, or was left in that moment: the next sweep but one finds it as old as it is. */
function isAbandoned(own: string): boolean {
  const owner = readIdentity(join(own, "owner"));
  if (owner !== undefined) return !isRunning(owner);
  try {
    return Date.now() - statSync(own).mtimeMs > 60_000;
  } catch {
    return false;
  }
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    const value = tryParse(readFileSync(path, "utf8")) as Partial<ProcessIdentity> | undefined;
    return typeof value?.pid === "number" && typeof value.procStart === "string"
      ? (value as ProcessIdentity)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What the program started in groups of its own is ended by its watcher; that takes a moment, too. */
async function groupEnd(pgid: number): Promise<void> {
  for (let round = 0; round < 200 && isGroupAlive(pgid); round++) await Bun.sleep(10);
}

/** Links are removed, never followed. A run may have left folders without the right to write. */
async function removeTree(path: string): Promise<void> {
  for (let round = 0; ; round++) {
    let failure: unknown = new Error(`"${path}" could not be removed`);
    try {
      await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
      // It also ends, with no error, where something in the folder is removed at the same moment by somebody else: a socket by the
      // process that has it.
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    } catch (error) {
      failure = error;
    }
    if (round === 4) throw failure;
    openFolders(path);
    await Bun.sleep(50 << round);
  }
}

function openFolders(path: string): void {
  try {
    chmodSync(path, 0o700);
    for (const each of readdirSync(path, { withFileTypes: true }))
      if (each.isDirectory()) openFolders(join(path, each.name));
  } catch {
    // It is being removed, or belongs to somebody else.
  }
}
