// Everything the program needs from the outside, passed in so that tests can use fake I/O.

import type { Flags, LoadSettingsOptions } from "@keelson/config";
import type { SessionsHere } from "../open.ts";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface ProcessIO {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly uid?: number;
  /** Where managed settings are, if not in the default place. */
  readonly managedDir?: string;
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    /** Standard input is `/dev/null`. With a terminal on the other side, keys are read from that. */
    readonly stdinIsNull?: boolean;
  };
  /** Why nothing can be written to standard output, if that is known before anything is. */
  whyUnwritable?(): string | undefined;
  /** The sessions of this process. `open` rejects with an error named `OpenError` when a session cannot be opened. */
  sessions(): Promise<SessionsHere>;
  stdin(): AsyncIterable<Uint8Array>;
  /** Loads the modules of a session ahead of time. */
  preload?(): Promise<unknown>;
  /** The same I/O in another folder, with another environment instead of this one. */
  moved?(to: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): ProcessIO;
  /**
   * Writes to standard output. Await the promise if there is one: the reader is behind. A terminal gets nothing that it
   * would obey, except the styles of `style`.
   */
  write(text: string): void | Promise<void>;
  /** What to write for a style, at a terminal; the code itself if absent. */
  style?(code: number): string;
  /** Writes one line to standard error, without anything that a terminal obeys. */
  error(text: string): void;
  /** Whether the parent process is gone. */
  isOrphan?(): boolean;
  /** Appends to a debug file. */
  append(file: string, text: string): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Listens for a signal; returns a function that stops listening. */
  onSignal(signal: EndSignal, listener: () => void): () => void;
  /** Exits at once, without waiting for anything. */
  exit(code: number): void;
}

/** The options to load settings with this I/O. */
export function loadOptions(
  { cwd, home, env, platform, uid, managedDir }: ProcessIO,
  flags: Flags,
): LoadSettingsOptions {
  return {
    cwd,
    home,
    env,
    platform,
    flags,
    ...(uid === undefined ? {} : { uid }),
    ...(managedDir === undefined ? {} : { managedDir }),
  };
}

/** Known by its name, because the runtime is not loaded for it. */
export function isOpenError(error: unknown): error is Error & { readonly kind?: "session" | "setup" } {
  return error instanceof Error && error.name === "OpenError";
}

/** Prints `error: …` and returns the exit code. */
export function printError(io: Pick<ProcessIO, "error">, message: string): number {
  io.error(`error: ${lowerFirst(message)}`);
  return 1;
}

/** On one line: a path in it may have line breaks, which would look like further warnings. */
export function printWarning(io: Pick<ProcessIO, "error">, message: string): void {
  io.error(`warning: ${lowerFirst(message).replaceAll("\n", "?")}`);
}

/** Messages of other packages are sentences; after a prefix their first word starts in lower case. */
function lowerFirst(message: string): string {
  return /^(?:A|[A-Z][a-z']+) /.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message;
}
