// The shield: commands see the whole machine, except that denied files are hidden and guarded paths cannot be changed.
// It uses no pid namespace because `&` children of a command may outlive it.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "@keelson/engine";
import type { CrashCleanup } from "../watch/crash-cleanup.ts";
import { bubblewrapArgv, type Covers } from "./bubblewrap.ts";
import { createDeniedFiles, withFormer, type Denied, type DeniedFiles, type DenyOptions } from "../denied/denied.ts";
import { findGuarded, NOTHING_GUARDED, type Guarded } from "../guarded/guarded.ts";
import { createDevices, usedTerminals, type Devices } from "./devices.ts";
import { seatbeltArgv } from "./seatbelt.ts";
import { comparingLikenesses, createLikeness, createMask } from "./mask.ts";
import { createOtherNames } from "./other-mounts.ts";
import { createCell, DROPPED_NAMES, kernelFiles } from "./cell.ts";
import { createForeignSockets, type ForeignSockets } from "../sockets/sockets.ts";
import { gaveUpForVanished, removePlaceholders } from "../sockets/vanished.ts";
import { createStandIns, type HeldStandIn } from "./stand-in.ts";
import { shieldStatus, type ShieldStatus } from "./status.ts";
import { deniedNotes, untrackedNotes } from "../denied/denied-notes.ts";
import { createTrackedFiles, trackedIn, type TrackedFiles } from "../denied/git-index.ts";
import { createWriteFolders } from "../denied/write-folder.ts";
import { deniesWriting } from "../denied/deny-pattern.ts";
import { createWatch } from "../watch/watch.ts";

export interface ShieldOptions extends DenyOptions {
  readonly configDir: string;
  /** PATH, to find bubblewrap. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bwrapPath?: string;
  /** Files and folders that configure this session. Called before each command. */
  governing?(): readonly string[];
  /** Programs that run outside the shield, and names that must not become one. Called after `governing`. */
  programs?(): readonly string[];
  /** The file of one of our own programs, as it was; null if commands could have changed it. */
  helper?(name: string): string | null;
  /** From the settings: sockets of other programs that commands may connect to. */
  allowedSockets?(): readonly string[];
  /** Called when the shield is found to work, before the first command. */
  onActive?(): void;
  /** What the rules of a subagent deny besides. The same object at each call; undefined if it has none of its own. */
  rulesOf?(owner: string): AgentDenyRules | undefined;
  /** Whether we wrote this file with the user's approval, and it has not changed since. */
  wroteOurselves?(path: string): boolean;
}

interface BusFilter {
  readonly path: string;
  close(): void;
}

export type AgentDenyRules = Pick<DenyOptions, "rules" | "mayRead">;

export interface Shielded {
  readonly argv: string[];
  /** bubblewrap stays as the parent of the command; Seatbelt is replaced by it. */
  readonly isWrapper: boolean;
  /** Sockets of other programs, which it cannot reach. */
  readonly hiddenSockets: readonly string[];
  /** Whether nothing of it ran, because the machine changed while it was being started: start it again. Call before `leave`. */
  mustStartAgain(result: CommandResult): boolean;
  /** Call when the command has ended; its children may still run. Reverts forbidden changes and reports them. */
  leave(result: CommandResult): string[];
}

export interface CommandResult {
  readonly text: string;
  readonly code: number | null;
}

export interface ShieldedCommand {
  readonly cwd: string;
  readonly command: string;
  /** The subagent that runs it. */
  readonly owner?: string | undefined;
  /** False if the user allowed this command to change guarded paths. */
  readonly guarded: boolean;
}

export interface SandboxPaths {
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
  /** Call when the command has ended. Reverts forbidden changes and reports them. */
  leave(): string[];
  /** Call when its children have ended too. */
  release(): void;
}

export interface Shield {
  /** Runs a trial the first time, about 3 ms. */
  status(): Promise<ShieldStatus>;
  /** Makes the files that commands here need, and loads what looks for them. What it finds is not kept. */
  prepare(cwd: string): Promise<void>;
  /** Whether every denied file is hidden from a command that starts here. First reverts changes by children of earlier ones. */
  hidesAll(cwd: string, owner?: string): Promise<boolean>;
  /** Null if there is no shield. */
  wrap(argv: readonly string[], options: ShieldedCommand): Promise<Shielded | null>;
  /** The paths for another kind of sandbox. */
  paths(command: Omit<ShieldedCommand, "command">): Promise<SandboxPaths>;
  /** Reverts changes by children of earlier commands, and removes what is only there for commands. True if there were any. */
  check(): boolean;
  close(): Promise<void>;
}

interface Began {
  /** Part of the name of the folder, which every shielded process has mounted. */
  readonly mark: string;
  folder(): string;
  /** It was started before this was loaded. */
  readonly trial?: Promise<ShieldStatus> | undefined;
}

export function createShield(
  options: ShieldOptions,
  { mark, folder, trial: first }: Began,
  crashCleanup: CrashCleanup,
): Shield {
  const denied = createDeniedFiles(options);
  const ofAgents = new WeakMap<AgentDenyRules, DeniedFiles>();
  /** What is denied to the session, and to the agent. */
  async function findDenied(cwd: string, owner: string | undefined): Promise<Denied> {
    const rules = owner === undefined ? undefined : options.rulesOf?.(owner);
    if (!rules) return denied.find(cwd);
    let own = ofAgents.get(rules);
    if (!own) ofAgents.set(rules, (own = createDeniedFiles({ ...options, ...rules })));
    const [all, more] = [await denied.find(cwd), await own.find(cwd)];
    return {
      files: [...new Set([...all.files, ...more.files])],
      folders: [...new Set([...all.folders, ...more.folders])],
      above: [...new Set([...all.above, ...more.above])],
      complete: all.complete && more.complete,
    };
  }
  const otherNames = createOtherNames();
  const standIns = createStandIns((path) => crashCleanup.remove(path));
  const watch = createWatch({
    mark,
    wroteOurselves: (path) => options.wroteOurselves?.(path) === true,
    mayBeEmpty: () => isSandboxed,
    warn: options.warn,
    onWatch: (pristine) => crashCleanup.restore(pristine),
  });
  let ready: Promise<ShieldStatus> | undefined;
  let earlier = first;
  let mask: Promise<string> | undefined;
  let devices: Devices | undefined;
  const trackedNear = createTrackedFiles();
  const writeFolders = createWriteFolders({ among: folder, warn: options.warn, trackedNear });
  const gitSettingsInEnv = Number(options.env["GIT_CONFIG_COUNT"]) || 0;
  const foreignSockets = createForeignSockets({
    home: options.home,
    env: options.env,
    mark,
    directories: options.directories,
    ...(options.allowedSockets ? { allowed: options.allowedSockets } : {}),
  });
  let filter: Promise<BusFilter | null> | undefined;
  let together: { readonly key: string; readonly found: ReturnType<typeof look> } | undefined;
  let isSandboxed = false;
  let isClosed = false;
  let running = 0;

  const status = () => (ready ??= start());

  async function start(): Promise<ShieldStatus> {
    const trial = earlier ?? shieldStatus({ path: options.env["PATH"], bwrapPath: options.bwrapPath });
    earlier = undefined;
    // Looked up while the trial runs, which takes about as long.
    options.governing?.();
    const found = await trial;
    if (found.starved) {
      ready = undefined; // may have passed at the next command
      return found;
    }
    if (found.active) options.onActive?.();
    else {
      options.warn(`Commands run without the shield; only permission rules protect files: ${found.reason}`);
    }
    if (found.kind !== "bubblewrap") return found;
    if (found.reason === undefined) devices = createDevices();
    else options.warn(`Commands can write to your terminal: ${found.reason}`);
    return found;
  }

  /** Those in hidden folders, which git finds missing. */
  function trackedHidden({ folders }: Denied): TrackedFiles {
    return new Map(folders.flatMap((path) => [...trackedIn(path, trackedNear(path))]));
  }

  /** For root they would be no masks. */
  function likenesses(files: readonly string[]): ReadonlyMap<string, string> {
    if (process.getuid?.() === 0) return new Map();
    return new Map(
      files.flatMap((path) => {
        const file = trackedNear(path).get(path);
        return file ? [[path, createLikeness(folder(), file)] as const] : [];
      }),
    );
  }

  async function hold({ missingFolders }: Guarded): Promise<HeldStandIn[]> {
    if ((await status()).kind !== "bubblewrap") return [];
    const held = await Promise.all(missingFolders.map((path) => standIns.hold(path)));
    return held.filter((one) => one !== null);
  }

  /** What hides the sockets. Without a filter the bus is hidden too. */
  async function hideSockets({ hidden, bus }: ForeignSockets): Promise<Pick<Covers, "hiddenFiles" | "bus">> {
    const opened = bus === undefined ? null : await (filter ??= openFilter(bus));
    if (bus === undefined || opened === null) return { hiddenFiles: hidden };
    return { hiddenFiles: hidden.filter((path) => path !== bus), bus: { at: bus, filter: opened.path } };
  }

  async function openFilter(bus: string): Promise<BusFilter | null> {
    const { openBusFilter } = await import("../sockets/bus.ts");
    const path = join(folder(), "bus");
    return openBusFilter(path, bus).then(
      ({ close }) => ({ path, close }),
      () => null, // the name is too long for a socket
    );
  }

  function guardedFrom(cwd: string, directories: readonly string[]): Guarded {
    const { home, configDir } = options;
    const governing = [folder(), ...(options.governing?.() ?? [])];
    return findGuarded({
      directories,
      cwd,
      home,
      env: options.env,
      configDir,
      governing,
      programs: options.programs?.(),
    });
  }

  /** What is hidden from a command and protected from it now. */
  async function look({ cwd, owner, guarded: isGuarded }: Omit<ShieldedCommand, "command">) {
    const hidden = await findDenied(cwd, owner);
    standIns.releaseUsed();
    const places = withFormer(options.directories(), options.former?.());
    const { keptFolders, ...paths } = isGuarded ? guardedFrom(cwd, places) : NOTHING_GUARDED;
    const guarded: Guarded = { ...paths, keptFolders: [...keptFolders, ...hidden.above] };
    const held = await hold(guarded);
    const isBubblewrap = (await status()).kind === "bubblewrap";
    const foreign = isBubblewrap ? foreignSockets(!isGuarded) : { hidden: [], folders: [] };
    const sockets = await hideSockets(foreign);
    const rules = [...options.rules(), ...(owner === undefined ? [] : (options.rulesOf?.(owner)?.rules() ?? []))];
    const isFixedByRule = (path: string) => deniesWriting(path, rules, { directories: places, home: options.home });
    const isOpen = (path: string) => isWritable(path, places, guarded) && !isFixedByRule(path);
    const tracked = isBubblewrap ? trackedHidden(hidden) : new Map();
    return { hidden, guarded, held, foreign, sockets, isOpen, tracked, withOthers: otherNames() };
  }

  /** The commands of one reply start together: one look is for all of them, until the first one starts. */
  function lookTogether(command: Omit<ShieldedCommand, "command">): ReturnType<typeof look> {
    const key = JSON.stringify([command.cwd, command.owner, command.guarded]);
    if (together?.key === key) return together.found;
    const mine = { key, found: look(command) };
    together = mine;
    setImmediate(() => {
      if (together === mine) together = undefined;
    });
    return mine.found;
  }

  async function close(): Promise<void> {
    isClosed = true;
    watch.close();
    standIns.releaseAll();
    await mask;
    mask = undefined;
    (await filter)?.close();
    filter = undefined;
  }

  return {
    status,
    async prepare(cwd) {
      const { kind, hasCell } = await status();
      if (kind !== "bubblewrap" || isClosed) return;
      // What fails here fails again with the command, which says so.
      await (mask ??= createMask(folder()));
      if (isClosed) return;
      if (hasCell) writeCell(folder(), false);
      devices?.({ approved: false });
      await findDenied(cwd, undefined);
      if (isClosed) return;
      guardedFrom(cwd, withFormer(options.directories(), options.former?.()));
      foreignSockets(false);
    },
    async hidesAll(cwd, owner) {
      watch.check();
      const { active, starved } = await status();
      // What cannot be shielded for the moment does not run at all.
      return (active || starved === true) && (await findDenied(cwd, owner)).complete;
    },
    async wrap(argv, { cwd, command, owner, guarded: isGuarded }) {
      const { kind, program, starved, reason, hasCell } = await status();
      if (starved) throw new ToolError(`The command was not run, because it could not be shielded: ${reason}`);
      if (kind === "none") return null;
      const { hidden, guarded, held, foreign, sockets, isOpen, tracked, withOthers } = await lookTogether({
        cwd,
        owner,
        guarded: isGuarded,
      });
      if (kind === "seatbelt") {
        return {
          argv: seatbeltArgv(guarded, hidden, usedTerminals(), argv),
          isWrapper: false,
          hiddenSockets: [],
          mustStartAgain: () => false,
          leave: (result) => deniedNotes(result, { hidden, writable: [], cwd, options, trackedNear }),
        };
      }
      const cover = await (mask ??= createMask(folder()));
      const marked = folder();
      const fixed = [...guarded.readOnly, ...held.map(({ path }) => path)].filter((path) => path !== marked);
      const writable = writeFolders.open(hidden.folders.filter(isOpen));
      const masks = likenesses(hidden.files);
      const isRoot = process.getuid?.() === 0;
      const cell = hasCell ? writeCell(marked, !isGuarded) : null;
      const kernel = isRoot && isGuarded && cell === null ? kernelFiles() : [];
      const covers: Covers = {
        ...sockets,
        hiddenFiles: withOthers([...hidden.files, ...sockets.hiddenFiles]),
        hiddenFolders: withOthers([
          ...hidden.folders.filter((path) => !writable.paths.includes(path)),
          ...foreign.folders,
        ]),
        writeOnly: writable.folders.flatMap(({ path, source }) =>
          withOthers([path]).map((name) => ({ path: name, source })),
        ),
        readOnly: [...kernel, ...withOthers(fixed.filter((path) => !isHidden(path, hidden)))],
        pinned: withOthers(guarded.pinned.filter((path) => !isHidden(path, hidden))),
      };
      // A command that comes later looks again: this one may have changed something by then.
      together = undefined;
      const watched = isGuarded ? watch.begin(guarded) : watch.beginApproved(command, hidden.above);
      // It finds what the user would find.
      if (!isGuarded) standIns.releaseAll();
      watch.whenSettled(() => {
        release(held);
        writable.close();
      });
      running++;
      const since = Date.now();
      const clean = () => removePlaceholders(sockets.hiddenFiles, since);
      if (sockets.hiddenFiles.length > 0) setTimeout(clean, PLACEHOLDER_MS).unref();
      return {
        argv: bubblewrapArgv(
          {
            program: program!,
            covers,
            mask: cover,
            masks,
            variables: masks.size + writable.likenesses > 0 ? comparingLikenesses(gitSettingsInEnv) : [],
            marked,
            devices: devices?.({ approved: !isGuarded }) ?? [],
            dropped: isRoot && cell === null ? DROPPED_NAMES : [],
            cell,
          },
          argv,
        ),
        isWrapper: true,
        hiddenSockets: foreign.hidden,
        mustStartAgain: (result) => gaveUpForVanished([...sockets.hiddenFiles, ...foreign.folders], result),
        leave(result) {
          clean();
          const notes = [
            ...writable.carry(),
            ...deniedNotes(result, { hidden, writable: writable.paths, cwd, options, trackedNear }),
          ];
          if (tracked.size > 0) notes.push(...untrackedNotes(tracked, trackedHidden(hidden)));
          notes.push(...watched.end());
          running--;
          // Git removes a worktree when the session is over. What comes next begins with a new folder.
          if (isClosed && running === 0) {
            watch.close();
            standIns.releaseAll();
            mask = undefined;
            rmSync(folder(), { recursive: true, force: true });
          }
          return notes;
        },
      };
    },
    async paths({ cwd, owner, guarded: isGuarded }) {
      const { files, folders } = await findDenied(cwd, owner);
      const withOthers = otherNames();
      const hidden = withOthers([...files, ...folders]);
      if (!isGuarded) return { hidden, readOnly: [], leave: () => [], release() {} };
      standIns.releaseUsed();
      // Where the session worked before, the full sandbox lets no one write.
      const guarded = guardedFrom(cwd, options.directories());
      const held = await hold(guarded);
      const { missingFolders, missingFiles, gitSettings } = guarded;
      // A folder around the one where the session works is read-only except for that one, which the sandbox sees to.
      const isAround = (path: string) => options.directories().some((each) => each.startsWith(`${path}/`));
      const readOnly = guarded.readOnly.filter((path) => !isAround(path));
      const fixed = withOthers([...readOnly, ...missingFolders, ...gitSettings.filter((path) => existsSync(path))]);
      if ((await status()).kind === "seatbelt") {
        return { hidden, readOnly: [...fixed, ...missingFiles], leave: () => [], release() {} };
      }
      // A missing file could only be covered by one that programs would find and read.
      isSandboxed = true;
      const watched = watch.begin(guarded);
      return { hidden, readOnly: fixed, leave: () => watched.end(), release: () => release(held) };
    },
    check() {
      const isReverted = watch.check();
      standIns.releaseAll();
      return isReverted;
    },
    close,
  };
}

/** bubblewrap has set up everything by then, as a rule. */
const PLACEHOLDER_MS = 100;

function writeCell(folder: string, approved: boolean): string | null {
  try {
    return createCell(folder, { approved });
  } catch (error) {
    throw new ToolError(`The command was not run, because it could not be shielded: ${(error as Error).message}`);
  }
}

function release(held: readonly HeldStandIn[]): void {
  for (const one of held) one.release();
}

/** Whether what a command writes to this hidden folder may be kept: nobody else relies on it, and no guarded path is in it. */
function isWritable(path: string, directories: readonly string[], guarded: Guarded): boolean {
  const isIn = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  if (!directories.some((directory) => isIn(path, directory))) return false;
  const { readOnly, pinned, links, gitSettings, contents, closedFolders, missingFiles, missingFolders } = guarded;
  const all = [readOnly, pinned, links, gitSettings, contents, closedFolders, missingFiles, missingFolders].flat();
  if (all.some((each) => isIn(each, path))) return false;
  const around = (paths: readonly string[]) =>
    Math.max(0, ...paths.filter((each) => isIn(path, each)).map((each) => each.length));
  return around([...readOnly, ...closedFolders, ...missingFolders]) <= around(pinned);
}

function isHidden(path: string, { files, folders }: Denied): boolean {
  return files.includes(path) || folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
