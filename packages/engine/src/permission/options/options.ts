// Options that make a program run another one, load code or access a file that an allow rule does not name. `Bash(git
// log:*)` was meant for reading history, not for `git log --output=x`. What the rule spells out is covered: `Bash(find
// . -exec:*)` allows one `-exec`.

import type { SimpleCommand } from "../command/analysis/command.ts";
import type { Word } from "../command/analysis/word.ts";
import type { ProgramCall, ProgramOptionTable, Uncovered } from "./program-options.ts";
import { anyProgram } from "./any-program.ts";
import { isOpenText } from "./code-words.ts";
import { firstUncovered } from "./read-options.ts";
import { optionsOf } from "./table.ts";

/** What the text of the command alone does not show. */
export interface CommandSetting {
  /** Whether a file is inside the working directories and not protected. */
  isInside(file: Word): boolean;
  /** xargs adds more words. */
  readonly fed: boolean;
  /** Patterns match the files now on disk, which are checked elsewhere. */
  readonly isSettled: boolean;
}

/** The first word that a rule with this text before its `*` does not cover. */
export function uncoveredWord(
  command: SimpleCommand,
  prefix: string,
  surroundings: CommandSetting,
): Uncovered | undefined {
  const agreed = agreedWords(command, prefix);
  // The rule may name a program behind another, as `Bash(npx eslint:*)` and `Bash(sudo git log:*)` do.
  for (let at = 0; at < Math.max(agreed, 1); at++) {
    const call = { words: command.words, start: at + 1, agreed, ...surroundings };
    const options = optionsAt(command, at, call);
    if (options === undefined) continue;
    const found = firstUncovered(options, call) ?? (agreed > at + 1 ? narrowly(options, call) : undefined);
    if (found) return found;
  }
  return undefined;
}

function optionsAt(command: SimpleCommand, at: number, call: ProgramCall): ProgramOptionTable | undefined {
  const program = command.words[at]!;
  return program.kind === "literal" ? (optionsOf(program.value) ?? otherwise(command, at, call)) : undefined;
}

/** The value of an option that runs something, of the command or of what it starts, if file names complete it. */
export function completedOption(command: SimpleCommand): Word | undefined {
  return completedBy(command) ?? firstOf(command.runs.map(completedOption));
}

/** More words with patterns are not looked at one by one: each could be such a value. */
const MOST_COMPLETED = 64;

function completedBy(command: SimpleCommand): Word | undefined {
  const { words } = command;
  const places = words.flatMap((word, at) => (at > 0 && isOpenText(word, "trust") ? [at] : []));
  if (places.length === 0) return undefined;
  const all = { words, start: 1, agreed: 1, isInside: () => true, fed: false, isSettled: true };
  const options = optionsAt(command, 0, all);
  if (options === undefined) return undefined;
  const hit = places.slice(0, MOST_COMPLETED).find((at) => isValueThatRuns(at, options, all));
  return words[hit ?? places[MOST_COMPLETED] ?? words.length];
}

/** Each word before it is asked about alone, because another option may be found first. */
function isValueThatRuns(at: number, options: ProgramOptionTable, all: ProgramCall): boolean {
  // Read as the option that it begins as: `-I*`.
  const words = all.words.with(at, { ...all.words[at]!, kind: "unknown" });
  for (let agreed = at; agreed >= Math.max(1, at - MOST_VALUES); agreed--) {
    for (const seen of [words.slice(0, at + 1), words]) {
      const found = firstUncovered(options, { ...all, words: seen, agreed });
      if (found?.why !== "option") continue;
      const option = words.indexOf(found.word);
      if (option <= at && option + valuesOf(found) >= at) return true;
    }
  }
  return false;
}

/** Of `tar xIfC`. */
const MOST_VALUES = 4;

/** How many of the words behind it may be its values: none if it brings its own, as in `--rsh=ssh`. */
const valuesOf = ({ word, values }: Uncovered) => values ?? (/^--?[^=\s]+=/.test(word.value) ? 0 : 1);

const firstOf = <T>(found: readonly (T | undefined)[]) => found.find((each) => each !== undefined);

/** For a program without a table. The words behind a wrapper are not its own, and a project's own script may be told anything. */
function otherwise(
  { words, runs }: SimpleCommand,
  at: number,
  { isInside }: ProgramCall,
): ProgramOptionTable | undefined {
  const isFetched = FETCHERS.test(words[0]!.value);
  const isScript = words[at]!.value.includes("/") && isInside(words[at]!);
  return at === (isFetched ? 1 : 0) && runs.length === 0 && !isScript ? anyProgram : undefined;
}

/** They start the program that their first word names. */
const FETCHERS = /^(bunx|npx|pnpx|uvx)$/;

function narrowly({ narrowed }: ProgramOptionTable, call: ProgramCall): Uncovered | undefined {
  return narrowed && firstUncovered(narrowed, call);
}

/** How many words of the command the rule spells out. */
function agreedWords({ words, text }: SimpleCommand, prefix: string): number {
  let end = 0;
  for (const [at, word] of words.entries()) {
    const written = at === 0 ? word.value : word.text;
    const found = text.indexOf(written, end);
    end = found + written.length;
    if (found < 0 || end > prefix.length) return at;
  }
  return words.length;
}
