// Replaces one settings file, completely or not at all, under a lock. Follows no link that leads out of the folder the file
// belongs in, and replaces only regular files.

import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { FileLockedError, withFileLock } from "@keelson/disk/lock";
import { replaceFile } from "@keelson/disk/replace-file";
import { parseSettings, readWholeFile } from "../scopes/read.ts";
import type * as Present from "../trust/present.ts";
import type { FolderPlace } from "./project-flag.ts";
import { whyNotWritten } from "./why-not-written.ts";

export interface FilePlace {
  readonly file: string;
  /** The real path of a folder that the file must be in. */
  readonly within?: string;
  /** Readable only by its owner. */
  readonly private: boolean;
  /** 4 MiB if absent. */
  readonly maxBytes?: number;
  /** For a file of a folder: what is added on the user's word counts as trusted. */
  readonly folder?: FolderPlace;
}

export type Updated =
  | { readonly kind: "written" | "unchanged"; readonly created: boolean }
  | { readonly kind: "refused"; readonly problem: string };

/** Returns the new text. With `problem`, the file stays as it is. */
export type Change = (
  text: string,
  settings: Readonly<Record<string, unknown>>,
) => { readonly text: string } | { readonly problem: string };

export const NOT_EDITABLE = {
  problem: "is not JSON with comments (are there single quotes or names without quotes?); fix it first",
};

export async function updateSettingsFile(place: FilePlace, change: Change): Promise<Updated> {
  const { file } = place;
  try {
    using folder = openFolder(place);
    const lock = join(folder.path, `${folder.name}.lock`);
    const work = () => replace(folder, place, change);
    return await withFileLock(lock, work, { isTemporary: true, patienceMs: PATIENCE_MS });
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", problem: `${file} ${error.message}` };
    if (error instanceof FileLockedError)
      return { kind: "refused", problem: `${file} is being written by another process; try again` };
    return { kind: "refused", problem: `${file} cannot be written ${whyNotWritten(error)}` };
  }
}

class Refused extends Error {}

function replace({ path, name }: Folder, place: FilePlace, change: Change): Updated {
  const target = join(path, name);
  const old = lstatSync(target, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile()) throw new Refused("is not a regular file");
  const text = old === undefined ? "" : readWholeFile(target, place.maxBytes ?? MAX_BYTES, { noFollow: true });
  if (typeof text !== "string") throw new Refused(text.kind === "broken" ? `is ${text.problem}` : "is gone");
  const before = parseSettings(text);
  if (before.kind !== "read")
    throw new Refused(`is ${before.kind === "broken" ? before.problem : "gone"}; fix it first`);

  const given = text.trim() === "" ? "{}\n" : text;
  const result = change(given, before.value);
  if ("problem" in result) throw new Refused(result.problem);
  if (result.text === given) return { kind: "unchanged", created: false };
  const after = parseSettings(result.text);
  if (after.kind !== "read") throw new Refused("could not be changed safely");
  replaceFile(target, result.text, modeFor(place, old));
  if (place.folder) {
    const { recordOwnWrite } = require("../trust/present.ts") as typeof Present;
    recordOwnWrite({ file: place.file, before: before.value, after: after.value }, place.folder);
  }
  return { kind: "written", created: old === undefined };
}

const MAX_BYTES = 4 * 1024 * 1024;
const PATIENCE_MS = 10_000;

function modeFor(place: FilePlace, old: Stats | undefined): number | undefined {
  if (place.private) return 0o600;
  return old === undefined ? undefined : old.mode & 0o777;
}

interface Folder extends Disposable {
  /** A path that stays valid even if the folder is renamed. */
  readonly path: string;
  readonly name: string;
}

/** Creates the folder if needed, checks it and keeps it open. */
function openFolder({ file, within, private: own }: FilePlace): Folder {
  mkdirSync(dirname(file), { recursive: true, mode: own && within === undefined ? 0o700 : 0o755 });
  const target = targetOf(file);
  const folder = dirname(target);
  const inside = (path: string) => within === undefined || path === within || path.startsWith(within + sep);
  if (!inside(folder)) throw new Refused(`leads out of ${within}, to ${target}; it was not written`);
  if (process.platform !== "linux") return { path: folder, name: basename(target), [Symbol.dispose]: () => undefined };

  // Used through its descriptor from here on, so a link put in its place is not followed.
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const path = `/proc/self/fd/${fd}`;
  if (!inside(realpathSync(path))) {
    closeSync(fd);
    throw new Refused(`leads out of ${within}; it was not written`);
  }
  return { path, name: basename(target), [Symbol.dispose]: () => closeSync(fd) };
}

/** Follows a link to a file, because people keep their settings in other folders. */
function targetOf(file: string): string {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return join(realpathSync(dirname(file)), basename(file));
  }
  try {
    return realpathSync(file);
  } catch {
    throw new Refused(`is a link to ${readlinkSync(file)}, which does not exist`);
  }
}
