// Watches what cannot be mounted: missing paths, links, git settings, and folders that could be moved. As long as any
// shielded process may be running, including background children, changes are reverted and reported.

import { basename, dirname, join, sep } from "node:path";
import { fileStamp } from "@keelson/protocol";
import { repositoryFolders } from "../guarded/git-folders.ts";
import { gitSettingsOf } from "../guarded/guard-git.ts";
import { isStartFile } from "../guarded/at-home.ts";
import type { Guarded } from "../guarded/guarded.ts";
import { createKeptFolders } from "../guarded/kept-folders.ts";
import { isFolder, lstatOrNull, readLink } from "../guarded/stat.ts";
import { isStandIn } from "../shield/stand-in.ts";
import { createSurvivors } from "./survivors.ts";
import { activeHooks, isLinkChanged, folderNames, restoreLink, moveAside } from "./move-aside.ts";
import { createWatchedFiles } from "./watched-files.ts";

export interface Watch {
  /** A command is about to start. */
  begin(guarded: Guarded): WatchedCommand;
  /**
   * A command that the user allowed to change guarded paths is about to start. Paths that are watched because of other
   * commands stay watched, and only those this command names may change: we cannot tell who changes the rest. These
   * folders must stay in place all the same, because deny rules hide what is in them.
   */
  beginApproved(command: string, keptFolders: readonly string[]): WatchedCommand;
  /** Reverts changes; the next command that ends reports them. True if there were any. */
  check(): boolean;
  /** Calls back when no shielded process is left. */
  whenSettled(action: () => void): void;
  close(): void;
}

export interface WatchedCommand {
  /** Call when the command has ended; its children may still run. Returns what was reverted so far. */
  end(): string[];
}

export interface WatchOptions {
  /** Part of the name of a file that every shielded process has mounted. */
  readonly mark: string;
  /** Whether we wrote this file with the user's approval. */
  wroteOurselves(path: string): boolean;
  /** Whether an empty file may be where nothing was: the sandbox puts some there while a command runs. */
  mayBeEmpty(): boolean;
  /** Reports what was reverted while no command was running. */
  warn(text: string): void;
  /** Called with the original state while it is watched, and with null afterwards, for cleanup if we are killed. */
  onWatch(pristine: Pristine | null): void;
}

export interface Pristine {
  readonly missing: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

const RECHECK_MS = 1_000;
/** In this time the result is recorded and sent. */
const SETTLE_MS = 3;
const APPROVE =
  "Protected files configure programs or run as code. To keep the change, run the command again with dangerouslyDisableSandbox: true, which asks the user.";
const STILL_RUNNING =
  "This command was allowed to change protected paths, but the change may come from another process that is still running. To keep the change, stop that process first and run the command again.";

export function createWatch(options: WatchOptions): Watch {
  const missing = new Set<string>();
  /** The same, by the folder that each would be in. */
  const missingIn = new Map<string, Set<string>>();
  /** Of each folder: itself, or the nearest one above it that exists, where something would have to be created first. */
  const existing = new Map<string, string>();
  const folderStamps = new Map<string, string>();
  const standIns = new Set<string>();
  const links = new Map<string, string>();
  const closed = new Map<string, Set<string>>();
  const starts = new Map<string, Set<string>>();
  const places = new Set<string>();
  const repositories = new Set<string>();
  const unseen = new Set<string>();
  const approved: string[] = [];
  const files = createWatchedFiles({ roots: repositoryRoots, wroteOurselves: options.wroteOurselves, isNamed });
  const folders = createKeptFolders();
  const unreported: string[] = [];
  const survivors = createSurvivors(options.mark);
  let settled: (() => void)[] = [];
  let last: Guarded | undefined;
  let forgotten: Guarded | undefined;
  /** Whether `unreported` or the last check has more than folders that were moved back. */
  let canBeApproved = false;
  let running = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSettling = false;
  /** What the last command began with, if nothing was checked since. */
  let begun: Guarded | undefined;

  function repositoryRoots(): readonly string[] {
    return [...places].flatMap((place) => [place, ...repositoryFolders(place).map(({ top }) => top)]);
  }

  function add(guarded: Guarded): void {
    last = guarded;
    forgotten = undefined;
    for (const path of guarded.missingFolders) standIns.add(path);
    const isInStandIn = (path: string) => guarded.missingFolders.some((folder) => path.startsWith(`${folder}${sep}`));
    for (const path of guarded.missingFiles) if (!missing.has(path) && !isInStandIn(path)) addMissing(path);
    for (const path of guarded.links) {
      const target = links.has(path) ? null : readLink(path);
      if (target !== null) links.set(path, target);
    }
    for (const path of guarded.closedFolders) if (!closed.has(path)) closed.set(path, new Set(folderNames(path)));
    for (const path of guarded.startFolders) {
      if (!starts.has(path)) starts.set(path, new Set(folderNames(path).filter(isStartFile)));
    }
    for (const path of guarded.gitSettings) files.add(path, "settings");
    for (const path of guarded.contents) files.add(path, "content");
    for (const path of guarded.keptFolders) folders.add(path);
    for (const path of guarded.places) places.add(path);
    for (const path of guarded.repositories) repositories.add(path);
    for (const path of guarded.unseen) unseen.add(path);
  }

  function addMissing(path: string): void {
    missing.add(path);
    const folder = dirname(path);
    const others = missingIn.get(folder);
    if (others) return void others.add(path);
    missingIn.set(folder, new Set([path]));
    const at = nearestExisting(folder);
    if (!folderStamps.has(at)) folderStamps.set(at, settledStamp(at));
  }

  /** What exists is not remembered wrongly: if a missing folder was created, the one above it has another stamp. */
  function nearestExisting(folder: string): string {
    const known = existing.get(folder);
    if (known !== undefined) return known;
    const parent = dirname(folder);
    const above = parent === folder ? folder : nearestExisting(parent);
    const isThere = above === parent && (parent === folder || lstatOrNull(folder) !== null);
    existing.set(folder, isThere ? folder : above);
    return existing.get(folder)!;
  }

  /** Whether an approved command contains this name. */
  function isNamed(name: string): boolean {
    return approved.some((command) => command.includes(name.toLowerCase()));
  }

  function check(): string[] {
    begun = undefined;
    // First, so that everything else is in its place.
    const moved = folders.check();
    const notes = [...checkMissing(), ...checkLinks(), ...checkClosed(), ...checkGit()];
    canBeApproved ||= notes.length > 0;
    return [...moved, ...notes];
  }

  /** The missing paths that may be there now: none after most commands. */
  function maybeCreated(): readonly string[] {
    const isSame = (folder: string, stamp: string) => stamp !== "" && settledStamp(folder) === stamp;
    const now = new Map([...folderStamps].map(([folder, stamp]) => [folder, isSame(folder, stamp)]));
    return [...missingIn].flatMap(([folder, paths]) => {
      const at = existing.get(folder)!;
      return now.get(at) === true || (at !== folder && lstatOrNull(folder) === null) ? [] : [...paths];
    });
  }

  function checkMissing(): string[] {
    return [...maybeCreated(), ...standIns].flatMap((path) => {
      const entry = lstatOrNull(path);
      // An empty folder is a stand-in, perhaps of another session. Commands cannot write to ours, so a person did; but one
      // that was missing when an earlier command began may be made up, and open to what that command left running.
      const isOurStandIn = () => standIns.has(path) && !missing.has(path) && isStandIn(entry!);
      if (!entry || (entry.isDirectory() && (isUntouched(path) || isOurStandIn()))) return [];
      if (entry.isFile() && entry.size === 0 && options.mayBeEmpty()) return [];
      if (!isNamed(basename(path)) && !isOurs(path)) return [moveAside(path)];
      missing.delete(path);
      missingIn.get(dirname(path))?.delete(path);
      standIns.delete(path);
      return [];
    });
  }

  function isOurs(path: string, depth = 3): boolean {
    if (!isFolder(path)) return options.wroteOurselves(path);
    return depth > 0 && folderNames(path).every((name) => isOurs(join(path, name), depth - 1));
  }

  function checkLinks(): string[] {
    return [...links].flatMap(([path, target]) => {
      if (!isLinkChanged(path, target)) return [];
      if (!isNamed(basename(path))) return [restoreLink(path, target)];
      links.delete(path);
      return [];
    });
  }

  function checkClosed(): string[] {
    return [...closed, ...starts].flatMap(([folder, names]) =>
      folderNames(folder).flatMap((name) => {
        if (starts.has(folder) && !isStartFile(name)) return [];
        // Package installs recreate this one; the setting that points git to it is watched.
        if (name === "_" || names.has(name) || options.wroteOurselves(join(folder, name))) return [];
        if (!isNamed(name)) return [moveAside(join(folder, name))];
        names.add(name);
        return [];
      }),
    );
  }

  /** New repositories, submodules and worktrees must not contain programs for git to run. */
  function checkGit(): string[] {
    const notes: string[] = [];
    for (const place of places) {
      for (const git of repositoryFolders(place)) {
        // The target of a link is already watched.
        for (const path of gitSettingsOf(git)) if (!links.has(path)) files.add(path, "settings", "absent");
        for (const folder of git.folders) {
          if (repositories.has(folder)) continue;
          repositories.add(folder);
          notes.push(...activeHooks(folder).map(moveAside));
        }
        // Too many to check, so none can be trusted.
        notes.push(...git.unseen.filter((modules) => !unseen.has(modules)).map(moveAside));
      }
    }
    return [...notes, ...files.check()];
  }

  /** Without stand-ins: empty ones are removed, and others belong to a person. */
  function updateCleanup(): void {
    options.onWatch({ missing: [...missing], files: files.pristine() });
  }

  function forget(): void {
    for (const each of [
      missing,
      missingIn,
      existing,
      folderStamps,
      standIns,
      links,
      closed,
      starts,
      places,
      repositories,
      unseen,
      files,
      folders,
    ])
      each.clear();
    forgotten = last;
    last = undefined;
    begun = undefined;
    options.onWatch(null);
    const actions = settled;
    settled = [];
    for (const action of actions) action();
  }

  /** Soon, because the model waits for the result. The next command looks first, if it comes before that. */
  function settleSoon(): void {
    clearTimeout(timer);
    isSettling = true;
    timer = setTimeout(settleNow, SETTLE_MS);
    timer.unref();
  }

  function settleNow(): void {
    if (!isSettling) return;
    isSettling = false;
    if (running === 0) settle(survivors.anyNew());
  }

  /** No command is running. If no child is left either, later changes are not made by commands. */
  function settle(isLeft: boolean): void {
    if (!isLeft) forget();
    clearTimeout(timer);
    timer = setTimeout(lookAgain, RECHECK_MS);
    timer.unref();
  }

  function lookAgain(): void {
    if (running > 0) return;
    const notes = check();
    unreported.push(...notes);
    for (const note of notes) options.warn(note);
    const isLeft = survivors.any();
    if (!isLeft) return forget();
    // A process was missed when the state was cleared.
    if (forgotten) add(forgotten);
    updateCleanup();
    settle(isLeft);
  }

  /** `toKeep`: how the command's changes could be kept. */
  function end(toKeep: string): string[] {
    running--;
    const notes = [...unreported.splice(0), ...check()];
    if (running === 0) settleSoon();
    if (canBeApproved) notes.push(toKeep);
    canBeApproved = false;
    return notes;
  }

  return {
    begin(guarded) {
      // Commands that start together have one look at what is guarded.
      const isWithLast = begun === guarded;
      if (!isWithLast) {
        settleNow();
        unreported.push(...check());
      }
      running++;
      if (!isWithLast) {
        add(guarded);
        updateCleanup();
        begun = guarded;
      }
      return { end: () => end(APPROVE) };
    },
    beginApproved(command, keptFolders) {
      settleNow();
      unreported.push(...check());
      running++;
      for (const path of keptFolders) folders.add(path);
      const words = command.toLowerCase();
      approved.push(words);
      return {
        end() {
          const earlier = [...unreported.splice(0), ...folders.check()];
          canBeApproved = false;
          const notes = end(STILL_RUNNING);
          approved.splice(approved.indexOf(words), 1);
          return [...earlier, ...notes];
        },
      };
    },
    check() {
      settleNow();
      const notes = check();
      unreported.push(...notes);
      if (last) updateCleanup();
      return notes.length > 0;
    },
    whenSettled: (action) => void settled.push(action),
    close() {
      clearTimeout(timer);
      isSettling = false;
      for (const note of check()) options.warn(note);
      forget();
      folders.close();
    },
  };
}

/** File times tick every few milliseconds, so a more recent time may hide a change. */
const TICK_MS = 50;

/** Empty if the folder does not exist, is a link, or changed just now. */
function settledStamp(folder: string): string {
  const entry = lstatOrNull(folder);
  return entry?.isDirectory() && Date.now() - entry.ctimeMs > TICK_MS ? fileStamp(entry) : "";
}

function isUntouched(folder: string): boolean {
  return folderNames(folder).length === 0;
}
