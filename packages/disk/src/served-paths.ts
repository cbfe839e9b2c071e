// What `keelson serve` keeps and runs outside the configuration folder: the folder where runs work, its database, the programs that
// it tells of runs. The list is in the configuration folder, which no command can change; the shield of every session guards what is
// in it.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { withOwnFileLock } from "./lock/file-lock.ts";
import { holdOwnFolder, readOwnFile } from "./own-files.ts";
import { isRunning, processStart, type ProcessIdentity } from "./process-identity.ts";
import { replaceOwnFile } from "./replace-file.ts";

/** Of one process. Several may share a folder, and each has files of its own. */
interface Served extends Partial<ProcessIdentity> {
  /** Undefined if nothing runs there. */
  readonly folder?: string | undefined;
  /** The folder, whatever is at its path by now. */
  readonly id?: string | undefined;
  readonly files: readonly string[];
}

/** The folder of its state, in the configuration folder. */
export const SERVE_STATE = "keelson-serve";
const NAME = "outside.json";
const MAX_BYTES = 256 * 1024;
/** Older ones of processes that have ended are forgotten. */
const MOST = 20;

/** All that servers with this configuration folder have outside it. Some of it may be gone. */
export function servedPaths(configDir: string): readonly string[] {
  return readServed(join(configDir, SERVE_STATE)).flatMap(({ folder, files }) => [folder ?? [], files].flat());
}

/**
 * Adds what this server has; of servers that have ended, what the same one had before is left out. Throws if its folder has files
 * that no server put there: a command of a session may have, before the folder was guarded.
 */
export async function recordServed(
  state: string,
  { folder, files }: Pick<Served, "folder" | "files">,
  own: ProcessIdentity = { pid: process.pid, procStart: processStart(process.pid, "UTC") ?? "" },
): Promise<void> {
  if (folder === undefined && files.length === 0) return;
  const path = join(state, NAME);
  await withOwnFileLock(`${path}.lock`, () => {
    const others = readServed(state);
    const known = others.filter((each) => each.folder === folder).map(({ id }) => id);
    const id = folder === undefined ? undefined : claimFolder(folder, known);
    // Servers without a folder differ in their files.
    const isReplaced = (each: Served) =>
      each.folder === folder &&
      (folder !== undefined || isSame(each.files, files)) &&
      ((each.pid === own.pid && each.procStart === own.procStart) || !isServing(each));
    const kept = others.filter((each) => !isReplaced(each));
    const served = [{ folder, id, files, ...own }, ...kept].filter((each, at) => at < MOST || isServing(each));
    replaceOwnFile(path, `${JSON.stringify(served)}\n`);
  });
}

const isServing = ({ pid, procStart = "" }: Served) => pid !== undefined && isRunning({ pid, procStart }, "UTC");

const isSame = (one: readonly string[], other: readonly string[]) => one.join("\n") === other.join("\n");

function claimFolder(folder: string, known: readonly (string | undefined)[]): string {
  holdOwnFolder(folder, { create: 0o700 })[Symbol.dispose]();
  const { dev, ino } = lstatSync(folder, { bigint: true });
  const id = `${dev}:${ino}`;
  if (!known.includes(id) && readdirSync(folder).length > 0)
    throw new Error(
      `"${folder}" has files that were not put there by "keelson serve"; empty it, or choose another folder with --folder`,
    );
  return id;
}

function readServed(state: string): readonly Served[] {
  try {
    const text = readOwnFile(join(state, NAME), MAX_BYTES)?.toString("utf8");
    const listed: unknown = text === undefined ? [] : JSON.parse(text);
    return Array.isArray(listed) ? listed.filter(isServed) : [];
  } catch {
    // There is none, or it is no file of ours.
    return [];
  }
}

const isServed = (each: Partial<Served> | null): each is Served =>
  Array.isArray(each?.files) &&
  each.files.every((path) => typeof path === "string") &&
  [each.folder, each.id, each.procStart].every((value) => value === undefined || typeof value === "string") &&
  (each.pid === undefined || typeof each.pid === "number");
