// The files of a plugin on their way into the cache: where they come from does not matter any more, only their names and
// bytes. Names stay inside, links become copies or are left out, and everything has a limit.

/** A problem for the user: one sentence. */
export class PluginFetchError extends Error {
  override readonly name = "PluginFetchError";
  /** What a server answered, if that is the problem. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface PluginFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly executable: boolean;
  bytes(): Uint8Array;
}

export const LIMITS = {
  /** Of an archive as it is downloaded or read. */
  archiveBytes: 128 * 1024 * 1024,
  files: 20_000,
  /** Of one file, and of all together, when unpacked. */
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  pathLength: 1_000,
  depth: 32,
} as const;

/** Counts files and bytes; throws when there are too many. */
export function createBudget(): { spend(bytes: number): void } {
  let files = 0;
  let total = 0;
  return {
    spend(bytes) {
      if (++files > LIMITS.files) throw new PluginFetchError(`It has more than ${LIMITS.files} files`);
      if (bytes > LIMITS.fileBytes) throw new PluginFetchError(`It has a file of more than ${mib(LIMITS.fileBytes)}`);
      if ((total += bytes) > LIMITS.totalBytes)
        throw new PluginFetchError(`It is larger than ${mib(LIMITS.totalBytes)}`);
    },
  };
}

export const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** The name as parts. Throws for a name that could lead elsewhere. */
export function checkedParts(name: string): readonly string[] {
  const refuse = (why: string): never => {
    throw new PluginFetchError(`It has a file ${JSON.stringify(name.slice(0, 100))}, which ${why}`);
  };
  if (name.length > LIMITS.pathLength) refuse("has a name that is too long");
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\\]/.test(name)) refuse("has a character in its name that is not allowed");
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) refuse("has an absolute name");
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) refuse('has ".." in its name');
  if (parts.length > LIMITS.depth) refuse("is in too many folders");
  return parts;
}

/** Git's own folder is never part of a plugin. */
export const isSkipped = (parts: readonly string[]) =>
  parts.length === 0 || parts.some((part) => part.toLowerCase() === ".git");

/** Resolves a relative link; undefined if it leads out. */
export function linkTarget(from: string, target: string): string | undefined {
  if (target.startsWith("/") || target.includes("\0")) return undefined;
  const at = from.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") {
      if (at.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") at.push(part);
  }
  return at.join("/");
}

/** The files below one folder, named from there. */
export function filesBelow(files: readonly PluginFile[], folder: string): readonly PluginFile[] {
  const prefix = `${checkedParts(folder).join("/")}/`;
  if (prefix === "/") return files;
  return files.flatMap((file) =>
    file.path.startsWith(prefix) ? [{ ...file, path: file.path.slice(prefix.length) }] : [],
  );
}

/** Archives often have one folder around everything. */
export function withoutWrapper(files: readonly PluginFile[]): readonly PluginFile[] {
  const tops = new Set(files.map(({ path }) => path.split("/")[0]!));
  const [top] = tops;
  const isWrapped = tops.size === 1 && !top!.startsWith(".") && files.every(({ path }) => path.includes("/"));
  const isLayout = /^(?:skills|commands|agents|hooks|bin|output-styles)$/.test(top ?? "");
  return isWrapped && !isLayout ? filesBelow(files, top!) : files;
}
