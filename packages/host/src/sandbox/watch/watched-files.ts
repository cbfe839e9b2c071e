// Watches guarded files that commands can still write: git settings, and files with a second name. Forbidden changes
// are reverted.

import {
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { GitSetting } from "@keelson/engine/git-keys";
import { fileStamp } from "@keelson/protocol";
import { randomHex } from "../../random.ts";
import { safeSettings } from "../guarded/git-settings.ts";
import { isFolder } from "../guarded/stat.ts";
import { asidePath, makingWritable, moveAside } from "./move-aside.ts";

export interface WatchedFiles {
  /** Starts watching from the current state, or from `absent` for a file that has just appeared. */
  add(path: string, kind: "settings" | "content", how?: "absent"): void;
  /** Reverts forbidden changes. Returns one sentence for each file. */
  check(): string[];
  /** The original content of each file, for cleanup if we are killed. */
  pristine(): ReadonlyMap<string, string>;
  clear(): void;
}

interface Known {
  readonly kind: "settings" | "content";
  readonly state: State;
}

/** `text` is null if the file does not exist, and undefined if it is too large or not a regular file. */
interface State {
  readonly text: string | null | undefined;
  readonly stamp: string;
  readonly changedMs: number;
  readonly mode: number;
}

const MAX_BYTES = 1024 * 1024;
/** File times tick every few milliseconds, so a more recent time may hide a second write. */
const TICK_MS = 50;
const TRANSIENT_FILES = new Set([".gitmodules", "config.worktree"]);
const ABSENT: State = { text: null, stamp: "", changedMs: 0, mode: 0o644 };

export function createWatchedFiles(options: {
  /** Where submodules may have their work trees. */
  roots(): readonly string[];
  /** Whether we wrote the file with the user's approval, and it has not changed since. */
  wroteOurselves(path: string): boolean;
  /** Whether an approved command contains this name of a file or a setting. */
  isNamed(name: string): boolean;
}): WatchedFiles {
  const files = new Map<string, Known>();

  function checkFile(path: string, { kind, state: before }: Known): string | null {
    if (stampOf(path) === before.stamp && Date.now() - before.changedMs > TICK_MS) return null;
    const after = read(path);
    const isFine = mayStay(path, kind, before, after);
    if (isFine) {
      files.set(path, { kind, state: after });
      return null;
    }
    const note = kind === "settings" ? putBackSettings(path, before, after) : putBack(path, before);
    const now = read(path);
    // If it could not be restored, the next check tries again.
    if (mayStay(path, kind, before, now)) files.set(path, { kind, state: now });
    return note;
  }

  function mayStay(path: string, kind: Known["kind"], before: State, after: State): boolean {
    if (after.text === before.text || options.wroteOurselves(path)) return true;
    // The whole submodule or worktree was removed.
    if (after.text === null && !isFolder(dirname(path))) return true;
    if (kind === "content") return options.isNamed(basename(path));
    // Checking out a branch may remove these files; that is fine if they had no dangerous settings.
    const text = after.text === null && TRANSIENT_FILES.has(basename(path)) ? "" : after.text;
    return typeof text === "string" && safe(path, before, text) === null;
  }

  function safe(path: string, before: State, text: string) {
    const isAgreed = ({ section, key }: GitSetting) => options.isNamed(section) && options.isNamed(key);
    return safeSettings(before.text ?? "", text, {
      isHarmless: (setting) => isAgreed(setting) || isSubmodule(path, setting, options.roots()),
      mayBeBroken: basename(path) === ".gitmodules",
    });
  }

  function putBackSettings(path: string, before: State, { text, mode }: State): string {
    const result = typeof text === "string" ? safe(path, before, text) : null;
    if (!result) return putBack(path, before);
    const what = `A command changed git settings that run programs or redirect git, in '${path}': ${result.undone.join(", ")}.`;
    const kept = result.isWhole ? saveCopy(path) : "";
    const error = write(path, result.text, mode);
    return error ? `${what} They could not be restored: ${error}` : `${what} They were restored.${kept}`;
  }

  return {
    add(path, kind, how) {
      if (!files.has(path)) files.set(path, { kind, state: how === "absent" ? ABSENT : read(path) });
    },
    check: () => [...files].flatMap(([path, known]) => checkFile(path, known) ?? []),
    pristine: () =>
      new Map([...files].flatMap(([path, { state }]) => (typeof state.text === "string" ? [[path, state.text]] : []))),
    clear: () => files.clear(),
  };
}

function read(path: string): State {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return ABSENT;
    const text = stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, "latin1") : undefined;
    return { text, stamp: stampOf(path), changedMs: stat.ctimeMs, mode: stat.mode & 0o777 };
  } catch {
    return { ...ABSENT, text: undefined };
  }
}

function stampOf(path: string): string {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat ? fileStamp(stat) : "";
  } catch {
    return "?";
  }
}

function putBack(path: string, { text, mode }: State): string {
  if (typeof text !== "string") return moveAside(path);
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now && !now.isFile()) return [moveAside(path), write(path, text, mode)].join(" ").trim();
  // Write in place if the file exists: it may have been changed under a second name.
  const error = now ? errorFrom(() => overwrite(path, text)) : write(path, text, mode);
  const what = `A command ${now ? "changed" : "removed"} '${path}', which is protected`;
  return error ? `${what}, and it could not be restored: ${error}` : `${what}: it was restored.`;
}

/** Keeps a copy of a file that is reverted as a whole, because other changes in it may be wanted. */
function saveCopy(path: string): string {
  const aside = asidePath(path);
  const error = errorFrom(() => copyFileSync(path, aside, constants.COPYFILE_EXCL));
  return error ? "" : ` A copy of the changed file is in '${aside}'.`;
}

/** Writes atomically, so git never reads half a file. Returns the error, or an empty string. */
function write(path: string, text: string, mode: number): string {
  const temporary = join(dirname(path), `.keelson-${randomHex(8)}`);
  const error = errorFrom(() =>
    makingWritable(dirname(path), () => {
      writeFileSync(temporary, text, { encoding: "latin1", flag: "wx", mode });
      renameSync(temporary, path);
    }),
  );
  if (error) errorFrom(() => unlinkSync(temporary));
  return error;
}

/** Not through a link that has just been put there. */
function overwrite(path: string, text: string): void {
  makingWritable(path, () => {
    const fd = openSync(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      writeFileSync(fd, text, "latin1");
    } finally {
      closeSync(fd);
    }
  });
}

function errorFrom(action: () => void): string {
  try {
    action();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Git itself records where the work tree of a submodule is. */
function isSubmodule(path: string, { name, value }: GitSetting, roots: readonly string[]): boolean {
  if (name !== "core.worktree" || value === null || !path.includes(`${sep}modules${sep}`)) return false;
  const worktree = resolve(dirname(path), value);
  return roots.some((root) => worktree.startsWith(`${root}${sep}`)) && !worktree.split(sep).includes(".git");
}
