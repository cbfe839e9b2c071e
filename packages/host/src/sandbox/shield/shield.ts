// The shield: every command sees the machine as it is, but for denied files, which are hidden, and guarded paths, which
// it cannot change. No pid namespace, on purpose: a command's `&` children are meant to outlive it.

import { existsSync, unlinkSync } from "node:fs";
import type { CrashCleanup } from "../watch/crash-cleanup.ts";
import { bubblewrapArgv, type Covers } from "./bubblewrap.ts";
import { createDeniedFiles, type Denied, type DenyOptions } from "../denied/denied.ts";
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
  /** Files and folders in force, whatever their names are. Asked before each command. */
  governing?(): readonly string[];
  /** Whether we wrote this file ourselves, with somebody's approval, and it is still as we left it. */
  wroteOurselves?(path: string): boolean;
}

export interface Shielded {
  readonly argv: string[];
  /** bubblewrap stays as the parent of the command; Seatbelt makes way for it. */
  readonly isWrapper: boolean;
  /** The command has ended, though children of it may go on: puts things back, and says what had to be undone. */
  leave(): string[];
}

export interface ShieldedCommand {
  readonly cwd: string;
  readonly command: string;
  /** False: somebody allowed this command to change guarded paths. */
  readonly guarded: boolean;
}

export interface Shield {
  /** Tries it out the first time, about 3 ms. */
  status(): Promise<ShieldStatus>;
  /** Whether a command that starts here would find every denied file hidden. */
  hidesAll(cwd: string): Promise<boolean>;
  /** Null where there is no shield. */
  wrap(argv: readonly string[], options: ShieldedCommand): Promise<Shielded | null>;
  /** What a sandbox of another kind should keep from a command. To be left when the command has ended. */
  paths(cwd: string): Promise<{ readonly denied: Denied; readonly guarded: Guarded; leave(): void }>;
  /** Undoes what children of earlier commands changed since. True when there was something. */
  check(): boolean;
  close(): Promise<void>;
}

/** `mark` is in the name of a file that every shielded process has mounted, wherever it moved to. */
export function createShield(options: ShieldOptions, mark: string, crashCleanup: CrashCleanup): Shield {
  const denied = createDeniedFiles(options);
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
      options.warn(`Commands run without the shield, by rules alone: ${found.reason}`);
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

  function guardedFrom(cwd: string): Guarded {
    const { home, configDir } = options;
    return findGuarded({ directories: options.directories(), cwd, home, configDir, governing: options.governing?.() });
  }

  return {
    status,
    hidesAll: async (cwd) => (await status()).active && (await denied.find(cwd)).complete,
    async wrap(argv, { cwd, command, guarded: isGuarded }) {
      const { kind, program } = await status();
      if (kind === "none") return null;
      const cover = kind === "bubblewrap" ? await (mask ??= makeMask()) : "";
      const hidden = await denied.find(cwd);
      const guarded = isGuarded ? guardedFrom(cwd) : NOTHING_GUARDED;
      if (kind === "seatbelt") return { argv: seatbeltArgv(guarded, hidden, argv), isWrapper: false, leave: () => [] };
      const held = await hold(guarded);
      const covers: Covers = {
        hiddenFiles: hidden.files,
        hiddenFolders: hidden.folders,
        readOnly: [...guarded.readOnly, ...held.map(({ path }) => path)].filter((path) => !isHidden(path, hidden)),
        pinned: guarded.pinned.filter((path) => !isHidden(path, hidden)),
      };
      const isRoot = process.getuid?.() === 0;
      const watched = isGuarded ? watch.begin(guarded) : watch.beginApproved(command);
      watch.whenSettled(() => release(held));
      return {
        argv: bubblewrapArgv({ program: program!, covers, mask: cover, isRoot }, argv),
        isWrapper: true,
        leave: () => watched.end(),
      };
    },
    async paths(cwd) {
      const guarded = guardedFrom(cwd);
      const held = await hold(guarded);
      return { denied: await denied.find(cwd), guarded, leave: () => release(held) };
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
