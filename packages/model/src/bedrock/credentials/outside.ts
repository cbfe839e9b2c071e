// What the AWS credential chain needs from the machine, and what it finds.

import { ModelError } from "@keelson/engine";
import { isObject, tryParse } from "@keelson/protocol";
import type { AwsKeys } from "../wire/sigv4.ts";

/** Files, processes, time and network for the AWS credential chain. */
export interface AwsOutside {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Undefined if there is no such file. */
  readFile(path: string): Promise<string | undefined>;
  /** For renewed sign-ins of SSO. Readable by the user only. Without it, an expired sign-in is an error. */
  writeFile?(path: string, text: string): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs a command line of the user's own AWS configuration in a shell. */
  run(command: string): Promise<CommandOutput>;
  /** The setting `awsCredentialExport`: what the command printed. Takes precedence over the chain. */
  credentialExport?(): Promise<string>;
  /** The setting `awsAuthRefresh`, run after the service refused the credentials. False if the command failed. */
  authRefresh?(signal: AbortSignal | undefined): Promise<boolean>;
}

export interface CommandOutput {
  readonly code: number | null;
  readonly stdout: string;
}

export interface FoundKeys extends AwsKeys {
  /** Milliseconds since the epoch; absent for keys that do not expire. */
  readonly expiresAt?: number;
}

/** Reads keys out of JSON with these field names. Never quotes the text: it is secret. */
export function keysFrom(value: unknown, names: KeyNames, source: string): FoundKeys {
  const fields = isObject(value) ? value : {};
  const accessKeyId = fields[names.id];
  const secretAccessKey = fields[names.secret];
  const sessionToken = fields[names.token];
  const expiration = fields[names.expiration];
  if (!isFilled(accessKeyId) || !isFilled(secretAccessKey))
    throw credentialError(`${source} returned no "${names.id}" and "${names.secret}"`);
  const expiresAt = typeof expiration === "number" ? expiration : Date.parse(String(expiration));
  return {
    accessKeyId,
    secretAccessKey,
    ...(isFilled(sessionToken) ? { sessionToken } : {}),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}

interface KeyNames {
  readonly id: string;
  readonly secret: string;
  readonly token: string;
  readonly expiration: string;
}

const upper = { id: "AccessKeyId", secret: "SecretAccessKey", expiration: "Expiration" };
/** Of `credential_process`, `awsCredentialExport` and STS. */
export const COMMAND_KEYS: KeyNames = { ...upper, token: "SessionToken" };
/** Of the metadata services. */
export const METADATA_KEYS: KeyNames = { ...upper, token: "Token" };
export const SSO_KEYS: KeyNames = {
  id: "accessKeyId",
  secret: "secretAccessKey",
  token: "sessionToken",
  expiration: "expiration",
};

/**
 * Asks a service that gives credentials. Its answer is never quoted, except the code of an error. Throws ModelError of
 * the kind `connection` if there is none.
 */
export async function askService(
  { fetch }: AwsOutside,
  url: string,
  { timeoutMs, ...init }: RequestInit & { readonly timeoutMs: number },
): Promise<{ readonly ok: boolean; readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch {
    const { origin } = new URL(url);
    throw new ModelError(
      "connection",
      `Could not reach ${origin} for AWS credentials; check the network and the proxy variables`,
    );
  }
}

/** Undefined if the file is missing or is not a JSON object. */
export async function readJsonFile(
  { readFile }: AwsOutside,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const value = tryParse((await readFile(path)) ?? "");
  return isObject(value) ? value : undefined;
}

export function credentialError(message: string): ModelError {
  return new ModelError("authentication_failed", message);
}

export const isFilled = (value: unknown): value is string => typeof value === "string" && value !== "";
