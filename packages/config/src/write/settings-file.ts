// Replaces one settings file: whole or not at all, under a lock, from what it holds at that moment.
// Never through a link that leads out of where the file belongs, and never over something that is not a regular file.

import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { parseSettings, readWholeFile } from "../scopes/read.ts";

export interface FilePlace {
  readonly file: string;
  /** A folder, with links resolved, that the file must not leave. */
  readonly within?: string;
  /** For its owner's eyes only. */
  readonly private: boolean;
}

export type Updated =
  | { readonly kind: "written" | "unchanged"; readonly created: boolean }
  | { readonly kind: "refused"; readonly problem: string };

/** From the text and the settings in it to the new text; a string in `problem` leaves the file as it is. */
export type Change = (
  text: string,
  settings: Readonly<Record<string, unknown>>,
) => { readonly text: string } | { readonly problem: string };

export const NOT_EDITABLE = { problem: "is not plain JSON with comments (single quotes, bare names?); mend it first" };

export async function updateSettingsFile(place: FilePlace, change: Change): Promise<Updated> {
  const { file } = place;
  try {
    using folder = openFolder(place);
    using _lock = await takeLock(join(folder.path, `${folder.name}.lock`));
    return replace(folder, place, change);
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", problem: `${file} ${error.message}` };
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: "refused", problem: `${file} cannot be written (${code ?? message})` };
  }
}

class Refused extends Error {}

function replace({ path, name }: Folder, place: FilePlace, change: Change): Updated {
  const target = join(path, name);
  const old = lstatSync(target, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile()) throw new Refused("is not a regular file");
  const text = old === undefined ? "" : readWholeFile(target, MAX_BYTES, { noFollow: true });
  if (typeof text !== "string") throw new Refused(text.kind === "broken" ? `is ${text.problem}` : "is gone");
  const before = parseSettings(text);
  if (before.kind !== "read")
    throw new Refused(`is ${before.kind === "broken" ? before.problem : "gone"}; mend it first`);

  const result = change(text.trim() === "" ? "{}\n" : text, before.value);
  if ("problem" in result) throw new Refused(result.problem);
  if (result.text === text) return { kind: "unchanged", created: false };
  if (parseSettings(result.text).kind !== "read") throw new Refused("could not be changed without damage");
  writeWhole(join(path, `.${name}.${crypto.randomUUID()}.tmp`), target, result.text, modeFor(place, old));
  return { kind: "written", created: old === undefined };
}

const MAX_BYTES = 4 * 1024 * 1024;

function modeFor(place: FilePlace, old: Stats | undefined): number | undefined {
  if (place.private) return 0o600;
  return old === undefined ? undefined : old.mode & 0o777;
}

function writeWhole(temporary: string, target: string, text: string, mode: number | undefined): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(temporary, flags, mode === undefined ? 0o644 : 0o600);
  try {
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
      if (mode !== undefined) fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } catch (error) {
    remove(temporary);
    throw error;
  }
}

interface Folder extends Disposable {
  /** A name for the folder that stays the same folder, whatever is renamed around it. */
  readonly path: string;
  readonly name: string;
}

/** The folder a write lands in, made if need be, checked and then held. */
function openFolder({ file, within, private: own }: FilePlace): Folder {
  mkdirSync(dirname(file), { recursive: true, mode: own && within === undefined ? 0o700 : 0o755 });
  const target = targetOf(file);
  const folder = dirname(target);
  const inside = (path: string) => within === undefined || path === within || path.startsWith(within + sep);
  if (!inside(folder)) throw new Refused(`leads out of ${within}, to ${target}; it is not written`);
  if (process.platform !== "linux") return { path: folder, name: basename(target), [Symbol.dispose]: () => undefined };

  // Held by its descriptor: a link put in its place after this line is not followed.
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const path = `/proc/self/fd/${fd}`;
  if (!inside(realpathSync(path))) {
    closeSync(fd);
    throw new Refused(`leads out of ${within}; it is not written`);
  }
  return { path, name: basename(target), [Symbol.dispose]: () => closeSync(fd) };
}

/** A link to a file is written through; people keep their settings in other folders. */
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

const STALE_MS = 5_000;
const PATIENCE_MS = 10_000;

/** One writer at a time. A lock that nobody came back for is broken. */
async function takeLock(path: string): Promise<Disposable> {
  for (const started = Date.now(); ; await Bun.sleep(5)) {
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
      return { [Symbol.dispose]: () => remove(path) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const held = lstatSync(path, { throwIfNoEntry: false });
    if (held !== undefined && Date.now() - held.mtimeMs > STALE_MS) remove(path);
    if (Date.now() - started > PATIENCE_MS) throw new Refused("is being written by somebody else");
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, which is what was wanted.
  }
}
