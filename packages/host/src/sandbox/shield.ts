// The shield: every command sees the machine as it is, but for denied files, which are hidden, and guarded paths, which
// it cannot change. No pid namespace, on purpose: a command's `&` children are meant to outlive it.

import { existsSync, unlinkSync } from "node:fs";
import { bubblewrapArgv, type Covers } from "./bubblewrap.ts";
import { createDeniedFiles, type Denied, type DenyOptions } from "./denied.ts";
import { findGuarded, type Guarded, type GuardPlaces } from "./guarded.ts";
import { seatbeltArgv } from "./seatbelt.ts";
import { createMask } from "./mask.ts";
import { createStandIns, type Held } from "./stand-in.ts";
import { tryShield, type ShieldStatus } from "./status.ts";
import { setTripwire } from "./tripwire.ts";

export interface ShieldOptions extends DenyOptions {
  readonly configDir: string;
  /** PATH, to find bubblewrap. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bwrapPath?: string;
  /** Whether we wrote this file ourselves, with somebody's word, while a command ran. Then it is not set aside. */
  wroteOurselves?(path: string): boolean;
}

export interface Shielded {
  readonly argv: string[];
  /** bubblewrap stays as the parent of the command; Seatbelt makes way for it. */
  readonly isKeeper: boolean;
  /** The command has ended: puts things back, and says what it had to undo. */
  leave(): string[];
}

export interface Shield {
  /** Tries it out the first time, about 3 ms. */
  status(): Promise<ShieldStatus>;
  /** Whether a command that starts here would find every denied file hidden. */
  hidesAll(cwd: string): Promise<boolean>;
  /** Null where there is no shield. `guarded: false`: somebody allowed this command to change guarded paths. */
  wrap(argv: readonly string[], options: { readonly cwd: string; readonly guarded: boolean }): Promise<Shielded | null>;
  /** What a sandbox of another kind should keep from a command. To be left when the command has ended. */
  paths(cwd: string): Promise<{ readonly denied: Denied; readonly guarded: Guarded; leave(): void }>;
  close(): Promise<void>;
}

/**
 * `mark` is in the name of a file that every shielded process has mounted, wherever it moved to.
 * `onLeftover` is told of what has to be put away should we be killed.
 */
export function createShield(options: ShieldOptions, mark: string, onLeftover: (path: string) => void): Shield {
  const denied = createDeniedFiles(options);
  const standIns = createStandIns(onLeftover);
  /** Guarded files that came into being with somebody's word, and those that may at this moment. */
  const accepted = new Set<string>();
  const awaited = new Map<symbol, readonly string[]>();
  let ready: Promise<ShieldStatus> | undefined;
  let mask: Promise<string> | undefined;

  const status = () => (ready ??= start());

  async function start(): Promise<ShieldStatus> {
    const found = await tryShield({ path: options.env["PATH"], bwrapPath: options.bwrapPath });
    if (!found.active) {
      options.warn(`Commands run without the shield, by rules alone: ${found.reason}`);
    }
    return found;
  }

  async function makeMask(): Promise<string> {
    const path = await createMask(mark);
    onLeftover(path);
    return path;
  }

  async function hold({ missingFolders }: Guarded): Promise<Held[]> {
    if ((await status()).kind !== "bubblewrap") return [];
    const held = await Promise.all(missingFolders.map((path) => standIns.hold(path)));
    return held.filter((one) => one !== null);
  }

  function places(cwd: string): GuardPlaces {
    return { directories: options.directories(), cwd, home: options.home, configDir: options.configDir };
  }

  return {
    status,
    hidesAll: async (cwd) => (await status()).active && (await denied.find(cwd)).complete,
    async wrap(argv, { cwd, guarded: isGuarded }) {
      const { kind, program } = await status();
      if (kind === "none") return null;
      const cover = kind === "bubblewrap" ? await (mask ??= makeMask()) : "";
      const hidden = await denied.find(cwd);
      const found = findGuarded(places(cwd));
      const guarded = isGuarded ? found : NOTHING_GUARDED;
      const held = await hold(guarded);
      const covers: Covers = {
        hiddenFiles: hidden.files,
        hiddenFolders: hidden.folders,
        readOnly: [...guarded.readOnly, ...held.map(({ path }) => path)].filter((path) => !isHidden(path, hidden)),
        pinned: guarded.pinned.filter((path) => !isHidden(path, hidden)),
      };
      if (kind === "seatbelt") {
        const absent = [...guarded.missingFiles, ...guarded.missingFolders, ...guarded.links];
        return { argv: seatbeltArgv({ covers, absent }, argv), isKeeper: false, leave: () => [] };
      }
      const call = Symbol();
      if (!isGuarded) awaited.set(call, found.missingFiles);
      const isAccepted = (path: string) =>
        accepted.has(path) ||
        [...awaited.values()].some((paths) => paths.includes(path)) ||
        options.wroteOurselves?.(path) === true;
      const tripwire = setTripwire(guarded.missingFiles, guarded.links, isAccepted);
      const isRoot = process.getuid?.() === 0;
      return {
        argv: bubblewrapArgv({ program: program!, covers, mask: cover, isRoot }, argv),
        isKeeper: true,
        leave() {
          release(held);
          awaited.delete(call);
          if (!isGuarded)
            for (const path of found.missingFiles.filter((missing) => existsSync(missing))) accepted.add(path);
          return tripwire.check();
        },
      };
    },
    async paths(cwd) {
      const guarded = findGuarded(places(cwd));
      const held = await hold(guarded);
      return { denied: await denied.find(cwd), guarded, leave: () => release(held) };
    },
    async close() {
      const path = await mask;
      if (path && existsSync(path)) unlinkSync(path);
    },
  };
}

const NOTHING_GUARDED: Guarded = { readOnly: [], pinned: [], missingFolders: [], missingFiles: [], links: [] };

function release(held: readonly Held[]): void {
  for (const one of held) one.release();
}

function isHidden(path: string, { files, folders }: Denied): boolean {
  return files.includes(path) || folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
