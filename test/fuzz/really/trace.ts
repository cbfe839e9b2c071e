// What one command left behind, as the sandbox reports it and the fuzz reads it.

import type { ScriptParts } from "../../../packages/host/src/shell/script.ts";

export type Shell = ScriptParts["shell"];

/** A command to run, and where. */
export interface Errand {
  readonly command: string;
  readonly cwd: string;
  /** `printf`, `test` and `[` run as programs, so that their words are written down, too. `echo` always does. */
  readonly logsBuiltins?: boolean;
}

export interface Trace {
  /** Every logged program that started: its path, then its words. */
  readonly ran: readonly (readonly string[])[];
  /** Files that appeared, disappeared or changed, relative to the world's root. */
  readonly changed: readonly string[];
  /** Text or a name from outside the working directory was printed, or a file there was opened. */
  readonly sawOutside: boolean;
  readonly sawEnvironment: boolean;
  /** A process outlived the command. */
  readonly left: boolean;
  readonly timedOut: boolean;
}
