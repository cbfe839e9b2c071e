// What the tables say about a program's options: which ones an allow rule for the program does not cover.

import type { Word } from "../command/word.ts";

export interface Uncovered {
  readonly word: Word;
  /** pattern: a file name it matches may be read as an option. fed: so may a name that xargs adds. */
  readonly why: "option" | "file" | "pattern" | "fed";
}

/** What is known about the options of one program or subcommand. Lists are separated by spaces. */
export interface ProgramOptionTable {
  /** Letters of short options that run a program, load code or write elsewhere. */
  readonly short?: string;
  /** The same for long options, without their dashes. Abbreviations are recognised. */
  readonly long?: string;
  /** Harmless options whose name is the beginning of one in `long`. */
  readonly plain?: string;
  /** Letters of short options that take a value: the rest of the word, or the next word. */
  readonly valued?: string;
  /** Long options that take the next word. Needed only with `opens`. */
  readonly takes?: string;
  /** Letters and names of options whose value is a file or folder, covered inside the working directories. */
  readonly files?: string;
  /** Values, by letter or name, with which an option of `short` or `long` is covered after all. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Options are words with one dash or two, never bundles of letters or abbreviations: find, go, java. */
  readonly single?: true;
  /** Long options may also have one dash: npm. */
  readonly oneDash?: true;
  /** The first word is a bundle of letters even without a dash: tar. */
  readonly bundle?: true;
  /** Options that begin with `+` are commands: vim, less. */
  readonly plus?: true;
  /** Options end after this many operands; what follows is for another program. */
  readonly operands?: number;
  /** Letters of options whose value is code; all words after it are for the code. */
  readonly ends?: string;
  /** Operands that are commands or reach elsewhere. */
  readonly operand?: RegExp;
  /** Operands are files it runs or writes. */
  readonly opens?: true;
  /** No option of it harms, so neither does a pattern that may match one. */
  readonly harmless?: true;
  /** Subcommands, applied to what follows the word wherever it stands. */
  readonly commands?: Readonly<Record<string, ProgramOptionTable>>;
  /** This subcommand itself is not covered. */
  readonly whole?: true;
  /** Applied as well where the rule names more than the program: `Bash(make test:*)`, but not `Bash(make:*)`. */
  readonly narrowed?: ProgramOptionTable;
  /** What options alone do not tell: the position of a word that is not covered, past those the rule spells out. */
  readonly inspect?: (call: ProgramCall) => number | undefined;
  /** Reads all words itself. */
  readonly read?: (call: ProgramCall) => Uncovered | undefined;
}

export interface ProgramCall {
  readonly words: readonly Word[];
  /** Where the words of this program begin. */
  readonly start: number;
  /** Words before this one are spelled out in the rule. */
  readonly agreed: number;
  readonly fed: boolean;
  readonly isSettled: boolean;
  isInside(file: Word): boolean;
}

/** For `inspect`: the first of the program's words that matches. */
export function wordMatching(pattern: RegExp): NonNullable<ProgramOptionTable["inspect"]> {
  return ({ words, start, agreed }) => {
    const found = words.findIndex((word, at) => at >= Math.max(start, agreed) && pattern.test(word.value));
    return found < 0 ? undefined : found;
  };
}
