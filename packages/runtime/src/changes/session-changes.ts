// What differs in the files of a session since it began. Files that its tools changed are compared with the copies from before that;
// of everything else git knows what it was: files that commands changed, commits of the session, deleted files. Outside a
// repository, files that commands made are found by their times. Nothing is read that a rule denies.

import { lstatSync, opendirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import type { ChangedFile, WorkTreeChangesOptions } from "@keelson/host/git-changes";
import type { ChangedSessionFile, WorkingDiff } from "@keelson/protocol";
import { fileState, type OriginalFile } from "@keelson/store/checkpoints";

export interface SessionChangesOptions extends Omit<WorkTreeChangesOptions, "since" | "leaveOut"> {
  /** When the session began. */
  readonly sinceMs: number;
  readonly originals: readonly OriginalFile[];
  /** Our own files, such as plans, are no work of a session. */
  readonly configDir: string;
}

/** Of one file, on either side. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_DIFF = 4 * 1024 * 1024;

export async function sessionChanges(options: SessionChangesOptions): Promise<WorkingDiff> {
  const { cwd, sinceMs, mayRead, configDir } = options;
  const root = realPathOf(cwd);
  const { readWorkTreeChanges } = await import("@keelson/host/git-changes");
  const ours = `${realPathOf(configDir)}${sep}`;
  const touched = options.originals.filter(({ path }) => !path.startsWith(ours));
  // What is known of the others, git may still know.
  const compared = touched.filter(({ was }) => was !== "unknown");
  const leaveOut = new Set(compared.map(({ path }) => path));
  const own = await comparedFiles(compared, { root, mayRead, room: MAX_DIFF });
  const git = await readWorkTreeChanges({ ...options, since: sinceMs, leaveOut });
  const others = git ?? (await foundFiles(root, { sinceMs, leaveOut, mayRead, room: MAX_DIFF - own.diff.length }));
  const inRoot = (path: string) => shownName(join(git?.folder ?? root, path), root);
  const named = others.files.map(({ path, ...rest }) => fileOf({ path: inRoot(path), ...rest }));
  return {
    diff: own.diff + others.diff,
    since: "start",
    commit: git?.commit ?? null,
    files: [...own.files, ...named],
    hidden: own.hidden + others.hidden,
    incomplete: own.isCut || others.isCut || !git,
  };
}

/** Without a repository, or if its settings could start a program, there is nothing to compare with. */
export async function changesSinceCommit(
  options: Omit<WorkTreeChangesOptions, "since" | "leaveOut">,
): Promise<WorkingDiff> {
  const { readWorkTreeChanges } = await import("@keelson/host/git-changes");
  const found = await readWorkTreeChanges({ ...options, since: "commit" });
  const { diff = null, commit = null, files = [], hidden = 0, isCut = false } = found ?? {};
  return { diff, since: "commit", commit, files: files.map(fileOf), hidden, incomplete: isCut };
}

/** As clients get it. */
function fileOf({ path, status, lines }: ChangedFile): ChangedSessionFile {
  return { path, status, added: lines?.added ?? null, removed: lines?.removed ?? null };
}

interface FoundChanges {
  readonly files: readonly ChangedFile[];
  readonly diff: string;
  readonly hidden: number;
  readonly isCut: boolean;
}

interface ReadingOptions {
  readonly mayRead: (path: string) => boolean;
  /** Characters of the diff. */
  readonly room: number;
}

async function comparedFiles(
  originals: readonly OriginalFile[],
  { root, mayRead, room }: ReadingOptions & { readonly root: string },
): Promise<Omit<FoundChanges, "files"> & { readonly files: readonly ChangedSessionFile[] }> {
  const files: ChangedSessionFile[] = [];
  let [diff, hidden, isCut] = ["", 0, false];
  for (const { path, was } of originals) {
    if (was === "unknown") continue;
    const before = was === "none" ? undefined : was;
    const now = fileState(path);
    // A link in its place leads elsewhere.
    if (now === "unchanged" || now.kind === "link" || now.kind === "other") continue;
    const after = now.kind === "file" ? now.bytes : undefined;
    if (before === undefined ? after === undefined : after?.equals(before) === true) continue;
    if (!mayRead(path)) {
      hidden++;
      continue;
    }
    const name = shownName(path, root);
    const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified";
    const { text, lines } = await fileDiff(name, before, after);
    const fits = diff.length + text.length <= room;
    if (fits) diff += text;
    isCut ||= !fits;
    files.push(fileOf({ path: name, status, ...(lines ? { lines } : {}) }));
  }
  return { files, diff, hidden, isCut };
}

async function fileDiff(
  name: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): Promise<{ readonly text: string; readonly lines?: ChangedFile["lines"] }> {
  const { diffName } = await import("@keelson/host/git-changes");
  const [a, b] = [diffName(`a/${name}`), diffName(`b/${name}`)];
  const mode =
    before === undefined ? "new file mode 100644\n" : after === undefined ? "deleted file mode 100644\n" : "";
  const head = `diff --git ${a} ${b}\n${mode}`;
  const [from, to] = [before === undefined ? "/dev/null" : a, after === undefined ? "/dev/null" : b];
  const other = { text: `${head}Binary files ${from} and ${to} differ\n` };
  const sides = [before, after].filter((side) => side !== undefined);
  if (sides.some((bytes) => bytes.length > MAX_BYTES || bytes.includes(0))) return other;
  const [old, now] = [before?.toString("utf8") ?? "", after?.toString("utf8") ?? ""];
  const { patchOf } = await import("@keelson/tools/patch");
  const hunks = await patchOf(old, now);
  // Too much has changed to say what.
  if (hunks.length === 0) return old === now ? { text: head, lines: { added: 0, removed: 0 } } : other;
  let [added, removed] = [0, 0];
  let text = `${head}--- ${from}\n+++ ${to}\n`;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    text += `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.map((line) => `${line}\n`).join("")}`;
    added += lines.filter((line) => line.startsWith("+")).length;
    removed += lines.filter((line) => line.startsWith("-")).length;
  }
  return { text, lines: { added, removed } };
}

/** Relative in the folder of the session. */
function shownName(path: string, root: string): string {
  const steps = relative(root, path);
  return steps === ".." || steps.startsWith(`..${sep}`) ? path : steps;
}

const MAX_ENTRIES = 20_000;
/** Made by tools in large numbers, and never looked at. */
const LEFT_OUT = new Set([".git", "node_modules"]);

/** New files of a folder that git does not know. Which others commands changed is known, and not what they were. */
async function foundFiles(
  root: string,
  {
    sinceMs,
    leaveOut,
    mayRead,
    room,
  }: ReadingOptions & { readonly sinceMs: number; readonly leaveOut: ReadonlySet<string> },
): Promise<FoundChanges> {
  const { newFilesDiff } = await import("@keelson/host/git-changes");
  const [added, changed]: [string[], string[]] = [[], []];
  let [seen, hidden] = [0, 0];
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined && seen < MAX_ENTRIES; folder = folders.shift()) {
    for (const entry of entriesOf(folder)) {
      if (++seen > MAX_ENTRIES) break;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) folders.push(path);
      if (!entry.isFile() || leaveOut.has(path)) continue;
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined || stat.ctimeMs < sinceMs) continue;
      if (!mayRead(path)) hidden++;
      // Not every file system knows when a file was made; then it is 0.
      else (stat.birthtimeMs >= sinceMs ? added : changed).push(relative(root, path));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const news = newFilesDiff(root, added, room);
  const files = [
    ...added.map((path): ChangedFile => ({ path, status: "added", ...news.lines.get(path) })),
    ...changed.map((path): ChangedFile => ({ path, status: "modified" })),
  ];
  return { files, diff: news.diff, hidden, isCut: news.isCut || seen > MAX_ENTRIES };
}

function* entriesOf(folder: string) {
  try {
    using entries = opendirSync(folder);
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) yield entry;
  } catch {
    // Gone, or not ours to read.
  }
}
