// What the search for Google credentials needs from the machine, and what it finds.

import type { JsonObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { Env } from "../../profiles/profiles.ts";

/** Files, processes, time and network for Google's credentials. */
export interface GoogleOutside {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Undefined if there is no such file. */
  readFile(path: string): Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs a command line of the user's own Google configuration, with more variables. */
  run?(
    command: string,
    options: { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ): Promise<{ readonly code: number | null; readonly stdout: string }>;
  /** The setting `gcpAuthRefresh`, run after the service refused the credentials. False if the command failed. */
  authRefresh?(signal: AbortSignal | undefined): Promise<boolean>;
}

export interface FoundToken {
  readonly token: string;
  /** Milliseconds since the epoch; absent if it is not known. */
  readonly expiresAt?: number;
  /** The project that pays, if the credentials name one. */
  readonly quotaProject?: string;
}

/** One search for a token. */
export interface TokenSearch {
  readonly env: Env;
  readonly outside: GoogleOutside;
  /** Called with everything that no message may contain. */
  keepSecret(value: unknown): void;
}

export function credentialsError(message: string): ModelError {
  return new ModelError("authentication_failed", message);
}

export const SIGN_IN = 'run "gcloud auth application-default login"';

/** A field that the credentials must have. `path` is for messages. */
export function neededField(account: JsonObject, name: string, path: string): string {
  const value = textField(account, name);
  if (value !== undefined) return value;
  throw credentialsError(`"${path}" has no "${name}"; ${SIGN_IN}, or download the file again`);
}

export function textField(account: JsonObject, name: string): string | undefined {
  const value = account[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
