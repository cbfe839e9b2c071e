// One simple command of a shell line, and the analysis of a whole line.

import type { Word } from "./word.ts";

/** Where a simple command stands, besides lists, pipelines, conditions and loops. */
export type Enclosure =
  "substitution" | "subshell" | "group" | "function" | "background" | "coproc" | "time" | "expansion" | "shell";

export interface Assignment {
  readonly name: string;
  /** Absent for arrays, subscripts and appends. */
  readonly value?: Word;
}

export interface Redirection {
  /** copy: another descriptor. text: a here-document or here-string, in `target` when it is constant. */
  readonly kind: "read" | "write" | "copy" | "text";
  readonly target: Word;
}

export interface SimpleCommand {
  /** The program first. Empty for a bare assignment or redirection. */
  readonly words: readonly Word[];
  /** As written, without assignments and redirections, the program's name de-quoted: what allow rules see. */
  readonly text: string;
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly within: readonly Enclosure[];
  /** Stands in a pipeline. Decides nothing; for those who explain. */
  readonly piped?: true;
  /** What this one would start: behind `sudo`, in `bash -c`, after `find -exec`. */
  readonly runs: readonly SimpleCommand[];
  /** The wrapper changes nothing about what it starts, so that an allow rule for the inner command may speak. */
  readonly transparent: boolean;
  /** Starts something that cannot be read from the text, as `bash -c "$x"` does. */
  readonly opaque: boolean;
  /** A builtin that was given code, as `trap 'rm x' EXIT` is. */
  readonly code?: true;
}

export interface CommandAnalysis {
  readonly command: string;
  readonly commands: readonly SimpleCommand[];
  /** Set when the command could not be read whole. `commands` is then not to be trusted. */
  readonly problem?: string;
}

/** A command with these parts; everything else is empty. */
export function simpleCommand(
  part: Partial<SimpleCommand>,
  place: Pick<SimpleCommand, "within" | "piped">,
): SimpleCommand {
  const words = part.words ?? [];
  return {
    words,
    text: words.map((word) => word.text).join(" "),
    assignments: [],
    redirections: [],
    within: place.within,
    ...(place.piped && { piped: true }),
    runs: [],
    transparent: false,
    opaque: false,
    ...part,
  };
}
