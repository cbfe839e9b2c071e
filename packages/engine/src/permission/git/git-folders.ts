// Where the git commands of a line run, because git obeys the settings of the repository it finds there. Does not
// access the disk.

import { basename } from "node:path/posix";
import { everyCommand, isLost, placesIn, resolved, type Where } from "../command/files/command-files.ts";
import type { SimpleCommand } from "../command/analysis/command.ts";
import { climbsBack } from "../match/paths.ts";
import type { Word } from "../command/analysis/word.ts";

export interface GitFolders {
  /** Absolute; folders from which git looks for a repository, and folders it is told to use as one. */
  readonly folders: readonly string[];
  /** It may also run in another folder that the text does not show. */
  readonly unsure: boolean;
}

/** Git itself, its subcommands by their own name, and programs that start git. */
const GIT = /^(git(-[\w-]+)?|gitk|gh|hub|lazygit|tig)$/i;

export function startsGit(part: SimpleCommand): boolean {
  return everyCommand([part]).some(({ words }) => GIT.test(basename(words[0]?.value ?? "")));
}

/** No folders if no part starts git. */
export function gitFolders(commands: readonly SimpleCommand[], where: Where): GitFolders {
  if (!commands.some(startsGit)) return { folders: [], unsure: false };
  const all = everyCommand(commands);
  const places = placesIn(all, where);
  const told = all.map((command) => repositoryTold(command, places, where.home));
  const home = all.some(({ words }) => words.length === 1 && words[0]!.value === "cd") ? [where.home] : [];
  const folders = [...places, ...home, ...told.flatMap(({ folders: more }) => more)];
  const unsure = isLost(places) || told.some((each) => each.unsure) || all.some(movesUnseen);
  return { folders: [...new Set(folders)], unsure };
}

/** `--git-dir=x`, `--work-tree x` and the equivalent variables. */
function repositoryTold({ words, assignments }: SimpleCommand, places: readonly string[], home: string): GitFolders {
  const isSet =
    assignments.some(({ name }) => name.startsWith("GIT_")) || words.some(({ value }) => /^GIT_\w+=/.test(value));
  const values = words.flatMap((word, at): Word[] => {
    const [, glued] = /^--(?:git-dir|work-tree)(?:=(.*))?$/s.exec(word.value) ?? [];
    if (glued !== undefined) return [{ ...word, value: glued }];
    return /^--(git-dir|work-tree)$/.test(word.value) && words[at + 1] ? [words[at + 1]!] : [];
  });
  const folders = values.flatMap((word) => resolved(word, places, home).map(({ path }) => path));
  return { folders, unsure: isSet || values.some(isUnsure) };
}

/** A change of folder whose target the text does not show, or that goes through a link the text does not show. */
function movesUnseen(command: SimpleCommand): boolean {
  const { words, runs } = command;
  const name = basename(words[0]?.value ?? "");
  const [first] = words.slice(1);
  if (name === "cd" || name === "pushd") return first !== undefined && (isPattern(first) || /^[-+]/.test(first.value));
  if (words.some((word, at) => /^(-C|--directory|--chdir)$/.test(words[at - 1]?.value ?? "") && isUnsure(word)))
    return true;
  // `env --chdir=x git`, `sudo -D x git`, `find -execdir git`.
  return runs.length > 0 && words.some(({ value }) => /^(-C.|-D|--(chdir|directory|cwd)=|-(exec|ok)dir$)/.test(value));
}

const isPattern = (word: Word) => word.kind === "unknown" || word.kind === "glob";
/** The system follows links before `..`; the text cannot show that. */
const isUnsure = (word: Word) => isPattern(word) || climbsBack(word.value);
