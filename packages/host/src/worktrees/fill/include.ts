// Copies what `.worktreeinclude` names from the main checkout into a new worktree: files that git ignores, such as `.env`.
// Regular files only, never through links, and never over a file that is there.

import { closeSync, constants, lstatSync, openSync, readSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdFolder } from "../../files/held-folder.ts";
import { openRegularFile, readRegularFile } from "../../files/regular-file.ts";
import { ALWAYS_COPIED } from "./our-files.ts";
import type { SafeGit } from "../repository/safe-git.ts";

const MAX_PATTERN_BYTES = 64 * 1024;
const MAX_FILES = 10_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/** Returns what was not copied, for people. */
export async function copyIncluded(git: SafeGit, path: string, signal?: AbortSignal): Promise<string[]> {
  const { root } = git.checkout;
  const patterns = readPatterns(join(root, ".worktreeinclude"));
  const files = [...new Set([...(await untracked(git)), ...(await ignored(git, patterns, signal))])];
  const notices = files.length > MAX_FILES ? [tooMany(files.length)] : [];
  const failed: string[] = [];
  let left = MAX_BYTES;
  for (const file of files.slice(0, MAX_FILES)) {
    const copied = copyFile(join(root, file), join(path, file), left);
    if (typeof copied === "number") left -= copied;
    else failed.push(`${file} (${copied})`);
  }
  if (failed.length > 0) notices.push(notCopied(failed));
  return notices;
}

const tooMany = (count: number) =>
  `.worktreeinclude matches ${count} files; only the first ${MAX_FILES} were copied. ` +
  "Share large folders with worktree.symlinkDirectories instead";

const notCopied = (files: readonly string[]) => {
  const more = files.length > 5 ? ` and ${files.length - 5} more` : "";
  return `Not copied into the worktree: ${files.slice(0, 5).join(", ")}${more}`;
};

function readPatterns(file: string): string[] {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return [];
  const text = new TextDecoder().decode(readRegularFile(file, MAX_PATTERN_BYTES));
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(?<!\\)[ \t]+$/, ""));
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Those of `ALWAYS_COPIED` that git does not bring. */
async function untracked(git: SafeGit): Promise<string[]> {
  const there = ALWAYS_COPIED.filter((file) =>
    lstatSync(join(git.checkout.root, file), { throwIfNoEntry: false })?.isFile(),
  );
  if (there.length === 0) return [];
  const tracked = new Set((await git.run(["ls-files", "-z", "--", ...there])).split("\0"));
  return there.filter((file) => !tracked.has(file));
}

/** The ignored files that match. Git matches, by its own rules; paths it prints are always inside the checkout. */
async function ignored(git: SafeGit, patterns: readonly string[], signal?: AbortSignal): Promise<string[]> {
  if (patterns.length === 0) return [];
  const excludes = patterns.map((pattern) => `--exclude=${pattern}`);
  const matching = await git.run(["ls-files", "-z", "--others", "--ignored", ...excludes], { signal });
  const files = matching.split("\0").filter((file) => file !== "" && !file.endsWith("/"));
  const inWorktrees = (file: string) => file.startsWith(".claude/worktrees/");
  const wanted = files.filter((file) => !inWorktrees(file));
  if (wanted.length === 0) return [];
  // Exits with 1 if none is ignored.
  const known = await git.ask(["check-ignore", "-z", "--stdin"], { signal, input: wanted.join("\0") });
  return (known ?? "").split("\0").filter((file) => file !== "");
}

/** The number of bytes, or why the file was not copied. */
function copyFile(from: string, to: string, limit: number): number | string {
  try {
    if (!lstatSync(from).isFile()) return "not a regular file";
    const source = openRegularFile(from, from);
    try {
      if (source.stat.size > limit) return "too large";
      using folder = holdFolder(dirname(to));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const target = openSync(folder.at(basename(to)), flags, source.stat.mode & 0o777);
      try {
        return pour(source.fd, target);
      } finally {
        closeSync(target);
      }
    } finally {
      closeSync(source.fd);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "EEXIST" ? "it is already there" : (code ?? message);
  }
}

function pour(from: number, to: number): number {
  const chunk = Buffer.allocUnsafe(256 * 1024);
  let total = 0;
  for (;;) {
    const size = readSync(from, chunk, 0, chunk.length, null);
    if (size === 0) return total;
    for (let done = 0; done < size;) done += writeSync(to, chunk, done, size - done);
    total += size;
  }
}
