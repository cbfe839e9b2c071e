// Creates private files that no other user can read or plant: exclusive, no-follow, mode 0600 in a 0700 directory.

import { lstatSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import type * as Os from "node:os";
import { dirname, join } from "node:path";
import { createOwnFile, holdOwnFolder, NotOurFileError } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { ToolError } from "@keelson/engine";

export interface PrivateFile {
  readonly fd: number;
  readonly path: string;
}

/** Throws if the name exists, the disk is full, another user could replace the directory, or a part of it is a link. */
export function createPrivateFile(directory: string, name: string): PrivateFile {
  try {
    holdOwnFolder(directory, { create: 0o700 })[Symbol.dispose]();
    const path = join(privateDirectory(directory), name);
    return { fd: createOwnFile(path), path };
  } catch (error) {
    throw error instanceof NotOurFileError ? new ToolError(error.message) : error;
  }
}

/**
 * Creates the directory and checks that no other user controls it: below a shared directory such as /tmp, we must own
 * every part of the path.
 */
export function privateDirectory(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const us = process.geteuid?.();
  if (us === undefined) return directory;
  const foreign: string[] = [];
  for (let at = realpathSync(directory); dirname(at) !== at; at = dirname(at)) {
    if (isShared(at)) break;
    if (lstatSync(at).uid !== us) foreign.push(at);
    if (foreign.length > 0 && isShared(dirname(at))) {
      throw new ToolError(
        `'${foreign.at(-1)}' belongs to another user, so private files cannot be stored there. Remove it.`,
      );
    }
  }
  return directory;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder for temporary files of all our sessions. Commands can read and not change what is in it. */
export function ownTemporary(env: Environment): string {
  return join(temporaryIn(env), `claude-${process.getuid?.() ?? 0}`);
}

/** A new private folder for our own temporary files. */
export function makeTemporary(env: Environment, prefix: string): string {
  try {
    return mkdtempSync(join(privateDirectory(ownTemporary(env)), prefix));
  } catch {
    // Another user was first to create it.
    return mkdtempSync(join(temporaryIn(env), prefix));
  }
}

export interface ProgramCachePlace {
  readonly env: Environment;
  readonly home: string;
  readonly configDir: string;
}

/** Where programs are extracted to. Commands cannot write there, so a Keelson among them has a folder of its own. */
export function programCache({ env, home, configDir }: ProgramCachePlace): string {
  if (env["KEELSON_STATE_DIR"] === configDir) return join(configDir, "cache");
  return join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "keelson");
}

const temporaryIn = (env: Environment) => realPathOf(env["CLAUDE_CODE_TMPDIR"] || systemTemporary());

/** `tmpdir()`. To load `node:os` takes half a millisecond. */
function systemTemporary(): string {
  if (process.platform === "win32") return (require("node:os") as typeof Os).tmpdir();
  const { TMPDIR, TMP, TEMP } = process.env;
  return TMPDIR || TMP || TEMP || "/tmp";
}

function isShared(directory: string): boolean {
  return (lstatSync(directory).mode & 0o1002) === 0o1002;
}
