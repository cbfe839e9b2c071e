// Copies a project to try hooks without changing it: the files git would show, limited in number and
// size. Links are not copied, because they would lead back to the original.

import { constants } from "node:fs";
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Search } from "@keelson/engine";

export interface ScratchCopy {
  /** The copied project. */
  readonly dir: string;
  /** An empty transcript, outside the project. */
  readonly transcript: string;
  readonly files: number;
  readonly bytes: number;
  /** Descriptions of what was not copied. */
  readonly leftOut: readonly string[];
  remove(): Promise<void>;
}

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const BATCH_SIZE = 32;

export async function scratchCopy(project: string, search: Search, signal: AbortSignal): Promise<ScratchCopy> {
  const root = await mkdtemp(join(tmpdir(), "keelson-hooks-"));
  try {
    const dir = join(root, "project");
    await mkdir(dir);
    const transcript = join(root, "transcript.jsonl");
    await writeFile(transcript, "", { mode: 0o600 });

    const names = await listProjectFiles(project, search, signal);
    const copied = await copyAll(project, dir, names, signal);
    const git = await copyRepository(project, dir, signal);
    const present = new Set(names.map((name) => name.split("/", 1)[0]!));
    const elsewhere = (await readdir(project)).filter((name) => !present.has(name) && name !== ".git");
    const leftOut = [...git, ...copied.leftOut, ...describeNames(elsewhere)];
    return { dir, transcript, files: copied.files, bytes: copied.bytes, leftOut, remove: () => remove(root) };
  } catch (error) {
    await remove(root);
    throw error;
  }
}

/** Files git would show, tracked or not. In `.claude` also ignored files, because hooks are often there. */
async function listProjectFiles(project: string, search: Search, signal: AbortSignal): Promise<readonly string[]> {
  const common = ["--no-config", "--files", "--null", "--hidden", "--no-require-git", "--glob=!/.git"];
  const options = { cwd: project, signal };
  const [shown, own] = [
    await search.run(common, options),
    await search.run([...common, "--no-ignore", "--glob=/.claude/**"], options),
  ];
  const names = [own, shown].flatMap(({ stdout, cut }) => {
    const parts = stdout.split("\0");
    // The last name may be incomplete.
    if (cut) parts.pop();
    return parts;
  });
  return [...new Set(names.map((name) => name.replace(/^\.\//, "")))].filter((name) => name !== "");
}

async function copyAll(from: string, to: string, names: readonly string[], signal: AbortSignal) {
  let files = 0;
  let bytes = 0;
  let large = 0;
  let beyond = 0;
  const chosen: string[] = [];
  for (const name of names) {
    const stat = await lstat(join(from, name)).catch(() => undefined);
    if (!stat?.isFile()) continue;
    if (stat.size > MAX_FILE_BYTES) large++;
    else if (files === MAX_FILES || bytes + stat.size > MAX_BYTES) beyond++;
    else {
      files++;
      bytes += stat.size;
      chosen.push(name);
    }
  }
  await copyEach(from, to, chosen, signal);
  const leftOut = [
    ...(large > 0 ? [`${count(large, "file")} larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`] : []),
    ...(beyond > 0 ? [`${count(beyond, "file")} beyond the first ${MAX_FILES} or ${MAX_BYTES / 1024 / 1024} MB`] : []),
  ];
  return { files, bytes, leftOut };
}

/** Copies the repository so hooks can use git. Not if it is elsewhere: hooks would change the real one. */
async function copyRepository(project: string, to: string, signal: AbortSignal): Promise<readonly string[]> {
  const git = join(project, ".git");
  const stat = await lstat(git).catch(() => undefined);
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return ["the git repository, which is in another folder"];
  const config = await readFile(join(git, "config"), "utf8").catch(() => "");
  if (/^[^\S\n]*worktree\s*=/im.test(config)) return ["the git repository, whose worktree is another folder"];
  const entries = await readdir(git, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  let bytes = 0;
  for (const name of names.slice(0, MAX_FILES)) bytes += (await lstat(name).catch(() => undefined))?.size ?? 0;
  if (names.length > MAX_FILES || bytes > MAX_BYTES) return ["the git repository, which is too large"];
  const inside = names.map((name) => name.slice(git.length + 1));
  await copyEach(git, join(to, ".git"), inside, signal);
  for (const folder of ["objects", "refs/heads"]) await mkdir(join(to, ".git", folder), { recursive: true });
  return [];
}

async function copyEach(from: string, to: string, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const folder of new Set(names.map((name) => dirname(join(to, name))))) await mkdir(folder, { recursive: true });
  for (let at = 0; at < names.length; at += BATCH_SIZE) {
    signal.throwIfAborted();
    const some = names.slice(at, at + BATCH_SIZE);
    // A file may be deleted meanwhile; that does not matter.
    await Promise.allSettled(
      some.map((name) => copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE)),
    );
  }
}

function describeNames(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return [`${names.slice(0, 5).join(", ")}${more} (ignored, empty or links)`];
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;

const remove = (root: string) => rm(root, { recursive: true, force: true, maxRetries: 3 });
