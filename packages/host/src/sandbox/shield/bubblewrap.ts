// The command line of bubblewrap for the shield: the file system as it is, some of it covered. Pure.

/** What a command finds instead of the real thing. Every path is real, without links. */
export interface Covers {
  /** Their content cannot be seen, their name stays. */
  readonly hiddenFiles: readonly string[];
  /** Empty, whatever they hold. */
  readonly hiddenFolders: readonly string[];
  /** Can be read, not changed, not replaced. */
  readonly readOnly: readonly string[];
  /** Writable, also inside something read-only; nobody can put another folder in their place. */
  readonly pinned: readonly string[];
}

export interface BubblewrapOptions {
  readonly program: string;
  readonly covers: Covers;
  /** An empty file that nobody may read. Bound over itself too: its name in a mount table marks our processes. */
  readonly mask: string;
  readonly isRoot: boolean;
}

/** Root keeps its rights, save those that take covers off: to unmount, to look through another process, by file handle. */
const DROPPED_CAPABILITIES = ["CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_DAC_READ_SEARCH"];

export function bubblewrapArgv(
  { program, covers, mask, isRoot }: BubblewrapOptions,
  argv: readonly string[],
): string[] {
  // Outer folders first, or they would cover what was bound inside them.
  const binds = [
    ...covers.pinned.map((path) => ({ path, flag: "--bind" })),
    ...covers.readOnly.map((path) => ({ path, flag: "--ro-bind" })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return [
    program,
    "--dev-bind",
    "/",
    "/",
    ...(isRoot ? DROPPED_CAPABILITIES.flatMap((name) => ["--cap-drop", name]) : []),
    "--ro-bind",
    mask,
    mask,
    ...binds.flatMap(({ path, flag }) => [flag, path, path]),
    ...covers.hiddenFolders.flatMap((path) => ["--perms", "0555", "--tmpfs", path, "--remount-ro", path]),
    ...covers.hiddenFiles.flatMap((path) => ["--ro-bind", mask, path]),
    "--",
    ...argv,
  ];
}
