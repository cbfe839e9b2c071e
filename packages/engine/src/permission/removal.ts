// The circuit breakers: `rm` and `rmdir` aimed at the root, home, the working folders or what holds them.
// They ask in every mode, whatever allows the command, however it is spelled as long as it can be read.

import { basename, dirname } from "node:path/posix";
import type { CommandAnalysis, SimpleCommand } from "./command.ts";
import { everyCommand, isLost, placesIn, type Where } from "./command-files.ts";
import { absolute, withParents } from "./paths.ts";
import type { Word } from "./word.ts";

interface Ground extends Where {
  readonly directories: readonly string[];
  readonly realPaths?: ReadonlyMap<string, string>;
}

/** The first target that must not go without a person's word; undefined when there is none. */
export function criticalRemoval(analysis: CommandAnalysis, ground: Ground): string | undefined {
  const commands = everyCommand(analysis.commands);
  const places = placesIn(commands, ground);
  const kept = new Set([...ground.directories, ground.home, ...places].flatMap(withParents).map(fold));
  const lost = isLost(places);
  for (const command of commands) {
    const target = targets(command).find((word) => lost || isCritical(word, places, kept, ground));
    if (target) return target.text;
  }
  return undefined;
}

/** What the command removes. A program that is not known is taken for `rm` when its options look like that. */
function targets(command: SimpleCommand): readonly Word[] {
  const [program, ...words] = command.words;
  if (program === undefined) return [];
  const name = basename(program.value).toLowerCase();
  const disguised = program.kind === "unknown" && words.some((word) => /^-[a-zA-Z]*[rR]/.test(word.value));
  if (name !== "rm" && name !== "rmdir" && !disguised) return [];
  return words.filter((word) => !word.value.startsWith("-") || word.value === "--no-preserve-root");
}

function isCritical(word: Word, places: readonly string[], kept: ReadonlySet<string>, ground: Ground): boolean {
  if (word.value === "--no-preserve-root") return true;
  if (word.kind === "unknown")
    return /^"?(\$\{?\w+\}?"?(\/\**|\/\.\*)"?|\$\{?(PWD|OLDPWD)\}?"?|~[^/]*\/?\**)$/.test(word.text);
  const value = /^~(\/|$)/.test(word.value) && word.kind !== "literal" ? ground.home + word.value.slice(1) : word.value;
  if (word.kind === "glob") return places.some((place) => isCriticalPattern(absolute(place, value), kept));
  return places.some((place) => {
    const path = absolute(place, value);
    return isKept(path, kept) || isKept(ground.realPaths?.get(path) ?? path, kept);
  });
}

/** A pattern is as bad as its folder when it takes everything in it, and bad by itself directly under the root. */
function isCriticalPattern(pattern: string, kept: ReadonlySet<string>): boolean {
  const folder = dirname(pattern);
  if (/[*?[]/.test(folder)) return /^\/[^/]*[*?[]/.test(folder);
  const everything = /^\.?(\[!?\^?\.?\])?[*?]+$/.test(basename(pattern));
  return folder === "/" || (everything && isKept(folder, kept));
}

function isKept(path: string, kept: ReadonlySet<string>): boolean {
  return dirname(path) === "/" || kept.has(fold(path));
}

const fold = (path: string) => path.toLowerCase();
