// Commands that process whole folders: those that follow every link in them, and those that copy or move everything in
// them. This only tells which folders, from the text.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { resolved, filesOf } from "./command-files.ts";
import { patternFolder } from "../../match/match-path.ts";
import type { Ends } from "../../question.ts";
import type { Word } from "../analysis/word.ts";

export interface DeepFolder {
  readonly path: string;
  readonly pattern: boolean;
  /** Links in it are followed; otherwise they are copied as links. */
  readonly follow: boolean;
  /** Only direct children. */
  readonly shallow?: true;
}

/** Empty for a command that does neither. */
export function deepFolders(command: SimpleCommand, places: readonly string[], home: string): DeepFolder[] {
  return [...followedBy(command, places, home), ...(transferOf(command, places, home)?.sources ?? [])];
}

export interface Transfer {
  readonly sources: readonly DeepFolder[];
  readonly targets: readonly string[];
}

/** What a recursive copy reads and writes; undefined for anything else. */
export function copyOf(command: SimpleCommand, places: readonly string[], home: string): Transfer | undefined {
  return basename(command.words[0]?.value ?? "") === "mv" ? undefined : transferOf(command, places, home);
}

/** The same, also for commands that move folders. */
export function transferOf(
  { words: [program, ...words] }: SimpleCommand,
  places: readonly string[],
  home: string,
): Transfer | undefined {
  const name = basename(program?.value ?? "");
  const copies = (name === "cp" || name === "rsync") && words.some((word) => COPIES_LINKS.test(word.value));
  if (!copies && name !== "mv") return undefined;
  const follow = copies && words.some((word) => /^(-[a-zA-Z]*[LHk]|--(der|copy-))/.test(word.value));
  const target = words.find((_, at) => /^(-[a-zA-Z]*t|--t[a-z-]*)$/.test(words[at - 1]?.value ?? ""));
  const joined = words.find((word) => /^(-[a-zA-Z]*t.|--t[a-z-]*=)/.test(word.value));
  const operands = words.filter((word) => word !== target && (!word.value.startsWith("-") || word.value === "-"));
  const last = target ?? (joined && { ...joined, value: joined.value.replace(/^(-[a-zA-Z]*?t|[^=]*=)/, "") });
  const sources = last === undefined ? operands.slice(0, -1) : operands;
  return {
    sources: sources.flatMap((word) => resolved(word, places, home).map((file) => ({ ...file, follow }))),
    targets: [last ?? operands.at(-1)].flatMap((word) =>
      word === undefined ? [] : resolved(word, places, home).map(({ path }) => path),
    ),
  };
}

/** What it moves or removes as a whole, by `mv` and `rm -r` or as git does; empty for anything else. */
export function takenAway(
  { words, ...rest }: SimpleCommand,
  places: readonly string[],
  home: string,
): { readonly paths: readonly string[]; readonly isMoved: boolean } {
  const own = basename(words[0]?.value ?? "") === "git" ? words.slice(1) : words;
  const name = basename(own[0]?.value ?? "");
  const command = { ...rest, words: own.map((word, at) => (at === 0 ? { ...word, value: name } : word)) };
  const isMoved = name === "mv";
  const isRemoved = name === "rm" && own.some(({ value }) => /^(-[a-zA-Z]*[rR]|--rec)/.test(value));
  if (!isMoved && !isRemoved) return { paths: [], isMoved };
  const found = isMoved
    ? (transferOf(command, places, home)?.sources ?? [])
    : filesOf({ ...command, redirections: [] }, places, home, "lenient");
  return { paths: found.filter(({ pattern }) => !pattern).map(({ path }) => path), isMoved };
}

/** Where the contents of a folder end up: with or without the folder's name in front. */
export function landings(copy: Transfer, contents: ReadonlyMap<string, readonly Ends[]>): string[] {
  return copy.sources.flatMap(({ path, pattern }) => {
    const folder = pattern ? patternFolder(path) : path;
    return (contents.get(path) ?? []).flatMap(({ given }) => {
      const inner = given.startsWith(`${folder}/`) ? given.slice(folder.length + 1) : given.slice(1);
      return copy.targets.flatMap((target) => [`${target}/${inner}`, `${target}/${basename(folder)}/${inner}`]);
    });
  });
}

const COPIES_FOLDERS = /^(-[a-zA-Z]*[rRa]|--(rec|ar))/;
/** The same, plus options that copy a link as a link. */
const COPIES_LINKS = /^(-[a-zA-Z]*[rRaPdls]|--(rec|ar|no-d|l|sy))/;

/** The folders in which every link is followed. */
export function followedBy(command: SimpleCommand, places: readonly string[], home: string): DeepFolder[] {
  const [program, ...words] = command.words;
  const name = basename(program?.value ?? "");
  const follower = Object.hasOwn(FOLLOWERS, name) ? FOLLOWERS[name]! : undefined;
  if (!follower?.when(words)) return [];
  const named = filesOf({ ...command, redirections: [] }, places, home, "lenient");
  const operands = words.filter((word) => !word.value.startsWith("-")).length;
  const here = operands <= follower.before ? places.map((path) => ({ path, pattern: false })) : [];
  const shallow = follower.deep !== undefined && !follower.deep(words);
  return [...named, ...here].map(({ path, pattern }) => ({ path, pattern, follow: true, ...(shallow && { shallow }) }));
}

/** Where a command finds the names it passes to `xargs`, including links. */
export function searchedBy(command: SimpleCommand, places: readonly string[], home: string): DeepFolder[] {
  const [program, ...words] = command.words;
  const first = words.findIndex(({ value }) => /^[-(!]/.test(value));
  const starts = program?.value === "find" ? words.slice(0, first < 0 ? words.length : first) : [];
  const found = starts.flatMap((word) => resolved(word, places, home));
  const folders = found.length > 0 ? found : places.map((path) => ({ path, pattern: false }));
  return folders.map((folder) => ({ ...folder, follow: false }));
}

interface Follower {
  when(words: readonly Word[]): boolean;
  /** Operands before the folders; with no more than these, the current folder is meant. */
  readonly before: number;
  /** Whether it goes deeper than a folder's direct children; always if absent. */
  deep?(words: readonly Word[]): boolean;
}

const option = (pattern: RegExp) => (words: readonly Word[]) => words.some((word) => pattern.test(word.value));
const grep: Follower = { when: option(/^(-[a-zA-Z0-9]*R|--der)/), before: 1 };
const search: Follower = { when: option(/^(-[a-zA-Z0-9]*L|--follow)/), before: 1 };
const recursive = option(/^(-[a-zA-Z0-9]*R|--rec)/);
const dereferences = option(/^(-[a-zA-Z0-9]*L|--der)/);

const FOLLOWERS: Readonly<Record<string, Follower>> = {
  cp: { when: (words) => option(COPIES_FOLDERS)(words) && dereferences(words), before: 0 },
  // diff follows links unless told not to; given two folders, it opens the files in both without any option.
  diff: { when: (words) => !option(/^--no-der/)(words), before: 0, deep: option(/^(-[a-zA-Z]*r|--rec)/) },
  du: { when: dereferences, before: 0 },
  egrep: grep,
  fd: search,
  fgrep: grep,
  find: { when: option(/^(-L|-follow)$/), before: 0 },
  grep,
  ls: { when: (words) => recursive(words) && dereferences(words), before: 0 },
  rg: search,
  tree: { when: option(/^-[a-zA-Z]*l/), before: 0 },
};
