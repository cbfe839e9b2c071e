// What the tables say about a program: which of its options an allow rule for the program does not cover.

import type { Word } from "../command/analysis/word.ts";

export interface Uncovered {
  readonly word: Word;
  /** pattern: a matching file name may be read as an option. fed: so may a name that xargs adds. */
  readonly why: "option" | "file" | "pattern" | "fed";
  /** How many of the next words may be values of this option, if that is known. */
  readonly values?: number;
}

/** The options of one program or subcommand. Lists are separated by spaces. */
export interface ProgramOptionTable {
  /** Letters of short options that run a program, load code or write elsewhere. */
  readonly short?: string;
  /** The same for long options, without their dashes. Abbreviations are recognized. */
  readonly long?: string;
  /** Harmless options whose name is the beginning of one in `long`. */
  readonly plain?: string;
  /** Letters of short options that take a value: the rest of the word, or the next word. */
  readonly valued?: string;
  /** Long options that take the next word. Only needed with `opens`. */
  readonly takes?: string;
  /** Letters and names of options whose value is a file or folder, covered inside the working directories. */
  readonly files?: string;
  /** Values, by letter or name, with which an option of `short` or `long` is covered after all. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Options are words with one or two dashes, never bundled letters or abbreviations: find, go, java. */
  readonly single?: true;
  /** Long options may also have one dash: npm. */
  readonly oneDash?: true;
  /** The first word is bundled letters even without a dash: tar. */
  readonly bundle?: true;
  /** Options that start with `+` are commands: vim, less. */
  readonly plus?: true;
  /** Options end after this many operands; what follows belongs to another program. */
  readonly operands?: number;
  /** Letters of options whose value is code; all words after it belong to the code. */
  readonly ends?: string;
  /** Operands that are commands or reach elsewhere. */
  readonly operand?: RegExp;
  /** Operands are files that it runs or writes. */
  readonly opens?: true;
  /** No option does harm, so a pattern that may match one does not either. */
  readonly harmless?: true;
  /** Subcommands, applied to what follows the word wherever it is. */
  readonly commands?: Readonly<Record<string, ProgramOptionTable>>;
  /** This subcommand itself is not covered. */
  readonly whole?: true;
  /** Also applied if the rule has more words than the program: `Bash(make test:*)`, but not `Bash(make:*)`. */
  readonly narrowed?: ProgramOptionTable;
  /**
   * For what options alone do not show: the position of a word that is not covered, after the words the rule spells
   * out.
   */
  readonly inspect?: (call: ProgramCall) => number | undefined;
  /** Reads all words itself. */
  readonly read?: (call: ProgramCall) => Uncovered | undefined;
}

export interface ProgramCall {
  readonly words: readonly Word[];
  /** The position of this program's first word. */
  readonly start: number;
  /** Words before this position are spelled out in the rule. */
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
