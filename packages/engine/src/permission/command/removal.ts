// The circuit breakers: `rm`, `rmdir` and `rimraf` on the root, the home folder, the working directories or their parents. They
// need approval in every mode, whatever allows the command, however it is written, as long as it can be read.

import { basename, dirname } from "node:path/posix";
import type { SimpleCommand } from "./analysis/command.ts";
import { everyCommand } from "./files/command-files.ts";
import { realPattern, type CommandView } from "./command-view.ts";
import { nameFits } from "./files/on-disk.ts";
import { absolute, fold, withoutDetour } from "../match/paths.ts";
import { literal, type Word } from "./analysis/word.ts";

/** `$x/*`, `$PWD`, `${HOME%/}`, `$(pwd)`, `$(git rev-parse --show-toplevel)/*`, `~user`. */
const KEPT_FOLDER =
  /^"?(\$\{?\w+\}?"?(\/\**|\/\.\*)"?|(\$(PWD|OLDPWD)|\$\{(HOME|PWD|OLDPWD)[^}]*\}|(\$\(|`)\s*(pwd( -[LP])?|git rev-parse --show-toplevel|realpath \.|readlink -f \.)\s*[)`])"?\/?(\.?\**)"?|~[^/]*\/?\**)$/;

/** The first target of this part that must not be removed without approval; undefined if there is none. */
export function criticalRemoval(part: SimpleCommand, view: CommandView): string | undefined {
  const words = everyCommand([part]).flatMap(targets);
  return words.find((word) => view.lost || isCritical(word, view.kept(), view))?.text;
}

/** What the command removes. An unknown program counts as `rm` if its options look like it. */
function targets(command: SimpleCommand): readonly Word[] {
  const [program, ...words] = command.words;
  if (program === undefined) return [];
  const name = basename(program.value).toLowerCase();
  const disguised = program.kind === "unknown" && words.some((word) => /^-[a-zA-Z]*[rR]/.test(word.value));
  if (name === "xargs" && everyCommand(command.runs).some(removes)) return handedWords(command);
  if (!removes(command) && !disguised) return [];
  return words.filter((word) => !word.value.startsWith("-") || word.value === "--no-preserve-root");
}

const removes = ({ words: [program] }: SimpleCommand) =>
  /^(rm|rmdir|rimraf)$/i.test(program === undefined ? "" : basename(program.value));

/** What `xargs` adds, if that is constant: `echo / | xargs rm -r`. */
function handedWords({ input = [], redirections }: SimpleCommand): readonly Word[] {
  const texts = [...input, ...redirections.flatMap(({ kind, target }) => (kind === "text" ? [target] : []))];
  return texts.flatMap(({ kind, value }) =>
    kind === "literal"
      ? value
          .split(/[\s\0]+/)
          .filter(Boolean)
          .map(literal)
      : [],
  );
}

function isCritical(word: Word, kept: ReadonlySet<string>, { places, question, where }: CommandView): boolean {
  if (word.value === "--no-preserve-root") return true;
  if (word.kind === "unknown") return KEPT_FOLDER.test(word.text);
  const fromHome = /^~(\/|$)/.test(word.value) && word.kind !== "literal";
  const value = fromHome ? where.home + word.value.slice(1) : word.value;
  return places.some((place) => {
    const path = withoutDetour(absolute(place, value), place);
    if (word.kind === "glob")
      return isCriticalPattern(path, kept) || isCriticalPattern(realPattern(path, question), kept);
    return isKept(path, kept) || isKept(question.realPaths?.get(path) ?? path, kept);
  });
}

/**
 * A pattern is as dangerous as its folder if it matches everything in it, and always dangerous directly below the root.
 */
function isCriticalPattern(pattern: string, kept: ReadonlySet<string>): boolean {
  if ([...kept].some((path) => standsFor(pattern, path))) return true;
  const folder = dirname(pattern);
  if (/[*?[]/.test(folder)) return /^\/[^/]*[*?[]/.test(folder);
  const everything = /^\.?(\[[!^]?\.?\]|\[[!^][^\]]*\])?[*?]+$/.test(basename(pattern));
  return folder === "/" || (everything && isKept(folder, kept));
}

function standsFor(pattern: string, path: string): boolean {
  const names = path.split("/");
  const wanted = pattern.split("/");
  return names.length === wanted.length && wanted.every((each, at) => nameFits(names[at]!, each));
}

function isKept(path: string, kept: ReadonlySet<string>): boolean {
  return dirname(path) === "/" || kept.has(fold(path));
}
