// The last step into the shield: a program of a few hundred bytes that bubblewrap starts, and that becomes the command. It has
// the kernel refuse to change the limits of other processes: a hook that may open no file cannot deny anything. For root, it
// also makes the kernel's files read-only, gives up capabilities, and enters a Landlock domain of its own: from then on the
// kernel does not let the command look through a process outside (`/proc/<pid>/root`, ptrace), bubblewrap's own among them,
// whatever user it becomes. Nothing that systems have installed does this, and a larger program would take longer to start.

import { closeSync, existsSync, fchmodSync, rmdirSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createOwnFile } from "@keelson/disk/own-files";
import { makeTemporary } from "../../files/private-file.ts";
import { limitsOfOthersFilter } from "./limits-of-others.ts";
import { call, Data, executable, storedAt, type Step } from "./machine-code.ts";

const CELL = "cell";

/** Writes the program to the folder. Null on a processor that it is not written for. Throws if the disk is full. */
export function createCell(folder: string, options: CellOptions): string | null {
  const path = join(folder, options.approved ? `${CELL}-approved` : CELL);
  if (existsSync(path)) return path;
  const program = cellProgram(options);
  if (!program) return null;
  const fd = createOwnFile(path);
  try {
    if (writeSync(fd, program) < program.length) throw new Error("No space left on device");
    fchmodSync(fd, 0o500);
    return path;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * For a trial: without a command, it does the rest and ends well. Null if commands cannot have it. Throws if the disk is full.
 */
export function trialCell(): ({ readonly path: string } & Disposable) | null {
  // Where commands of other sessions cannot change it.
  const folder = makeTemporary(process.env, "trial-");
  const dispose = () => {
    try {
      // A third of a millisecond less than any folder takes.
      unlinkSync(join(folder, CELL));
      rmdirSync(folder);
    } catch {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    const path = createCell(folder, { approved: false });
    if (path !== null) return { path, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
  dispose();
  return null;
}

export interface CellOptions {
  /** The user approved the command: then it may change the kernel's settings, and the limits of other processes. */
  readonly approved: boolean;
  /** Default: whether we are. */
  readonly isRoot?: boolean;
}

/** With these, root could get around the shield: by unmounting, a file handle, a device node, or a file made immutable. */
const UNMASKING = { DAC_READ_SEARCH: 2, LINUX_IMMUTABLE: 9, SYS_PTRACE: 19, SYS_ADMIN: 21, MKNOD: 27 };
/** With these, by looking into other processes in spite of the domain. */
const LOOKING = { PERFMON: 38, BPF: 39, CHECKPOINT_RESTORE: 40 };
/** With these, through the kernel: by a module, raw I/O, or booting another kernel. */
const CONTROLLING = { SYS_MODULE: 16, SYS_RAWIO: 17, SYS_BOOT: 22, MAC_OVERRIDE: 32, MAC_ADMIN: 33 };

/** What bubblewrap drops on processors without this program. It may not know newer names. */
export const DROPPED_NAMES = Object.keys(UNMASKING).map((name) => `CAP_${name}`);

/** Writing here can make the kernel run a program (`core_pattern`, `binfmt_misc`) or control the hardware. */
const KERNEL_FILES = ["/sys", "/proc/sys", "/proc/sysrq-trigger", "/proc/bus", "/proc/irq", "/proc/fs"];
export const kernelFiles = () => KERNEL_FILES.filter((path) => existsSync(path));

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const AT_RECURSIVE = 0x8000;
const OPEN_TREE_CLONE = 1;
const O_CLOEXEC = 0o2000000;
const O_PATH = 0o10000000;
const MOVE_MOUNT_F_EMPTY_PATH = 4;
const SECCOMP_SET_MODE_FILTER = 1;
/** Otherwise older kernels make the whole command slower. */
const SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4;
const MOUNT_ATTR_RDONLY = 1n;
const MS_PRIVATE = 1n << 18n;
const LANDLOCK_ACCESS_FS_REFER = 1n << 13n;
const LANDLOCK_RULE_PATH_BENEATH = 1;
const CAPABILITY_VERSION = 0x20080522n;

export function cellProgram(
  { approved, isRoot = process.getuid?.() === 0 }: CellOptions,
  arch: string = process.arch,
): Uint8Array | null {
  const filter = limitsOfOthersFilter(arch);
  if (filter === null) return null;
  const data = new Data();
  const message = "The command was not run, because it could not be separated from the programs outside the shield\n";
  const [text, empty, root] = [data.text(message), data.text(""), data.text("/")];
  // What is mounted below later, by the machine, does not appear here.
  const readOnly = data.numbers(8, [MOUNT_ATTR_RDONLY, 0n, MS_PRIVATE, 0n]);
  const tree = data.numbers(4, [0n]);
  const makeReadOnly = (path: string): Step[] => {
    const name = data.text(path);
    return [
      call("open_tree", [AT_FDCWD, name, OPEN_TREE_CLONE | O_CLOEXEC | AT_RECURSIVE], tree),
      call("mount_setattr", [storedAt(tree), empty, AT_EMPTY_PATH | AT_RECURSIVE, readOnly, 32]),
      call("move_mount", [storedAt(tree), empty, AT_FDCWD, name, MOVE_MOUNT_F_EMPTY_PATH]),
    ];
  };
  const self = data.numbers(4, [CAPABILITY_VERSION, 0n]);
  // Effective, permitted and inheritable: the lower 32, then the upper 32.
  const held = data.numbers(4, [0n, 0n, 0n, 0n, 0n, 0n]);
  const dropped = Object.values({ ...UNMASKING, ...LOOKING, ...(approved ? {} : CONTROLLING) });
  const kept = ~dropped.reduce((bits, at) => bits | (1n << BigInt(at)), 0n);
  const masks = [0n, 32n].map((half) => Number((kept >> half) & 0xffffffffn));
  // A domain denies every renaming from folder to folder, unless it has a rule for it.
  const domain = data.numbers(8, [LANDLOCK_ACCESS_FS_REFER]);
  const ruleset = data.numbers(4, [0n]);
  const everywhere = data.numbers(8, [LANDLOCK_ACCESS_FS_REFER, 0n]);
  const code = data.numbers(8, filter);
  const limitsStay = call("seccomp", [
    SECCOMP_SET_MODE_FILTER,
    SECCOMP_FILTER_FLAG_SPEC_ALLOW,
    data.numbers(8, [BigInt(filter.length), BigInt(code)]),
  ]);
  const ofRoot: Step[] = [
    ...(approved ? [] : kernelFiles().flatMap(makeReadOnly)),
    call("capget", [self, held]),
    ...masks.flatMap((mask, half) => [0, 1, 2].map((at) => ({ and: held + 12 * half + 4 * at, mask }))),
    call("capset", [self, held]),
    call("landlock_create_ruleset", [domain, 8, 0], ruleset),
    call("openat", [AT_FDCWD, root, O_PATH | O_CLOEXEC, 0], everywhere + 8),
    call("landlock_add_rule", [storedAt(ruleset), LANDLOCK_RULE_PATH_BENEATH, everywhere, 0]),
    call("landlock_restrict_self", [storedAt(ruleset), 0]),
  ];
  const steps: Step[] = [
    ...(isRoot ? ofRoot : []),
    ...(approved ? [] : [limitsStay]),
    "become the command",
    "failed",
    call("write", [2, text, message.length]),
    call("exit_group", [126]),
  ];
  return executable(steps, data, arch);
}
