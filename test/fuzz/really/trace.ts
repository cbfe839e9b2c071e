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

/** Texts that stand only in one place: in files and names outside, in the denied file, in the environment. */
export const MARKERS = {
  outside: "KEELSON-OUTSIDE",
  denied: "KEELSON-DENIED",
  environment: "KEELSON-ENVIRONMENT",
} as const;

export type Marker = keyof typeof MARKERS;

export interface Trace {
  /** Every logged program that started: its path, then its words. */
  readonly ran: readonly (readonly string[])[];
  /** Files that appeared, disappeared or changed, relative to the world's root. */
  readonly changed: readonly string[];
  /** Folders among them that appeared or disappeared as a whole. */
  readonly folders: readonly string[];
  /** Files outside the working directory, and the denied one, that were opened. */
  readonly opened: readonly string[];
  /** What was printed that gives away where it came from. */
  readonly printed: readonly Marker[];
  /** A process outlived the command. */
  readonly left: boolean;
  readonly timedOut: boolean;
}
