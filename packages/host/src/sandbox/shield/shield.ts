// The shield: commands see the whole machine, except that denied files are hidden and guarded paths cannot be changed.
// It uses no pid namespace because `&` children of a command may outlive it.

import { existsSync, unlinkSync } from "node:fs";
import type { CrashCleanup } from "../watch/crash-cleanup.ts";
import { bubblewrapArgv, type Covers } from "./bubblewrap.ts";
import { createDeniedFiles, withFormer, type Denied, type DeniedFiles, type DenyOptions } from "../denied/denied.ts";
import { findGuarded, NOTHING_GUARDED, type Guarded } from "../guarded/guarded.ts";
import { seatbeltArgv } from "./seatbelt.ts";
import { createMask } from "./mask.ts";
import { createStandIns, type HeldStandIn } from "./stand-in.ts";
import { shieldStatus, type ShieldStatus } from "./status.ts";
import { createWatch } from "../watch/watch.ts";

export interface ShieldOptions extends DenyOptions {
  readonly configDir: string;
  /** PATH, to find bubblewrap. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bwrapPath?: string;
  /** Files and folders that configure this session. Called before each command. */
  governing?(): readonly string[];
  /** What the rules of a subagent deny besides. The same object at each call; undefined if it has none of its own. */
  rulesOf?(owner: string): AgentDenyRules | undefined;
  /** Whether we wrote this file with the user's approval, and it has not changed since. */
  wroteOurselves?(path: string): boolean;
}

export type AgentDenyRules = Pick<DenyOptions, "rules" | "mayRead">;

export interface Shielded {
  readonly argv: string[];
  /** bubblewrap stays as the parent of the command; Seatbelt is replaced by it. */
  readonly isWrapper: boolean;
  /** Call when the command has ended; its children may still run. Reverts forbidden changes and reports them. */
  leave(): string[];
}

export interface ShieldedCommand {
  readonly cwd: string;
  readonly command: string;
  /** The subagent that runs it. */
  readonly owner?: string | undefined;
  /** False if the user allowed this command to change guarded paths. */
  readonly guarded: boolean;
}

export interface Shield {
  /** Runs a trial the first time, about 3 ms. */
  status(): Promise<ShieldStatus>;
  /** Whether every denied file is hidden from a command that starts here. */
  hidesAll(cwd: string, owner?: string): Promise<boolean>;
  /** Null if there is no shield. */
  wrap(argv: readonly string[], options: ShieldedCommand): Promise<Shielded | null>;
  /** The paths for another kind of sandbox. Call `leave` when the command has ended. */
  paths(cwd: string, owner?: string): Promise<{ readonly denied: Denied; readonly guarded: Guarded; leave(): void }>;
  /** Reverts changes by children of earlier commands. True if there were any. */
  check(): boolean;
  close(): Promise<void>;
}

/** `mark` is part of the name of a file that every shielded process has mounted. */
export function createShield(options: ShieldOptions, mark: string, crashCleanup: CrashCleanup): Shield {
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
  const standIns = createStandIns((path) => crashCleanup.remove(path));
  const watch = createWatch({
    mark,
    wroteOurselves: (path) => options.wroteOurselves?.(path) === true,
    warn: options.warn,
    onWatch: (pristine) => crashCleanup.restore(pristine),
  });
  let ready: Promise<ShieldStatus> | undefined;
  let mask: Promise<string> | undefined;

  const status = () => (ready ??= start());

  async function start(): Promise<ShieldStatus> {
    const found = await shieldStatus({ path: options.env["PATH"], bwrapPath: options.bwrapPath });
    if (!found.active) {
      options.warn(`Commands run without the shield; only permission rules protect files: ${found.reason}`);
    }
    return found;
  }

  async function makeMask(): Promise<string> {
    const path = await createMask(mark);
    crashCleanup.remove(path);
    return path;
  }

  async function hold({ missingFolders }: Guarded): Promise<HeldStandIn[]> {
    if ((await status()).kind !== "bubblewrap") return [];
    const held = await Promise.all(missingFolders.map((path) => standIns.hold(path)));
    return held.filter((one) => one !== null);
  }

  function guardedFrom(cwd: string, directories: readonly string[]): Guarded {
    const { home, configDir } = options;
    return findGuarded({ directories, cwd, home, configDir, governing: options.governing?.() });
  }

  return {
    status,
    hidesAll: async (cwd, owner) => (await status()).active && (await findDenied(cwd, owner)).complete,
    async wrap(argv, { cwd, command, owner, guarded: isGuarded }) {
      const { kind, program } = await status();
      if (kind === "none") return null;
      const cover = kind === "bubblewrap" ? await (mask ??= makeMask()) : "";
      const hidden = await findDenied(cwd, owner);
      const { keptFolders, ...paths } = isGuarded
        ? guardedFrom(cwd, withFormer(options.directories(), options.former?.()))
        : NOTHING_GUARDED;
      const guarded: Guarded = { ...paths, keptFolders: [...keptFolders, ...hidden.above] };
      if (kind === "seatbelt") return { argv: seatbeltArgv(guarded, hidden, argv), isWrapper: false, leave: () => [] };
      const held = await hold(guarded);
      const covers: Covers = {
        hiddenFiles: hidden.files,
        hiddenFolders: hidden.folders,
        readOnly: [...guarded.readOnly, ...held.map(({ path }) => path)].filter((path) => !isHidden(path, hidden)),
        pinned: guarded.pinned.filter((path) => !isHidden(path, hidden)),
      };
      const isRoot = process.getuid?.() === 0;
      const watched = isGuarded ? watch.begin(guarded) : watch.beginApproved(command, hidden.above);
      watch.whenSettled(() => release(held));
      return {
        argv: bubblewrapArgv({ program: program!, covers, mask: cover, isRoot }, argv),
        isWrapper: true,
        leave: () => watched.end(),
      };
    },
    async paths(cwd, owner) {
      // Where the session worked before, the full sandbox lets no one write.
      const guarded = guardedFrom(cwd, options.directories());
      const held = await hold(guarded);
      return { denied: await findDenied(cwd, owner), guarded, leave: () => release(held) };
    },
    check: () => watch.check(),
    async close() {
      watch.close();
      crashCleanup.close();
      const path = await mask;
      if (path && existsSync(path)) unlinkSync(path);
    },
  };
}

function release(held: readonly HeldStandIn[]): void {
  for (const one of held) one.release();
}

function isHidden(path: string, { files, folders }: Denied): boolean {
  return files.includes(path) || folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
