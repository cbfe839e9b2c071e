// Finds the files of skills, commands and agents in a folder, and checks where links lead. Opens none of them.

import { lstatSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, join } from "node:path";
import type { FileMark } from "../index/skill-index.ts";
import { isInRoot } from "./places.ts";

/** A file that may be a skill or command, with links resolved as far as is known. */
export interface SkillFile {
  /** The name it is invoked by, without a prefix. */
  readonly name: string;
  readonly file: string;
  /** The path by which it was found, for messages. */
  readonly found: string;
}

export interface ScanOptions {
  /** Links may not lead out of this folder. Absent: anywhere. */
  readonly root?: string | undefined;
  /** Whether a rule denies reading a file. Only checked for links. */
  isDenied(path: string): boolean;
  /** Remembers a file or folder, to notice changes. */
  watch(path: string, mark: FileMark | undefined): void;
  refuse(path: string, why: string): void;
  /** A file or folder that is no skill, though it may have been meant as one. */
  stray(path: string, kind: "file" | "folder"): void;
}

const MOST_FOLDERS = 10_000;

/** The folders in this one, each a skill if it has a SKILL.md. */
export function scanSkills(top: string, options: ScanOptions): readonly SkillFile[] {
  const opened = openFolder(top, options);
  if (opened === undefined) return [];
  const { real, entries } = opened;
  const found: SkillFile[] = [];
  if (entries.length > MOST_FOLDERS)
    options.refuse(top, `it has more than ${MOST_FOLDERS} entries; only the first are searched`);
  for (const entry of entries.slice(0, MOST_FOLDERS)) {
    const { name } = entry;
    const kind = kindOf(entry, top);
    if (kind === "folder") {
      const file = `${real}/${name}/SKILL.md`;
      found.push({ name, file, found: real === top ? file : `${top}/${name}/SKILL.md` });
      continue;
    }
    const path = join2(top, name);
    if (kind === "link") {
      const target = followLink(path, options);
      if (target?.kind === "folder")
        found.push({ name, file: join(target.real, "SKILL.md"), found: `${path}/SKILL.md` });
    } else if (name.endsWith(".md") && kind === "file") options.stray(path, "file");
  }
  return found;
}

const DEEPEST = 16;
const MOST_FILES = 5_000;

/** All Markdown files in a folder and below it. A folder adds its name and a colon. `what` they are is for messages. */
export function scanMarkdown(top: string, options: ScanOptions, what = "commands"): readonly SkillFile[] {
  const found: SkillFile[] = [];
  const visited = new Set<string>();
  const walk = (folder: string, prefix: string, depth: number) => {
    const opened = openFolder(folder, options);
    if (opened === undefined || visited.has(opened.real)) return;
    visited.add(opened.real);
    if (visited.size === MOST_FOLDERS) options.refuse(top, `it has more than ${MOST_FOLDERS} folders`);
    for (const entry of opened.entries) {
      const { name } = entry;
      if (visited.size >= MOST_FOLDERS) return;
      if (found.length >= MOST_FILES) return options.refuse(folder, `there are more than ${MOST_FILES} ${what}`);
      const path = join2(folder, name);
      const kind = kindOf(entry, folder);
      const target = kind === "link" ? followLink(path, options) : { kind, real: `${opened.real}/${name}` };
      if (target?.kind === "folder") {
        if (depth < DEEPEST) walk(path, `${prefix}${name}:`, depth + 1);
        else options.refuse(path, `${what} are searched only ${DEEPEST} folders deep`);
      } else if (target?.kind === "file" && name.endsWith(".md") && name.length > 3) {
        found.push({ name: prefix + name.slice(0, -3), file: target.real, found: path });
      }
    }
  };
  walk(top, "", 1);
  return found;
}

/** Joins without normalizing, which is slow for many files. */
const join2 = (folder: string, name: string) => `${folder}/${name}`;

interface OpenedFolder {
  readonly real: string;
  readonly entries: readonly Dirent[];
}

/** Undefined if it does not exist or may not be used. */
function openFolder(path: string, { root, watch, refuse }: ScanOptions): OpenedFolder | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    watch(path, stat);
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return void refuse(path, "it is not a folder");
    const real = realpathSync(path);
    if (root !== undefined && !isInRoot(root, real)) return void refuse(path, outside(real, root));
    const entries = readdirSync(path, { withFileTypes: true });
    return { real, entries: byName(entries) };
  } catch (error) {
    return void refuse(path, `it cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
  }
}

/** Sorts the names alone, which is much faster than comparing entries. */
function byName(entries: readonly Dirent[]): readonly Dirent[] {
  const all = new Map<string, Dirent>();
  for (const entry of entries) all.set(entry.name, entry);
  return [...all.keys()].sort().map((name) => all.get(name)!);
}

const outside = (real: string, root: string) => `it links to ${real}, outside ${root}; move the files into it`;

type Kind = "file" | "folder" | "link" | "other";

function kindOf(entry: Dirent, folder: string): Kind {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  if (entry.isSymbolicLink()) return "link";
  // Some file systems do not tell the kind.
  return kindOfStats(lstatSync(join2(folder, entry.name), { throwIfNoEntry: false }));
}

function kindOfStats(stat: Stats | undefined): Kind {
  if (stat?.isDirectory()) return "folder";
  if (stat?.isFile()) return "file";
  return stat?.isSymbolicLink() ? "link" : "other";
}

/** What a link leads to; undefined if that may not be used. */
export function followLink(
  path: string,
  { root, isDenied, refuse }: Pick<ScanOptions, "root" | "isDenied" | "refuse">,
): { readonly kind: Kind; readonly real: string } | undefined {
  try {
    const real = realpathSync(path);
    if (root !== undefined && !isInRoot(root, real)) return void refuse(path, outside(real, root));
    const kind = kindOfStats(statSync(real));
    const files = kind === "folder" ? [join(path, "SKILL.md"), join(real, "SKILL.md")] : [path, real];
    if (files.some(isDenied)) return void refuse(path, "it links to a file that a rule denies reading");
    return { kind, real };
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return void refuse(
      path,
      code === "ENOENT"
        ? "it is a link to something that does not exist; correct or remove it"
        : `it cannot be read (${code})`,
    );
  }
}

/** The skill in one folder. */
export const skillIn = (folder: string, name = basename(folder)): SkillFile => {
  const file = join(folder, "SKILL.md");
  return { name, file, found: file };
};
