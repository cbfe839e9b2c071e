// The devices that commands get behind the shield: a new /dev with terminals of their own, and everything in the machine's
// that they could open anyway, except terminals, disks, and what controls the machine or types for the user.

import { accessSync, constants, fstatSync, lstatSync, readdirSync, readlinkSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

export interface DeviceOptions {
  /** The user approved the command: then it gets disks and the like, but no terminal. */
  readonly approved: boolean;
}

/** Arguments for bubblewrap. Looks at /dev again when it changed. */
export type Devices = (options: DeviceOptions) => readonly string[];

/** What bubblewrap puts into a new /dev itself. */
const BUILT_IN = /^(?:null|zero|full|random|urandom|tty|fd|stdin|stdout|stderr|core|ptmx|pts)$/;
const TERMINAL = /^(?:console|tty(?:\d+|[a-z]\w*)|pty\w+|vcs\w*|hvc\d+|xvc\d+)$/;
/** Serial ports may be consoles; serial adapters are ordinary devices. */
const CONTROL =
  /^(?:tty(?!USB|ACM)[A-Z]\w*|kmsg|mem|kmem|port|nvram|snapshot|autofs|btrfs-control|loop-control|mapper|disk|block|char|cpu|cpu_dma_latency|mcelog|watchdog\d*|hpet|rtc\d*|hwrng|uinput|uhid|userio|vga_arbiter|userfaultfd|vsock|vhost-vsock|ecryptfs|bsg|sg\d+|ng\d+n\d+|nvme\d+)$/;

export function createDevices(folder = "/dev"): Devices {
  const ours = ownTerminals();
  const known = new Map<boolean, { readonly changed: number; readonly args: readonly string[] }>();
  return ({ approved }) => {
    const changed = statSync(folder).mtimeMs;
    const last = known.get(approved);
    if (last?.changed === changed) return last.args;
    const args = ["--dev", folder, ...readdirSync(folder).flatMap((name) => deviceArgs(folder, name, approved, ours))];
    known.set(approved, { changed, args });
    return args;
  };
}

/** The terminals in use on this machine. On macOS a terminal that a command opens later gets another name. */
export function usedTerminals(folder = "/dev"): readonly string[] {
  const names = readdirSync(folder).filter((name) => name === "console" || /^ttys\d+$/.test(name));
  return names.map((name) => join(folder, name));
}

function deviceArgs(folder: string, name: string, approved: boolean, ours: ReadonlySet<number>): readonly string[] {
  if (BUILT_IN.test(name) || TERMINAL.test(name) || (!approved && CONTROL.test(name))) return [];
  const path = join(folder, name);
  try {
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
    if (isTerminalOf(entry, ours) || (!approved && entry.isBlockDevice()) || !mayOpen(path)) return [];
    return ["--dev-bind", path, path];
  } catch {
    return []; // unplugged just now
  }
}

/** The terminals this program was started at, whatever kind of device they are. */
function ownTerminals(): ReadonlySet<number> {
  const found = [0, 1, 2].flatMap((fd) => {
    try {
      const entry = fstatSync(fd);
      return entry.isCharacterDevice() ? [entry.rdev] : [];
    } catch {
      return []; // closed
    }
  });
  return new Set(found);
}

const isTerminalOf = (entry: Stats, ours: ReadonlySet<number>) => entry.isCharacterDevice() && ours.has(entry.rdev);

/** A device that cannot be opened needs no mount. */
function mayOpen(path: string): boolean {
  return [constants.R_OK, constants.W_OK].some((right) => {
    try {
      accessSync(path, right);
      return true;
    } catch {
      return false;
    }
  });
}
