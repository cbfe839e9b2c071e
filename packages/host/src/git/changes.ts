// What differs in a work tree since a commit, or since a moment: as a list of files and as a unified diff. Files that may not be
// read are counted, and nothing else is said of them. Runs git as `state.ts` does.

import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";
import { commonFolder } from "./discovery.ts";
import { diffName, newFilesDiff } from "./new-files-diff.ts";
import { runGit, safeGit, type GitStateOptions, type SafeGitCall } from "./state.ts";

export interface WorkTreeChangesOptions extends GitStateOptions {
  /**
   * `commit`: the last one. A number of milliseconds: then. What was changed before and not committed by then is left out, as far
   * as the file system knows.
   */
  readonly since: "commit" | number;
  /** Whole paths that the caller compares itself. */
  readonly leaveOut?: ReadonlySet<string>;
  readonly mayRead: (path: string) => boolean;
}

export interface ChangedFile {
  /** Relative to the folder of the repository. */
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines; absent if it is no text, or too long. */
  readonly lines?: { readonly added: number; readonly removed: number };
}

export interface WorkTreeChanges {
  /** The top of the work tree. */
  readonly folder: string;
  /** What is compared with; absent before the first commit. */
  readonly commit?: string;
  readonly files: readonly ChangedFile[];
  readonly diff: string;
  /** So many more may not be read. */
  readonly hidden: number;
  /** There is more than fits. */
  readonly isCut: boolean;
}

export { diffName, newFilesDiff };

const MAX_DIFF = 4 * 1024 * 1024;
const MAX_LIST = 4 * 1024 * 1024;
const MAX_FILES = 2_000;
/** Of arguments, in bytes. */
const MAX_NAMES = 64 * 1024;
const MAX_LOG = 16 * 1024 * 1024;

const COMPARE = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=all"];
const UNTRACKED = ["ls-files", "--others", "--exclude-standard", "-z"];

/** Undefined outside a repository, or if it cannot be found out safely and quickly. Never rejects. */
export async function readWorkTreeChanges(options: WorkTreeChangesOptions): Promise<WorkTreeChanges | undefined> {
  try {
    const safe = safeGit(options);
    return safe && (await changesIn(safe, options));
  } catch {
    return undefined;
  }
}

async function changesIn(safe: SafeGitCall, options: WorkTreeChangesOptions): Promise<WorkTreeChanges | undefined> {
  const { folder } = safe;
  const commit = await commitOf(safe, options);
  const base = commit ?? EMPTY_TREE;
  const [listing, others] = await Promise.all([
    runGit(safe, ["diff", "--raw", "--numstat", "-z", ...COMPARE, base], options, MAX_LIST),
    runGit(safe, UNTRACKED, options, MAX_LIST),
  ]);
  if (listing === undefined || others === undefined) return undefined;
  const [known, unknown] = [wholeParts(listing), wholeParts(others)];
  const counts = { hidden: 0 };
  const isShown = (path: string) => {
    const whole = join(folder, path);
    if (options.leaveOut?.has(whole) || !hasChanged(whole, options.since)) return false;
    const mayRead = options.mayRead(whole);
    if (!mayRead) counts.hidden++;
    return mayRead;
  };
  const tracked = changedFiles(known.parts).filter(({ path }) => isShown(path));
  // A repository in a folder ends with a slash.
  const added = unknown.parts.filter((path) => !path.endsWith("/") && isShown(path));
  const compared = await diffOf(safe, { base, paths: tracked.map(({ path }) => path), options });
  const news = newFilesDiff(folder, added.slice(0, MAX_FILES), MAX_DIFF - compared.diff.length);
  const files = [...tracked, ...added.map((path): ChangedFile => ({ path, status: "added", ...news.lines.get(path) }))];
  const isCut = [known, unknown, compared, news].some((each) => each.isCut);
  return {
    folder,
    ...(commit === undefined ? {} : { commit }),
    files: files.slice(0, MAX_FILES),
    diff: compared.diff + news.diff,
    hidden: counts.hidden,
    isCut: isCut || files.length > MAX_FILES,
  };
}

/** Every repository knows it. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

async function commitOf(safe: SafeGitCall, options: WorkTreeChangesOptions): Promise<string | undefined> {
  const { since } = options;
  const head = (await runGit(safe, ["rev-parse", "--verify", "--quiet", "HEAD"], options))?.trim();
  if (since === "commit" || head === undefined) return head;
  const then = checkedOutAt(safe.gitFolder, since);
  if (then !== undefined) return then === "none" ? undefined : then;
  // No one has noted it. Of the commits that are here now, the newest of that time.
  const before = `--before=${Math.floor(since / 1_000)}`;
  return (await runGit(safe, ["rev-list", "--max-count=1", before, "HEAD"], options))?.trim() || undefined;
}

const LOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/;

/** By what git notes whenever HEAD moves. Undefined if there is no such note, `none` if there was no commit. */
function checkedOutAt(gitFolder: string, ms: number): string | undefined {
  let lines: readonly string[];
  try {
    lines = new TextDecoder().decode(readRegularFile(join(gitFolder, "logs/HEAD"), MAX_LOG)).split("\n");
  } catch {
    return undefined;
  }
  const isBefore = (seconds: number, commit: string) => {
    const second = Math.floor(ms / 1_000);
    // The note knows seconds, the file of the commit more.
    return seconds === second ? (madeMs(gitFolder, commit) ?? ms) < ms : seconds < second;
  };
  let found: string | undefined;
  for (const line of lines) {
    const [, old, now, time, what = ""] = LOG_LINE.exec(line) ?? [];
    if (old === undefined || now === undefined) continue;
    if (isBefore(Number(time), now)) found = now;
    // The first note: a clone and a new worktree begin with a commit.
    else if (found === undefined) found = !/^0+$/.test(old) ? old : what.startsWith("commit (initial)") ? "none" : now;
    else break;
  }
  return found;
}

/** When a commit was made here; undefined if it is packed. */
function madeMs(gitFolder: string, commit: string): number | undefined {
  const path = join(commonFolder(gitFolder), "objects", commit.slice(0, 2), commit.slice(2));
  return lstatSync(path, { throwIfNoEntry: false })?.ctimeMs;
}

/** Whether the file system says that it may have been changed since; for a file that is gone, that its folder was. */
function hasChanged(path: string, since: "commit" | number): boolean {
  if (since === "commit") return true;
  for (let at = path; ; at = dirname(at)) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat) return stat.ctimeMs >= since;
    if (at === dirname(at)) return true;
  }
}

/** Each part ends with a zero byte; the last one does not if the output was cut. */
function wholeParts(text: string): { readonly parts: readonly string[]; readonly isCut: boolean } {
  const parts = text.split("\0");
  const rest = parts.pop();
  return { parts, isCut: rest !== "" };
}

/** Reads `git diff --raw --numstat -z`. */
function changedFiles(parts: readonly string[]): readonly ChangedFile[] {
  const status = new Map<string, ChangedFile["status"]>();
  const files: ChangedFile[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    if (part.startsWith(":")) {
      const path = parts[++at];
      const letter = part.at(-1);
      if (path !== undefined) status.set(path, letter === "A" ? "added" : letter === "D" ? "deleted" : "modified");
      continue;
    }
    const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(part) ?? [];
    const known = path === undefined ? undefined : status.get(path);
    if (path === undefined || known === undefined) continue;
    const lines = added === "-" ? {} : { lines: { added: Number(added), removed: Number(removed) } };
    files.push({ path, status: known, ...lines });
  }
  return files;
}

/** Of these files alone. */
async function diffOf(
  safe: SafeGitCall,
  {
    base,
    paths,
    options,
  }: { readonly base: string; readonly paths: readonly string[]; readonly options: GitStateOptions },
): Promise<{ readonly diff: string; readonly isCut: boolean }> {
  let diff = "";
  for (let at = 0; at < paths.length;) {
    const some: string[] = [];
    for (let bytes = 0; at < paths.length && bytes < MAX_NAMES; at++) {
      bytes += Buffer.byteLength(paths[at]!) + 1;
      some.push(paths[at]!);
    }
    const room = MAX_DIFF - diff.length;
    const literal = { ...safe, first: ["--literal-pathspecs", ...safe.first] };
    const next = await runGit(literal, ["diff", ...COMPARE, base, "--", ...some], options, room);
    if (next === undefined) return { diff, isCut: true };
    diff += next;
    // What was cut has no end of the line.
    if (next !== "" && !next.endsWith("\n")) return { diff: `${diff}\n`, isCut: true };
  }
  return { diff, isCut: false };
}
