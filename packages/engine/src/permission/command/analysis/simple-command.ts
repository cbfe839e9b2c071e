// One simple command of a shell line, and the analysis of a whole line.

import type { Word } from "./word.ts";

/**
 * What a simple command is nested in, besides lists, pipelines, conditions and loops. printed: a substitution in a word
 * of `echo` or a similar program.
 */
export type Enclosure =
  | "substitution"
  | "subshell"
  | "group"
  | "function"
  | "background"
  | "coproc"
  | "time"
  | "expansion"
  | "shell"
  | "printed";

export interface Assignment {
  readonly name: string;
  /** Absent for arrays, subscripts and appends. */
  readonly value?: Word;
}

export interface Redirection {
  /** copy: another descriptor. text: a here-document or here-string, in `target` if it is constant. */
  readonly kind: "read" | "write" | "copy" | "text";
  readonly target: Word;
}

export interface SimpleCommand {
  /** The program first. Empty for a bare assignment or redirection. */
  readonly words: readonly Word[];
  /** As written, without assignments and redirections, the program's name unquoted: what allow rules match. */
  readonly text: string;
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly within: readonly Enclosure[];
  /** Part of a pipeline. */
  readonly piped?: true;
  /** Constant text that is piped into it. */
  readonly input?: readonly Word[];
  /** Part of a loop. */
  readonly repeated?: true;
  /** What it would start: behind `sudo`, in `bash -c`, after `find -exec`. */
  readonly runs: readonly SimpleCommand[];
  /** The wrapper does not change what it starts, so an allow rule for the inner command may apply. */
  readonly transparent: boolean;
  /** Starts something the text does not show, such as `bash -c "$x"`. */
  readonly opaque: boolean;
  /** A builtin that was given code, such as `trap 'rm x' EXIT`. */
  readonly code?: true;
}

export interface CommandAnalysis {
  readonly command: string;
  readonly commands: readonly SimpleCommand[];
  /** Set if the command could not be read completely. Do not trust `commands` then. */
  readonly problem?: string;
  /** Bash 3.2, which is the bash of macOS, would read it differently. */
  readonly modern?: true;
}

/** A command with these parts; everything else is empty. */
export function simpleCommand(
  part: Partial<SimpleCommand>,
  place: Pick<SimpleCommand, "within" | "piped" | "repeated">,
): SimpleCommand {
  const words = part.words ?? [];
  return {
    words,
    text: words.map((word) => word.text).join(" "),
    assignments: [],
    redirections: [],
    within: place.within,
    ...(place.piped && { piped: true }),
    ...(place.repeated && { repeated: true }),
    runs: [],
    transparent: false,
    opaque: false,
    ...part,
  };
}
