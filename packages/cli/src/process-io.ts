// Everything the program touches outside itself, so that a test can hand it another io.

import type { Flags, LoadSettingsOptions } from "@keelson/config";
import type { OpenSession } from "./open.ts";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface ProcessIO {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly uid?: number;
  /** Where an administrator's settings are, if not in the system's own place. */
  readonly managedDir?: string;
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean };
  readonly openSession: OpenSession;
  stdin(): AsyncIterable<Uint8Array>;
  /** Loads what a session will need, while there is nothing to do. */
  preload?(): Promise<unknown>;
  /** The same world seen from another folder, with another environment and nothing left of this one. */
  moved?(to: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): ProcessIO;
  /** Standard output. A promise means the reader is behind. */
  write(text: string): void | Promise<void>;
  /** One line on standard error. */
  error(text: string): void;
  /** Whether whoever started us is gone. */
  isOrphan?(): boolean;
  /** Adds a line to a debug file. */
  append(file: string, text: string): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back on every such signal; returns how to stop. */
  onSignal(signal: EndSignal, listener: () => void): () => void;
  /** Ends at once, whatever is still going on. */
  exit(code: number): void;
}

/** What settings are read from, in this io. */
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
