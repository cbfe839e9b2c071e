// The bubblewrap command line for the shield: the whole file system with some paths covered. Pure.

/** All paths are real paths, without links. */
export interface Covers {
  /** The name is visible, the content is not. */
  readonly hiddenFiles: readonly string[];
  /** Appear empty. */
  readonly hiddenFolders: readonly string[];
  /** The same, but writable: each name, and the empty folder that is there instead. */
  readonly writeOnly: readonly { readonly path: string; readonly source: string }[];
  /** Can be read, but not changed or replaced. */
  readonly readOnly: readonly string[];
  /** Writable, even inside a read-only folder, but cannot be replaced. */
  readonly pinned: readonly string[];
  /** The session bus, and the socket that commands get in its place. */
  readonly bus?: { readonly at: string; readonly filter: string } | undefined;
}

export interface BubblewrapOptions {
  readonly program: string;
  readonly covers: Covers;
  /** A file that cannot be opened. */
  readonly mask: string;
  /** Other masks, by hidden file. */
  readonly masks: ReadonlyMap<string, string>;
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** The session's own temporary folder, read-only. Its name in the mount table marks our processes. */
  readonly marked: string;
  /** Empty if the machine does not allow a new /dev. */
  readonly devices: readonly string[];
  /** For root: names of capabilities to give up. */
  readonly dropped: readonly string[];
  /** The program that becomes the command. */
  readonly cell: string | null;
}

export function bubblewrapArgv(
  { program, covers, mask, masks, variables, marked, devices, dropped, cell }: BubblewrapOptions,
  argv: readonly string[],
): string[] {
  // Outer folders first, or they would cover the binds inside them.
  const binds = [
    ...covers.pinned.map((path) => ({ path, flag: "--bind" })),
    ...[marked, ...covers.readOnly].map((path) => ({ path, flag: "--ro-bind" })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return [
    program,
    "--dev-bind",
    "/",
    "/",
    ...devices,
    ...dropped.flatMap((name) => ["--cap-drop", name]),
    ...binds.flatMap(({ path, flag }) => [flag, path, path]),
    ...covers.hiddenFolders.flatMap((path) => ["--perms", "0555", "--tmpfs", path, "--remount-ro", path]),
    ...covers.writeOnly.flatMap(({ path, source }) => ["--bind", source, path]),
    ...covers.hiddenFiles.flatMap((path) => ["--ro-bind", masks.get(path) ?? mask, path]),
    ...variables.flatMap(([name, value]) => ["--setenv", name, value]),
    ...(covers.bus ? ["--ro-bind", covers.bus.filter, covers.bus.at] : []),
    "--",
    ...(cell === null ? [] : [cell]),
    ...argv,
  ];
}
