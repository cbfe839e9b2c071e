// Options that make a program run another one, load code or access a file that an allow rule does not name. `Bash(git
// log:*)` was meant for reading history, not for `git log --output=x`. What the rule spells out is covered: `Bash(find
// . -exec:*)` allows one `-exec`.

import type { SimpleCommand } from "../command/analysis/command.ts";
import type { Word } from "../command/analysis/word.ts";
import type { ProgramCall, ProgramOptionTable, Uncovered } from "./program-options.ts";
import { anyProgram } from "./any-program.ts";
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
    const program = command.words[at]!;
    const call = { words: command.words, start: at + 1, agreed, ...surroundings };
    const options = program.kind === "literal" ? (optionsOf(program.value) ?? otherwise(command, at, call)) : undefined;
    if (options === undefined) continue;
    const found = firstUncovered(options, call) ?? (agreed > at + 1 ? narrowly(options, call) : undefined);
    if (found) return found;
  }
  return undefined;
}

/** The value of such an option, of the command or of what it starts, if file names complete it: they would say what runs. */
export function completedOption({ words, runs, ...rest }: SimpleCommand): Word | undefined {
  const isCompleted = (word: Word | undefined) => word?.kind === "glob";
  const found = words.some(isCompleted)
    ? uncoveredWord({ words, runs, ...rest }, words[0]!.value, { isInside: () => true, fed: false, isSettled: true })
    : undefined;
  const at = found?.why === "option" ? words.indexOf(found.word) : words.length;
  return words.slice(at, at + 2).find(isCompleted) ?? firstOf(runs.map(completedOption));
}

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
