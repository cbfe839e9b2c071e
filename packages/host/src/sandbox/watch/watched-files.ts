// Files that a command can write although they are guarded: git's settings, and files with a second name. Each is
// compared with how it was, and what may not stay is put back.

import { constants, copyFileSync, lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { GitSetting } from "@keelson/engine/git-keys";
import { fileStamp } from "@keelson/protocol";
import { randomHex } from "../../random.ts";
import { safeSettings } from "../guarded/git-settings.ts";
import { isFolder } from "../guarded/look.ts";
import { asideOf, setAside } from "./tripwire.ts";

export interface WatchedFiles {
  /** Begins to compare, from how it is now; `absent` for one that only appeared meanwhile. */
  add(path: string, kind: "settings" | "content", how?: "absent"): void;
  /** Undoes what may not stay. One sentence for each file. */
  check(): string[];
  /** What each file contained before, for whoever has to put it back when we are gone. */
  pristine(): ReadonlyMap<string, string>;
  clear(): void;
}

interface Known {
  readonly kind: "settings" | "content";
  readonly state: State;
}

/** `text` is null when there is no file, undefined when it is none that we would read. */
interface State {
  readonly text: string | null | undefined;
  readonly stamp: string;
  readonly changedMs: number;
  readonly mode: number;
}

const LARGEST = 1024 * 1024;
/** Kernels stamp files with a clock that ticks every few milliseconds: a younger stamp may hide a second write. */
const TICK_MS = 50;
const APPROVE =
  "If the change is wanted, run the command again with dangerouslyDisableSandbox: true, which asks the user.";
const COMES_AND_GOES = new Set([".gitmodules", "config.worktree"]);
const ABSENT: State = { text: null, stamp: "", changedMs: 0, mode: 0o644 };

export function createWatchedFiles(options: {
  /** Where submodules may have their files. */
  roots(): readonly string[];
  /** Whether we wrote the file ourselves, with somebody's approval, and nobody has since. */
  wroteOurselves(path: string): boolean;
  /** Whether a command that was allowed to says this name, of a file or of a setting. */
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
    const told = kind === "settings" ? putBackSettings(path, before, after) : putBack(path, before);
    const now = read(path);
    // What could not be put back is tried again the next time.
    if (mayStay(path, kind, before, now)) files.set(path, { kind, state: now });
    return told;
  }

  function mayStay(path: string, kind: Known["kind"], before: State, after: State): boolean {
    if (after.text === before.text || options.wroteOurselves(path)) return true;
    // A submodule or worktree that was removed, settings included.
    if (after.text === null && !isFolder(dirname(path))) return true;
    if (kind === "content") return options.isNamed(basename(path));
    // One that comes and goes with branches and worktrees, and has said nothing that matters.
    const text = after.text === null && COMES_AND_GOES.has(basename(path)) ? "" : after.text;
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
    const kept = result.isWhole ? keepCopy(path) : "";
    const error = write(path, result.text, mode);
    return error ? `${what} They could not be put back: ${error}` : `${what} They were put back.${kept} ${APPROVE}`;
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
    const text = stat.isFile() && stat.size <= LARGEST ? readFileSync(path, "latin1") : undefined;
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
  if (typeof text !== "string") return setAside(path);
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now && !now.isFile()) return [setAside(path), write(path, text, mode)].join(" ").trim();
  // In place where there is a file: it may have a second name, under which it was written.
  const error = now ? attempt(() => writeFileSync(path, text, "latin1")) : write(path, text, mode);
  const what = `A command ${now ? "changed" : "removed"} '${path}', which is protected`;
  return error ? `${what}, and it could not be put back: ${error}` : `${what}: it was put back.`;
}

/** Of what goes although only part of it has to: whoever wrote the rest may want it back. */
function keepCopy(path: string): string {
  const aside = asideOf(path);
  const error = attempt(() => copyFileSync(path, aside, constants.COPYFILE_EXCL));
  return error ? "" : ` The file as it was is kept as '${aside}'.`;
}

/** In one step, so that git never finds half a file. The reason when it fails, else nothing. */
function write(path: string, text: string, mode: number): string {
  const temporary = join(dirname(path), `.keelson-${randomHex(8)}`);
  const error = attempt(() => {
    writeFileSync(temporary, text, { encoding: "latin1", flag: "wx", mode });
    renameSync(temporary, path);
  });
  if (error) attempt(() => unlinkSync(temporary));
  return error;
}

function attempt(action: () => void): string {
  try {
    action();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Git itself notes where the files of a submodule are. */
function isSubmodule(path: string, { name, value }: GitSetting, roots: readonly string[]): boolean {
  if (name !== "core.worktree" || value === null || !path.includes(`${sep}modules${sep}`)) return false;
  const worktree = resolve(dirname(path), value);
  return roots.some((root) => worktree.startsWith(`${root}${sep}`)) && !worktree.split(sep).includes(".git");
}
