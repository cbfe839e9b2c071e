// What `keelson serve` keeps and runs outside the configuration folder: the folder where runs work, its database, the programs that
// it tells of runs. The list is in the configuration folder, which no command can change; the shield of every session guards what is
// in it.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { withOwnFileLock } from "./lock/file-lock.ts";
import { holdOwnFolder, readOwnFile } from "./own-files.ts";
import { replaceOwnFile } from "./replace-file.ts";

/** Of one server or worker. */
interface Served {
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
/** Older ones are forgotten. */
const MOST = 20;

/** All that servers with this configuration folder have outside it. Some of it may be gone. */
export function servedPaths(configDir: string): readonly string[] {
  return readServed(join(configDir, SERVE_STATE)).flatMap(({ folder, files }) => [folder ?? [], files].flat());
}

/**
 * Adds what this server has. Throws if its folder has files that no server put there: a command of a session may have, before
 * the folder was guarded.
 */
export async function recordServed(state: string, { folder, files }: Omit<Served, "id">): Promise<void> {
  if (folder === undefined && files.length === 0) return;
  const path = join(state, NAME);
  await withOwnFileLock(`${path}.lock`, () => {
    const others = readServed(state);
    const known = others.find((each) => each.folder === folder && folder !== undefined);
    const id = folder === undefined ? undefined : claimFolder(folder, known?.id);
    // Servers without a folder differ in their files.
    const isReplaced = (each: Served) => each.folder === folder && (folder !== undefined || isSame(each.files, files));
    const served = [{ folder, id, files }, ...others.filter((each) => !isReplaced(each))].slice(0, MOST);
    replaceOwnFile(path, `${JSON.stringify(served)}\n`);
  });
}

const isSame = (one: readonly string[], other: readonly string[]) => one.join("\n") === other.join("\n");

function claimFolder(folder: string, known: string | undefined): string {
  holdOwnFolder(folder, { create: 0o700 })[Symbol.dispose]();
  const { dev, ino } = lstatSync(folder, { bigint: true });
  const id = `${dev}:${ino}`;
  if (id !== known && readdirSync(folder).length > 0)
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
  [each.folder, each.id].every((value) => value === undefined || typeof value === "string");
