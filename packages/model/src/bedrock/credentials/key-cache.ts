// AWS keys that are kept until they expire, and found again before. However many requests ask at the same time, they are
// looked for once.

import { ModelError } from "@keelson/engine";
import { isObject, tryParse } from "@keelson/protocol";
import type { Env } from "../../profiles/profiles.ts";
import { COMMAND_KEYS, credentialError, keysFrom, type AwsOutside, type FoundKeys } from "./outside.ts";

// Renewed this long before they expire, as a reply may take its time to begin.
const RENEW_BEFORE_MS = 5 * 60_000;
// Exported keys that do not say when they expire are asked for again after an hour, as in the reference.
const EXPORT_LASTS_MS = 60 * 60_000;
const RENEWED_RECENTLY_MS = 60_000;
const MAX_SECRETS = 30;

export class KeyCache {
  readonly #env: Env;
  readonly #region: string;
  readonly #outside: AwsOutside;
  #keys: FoundKeys | undefined;
  #pending: Promise<FoundKeys> | undefined;
  #renewing: Promise<boolean> | undefined;
  #renewedAt = -Infinity;
  /** Also earlier ones: an error may quote what an attempt before was sent with. */
  readonly #secrets = new Set<string>();

  constructor(env: Env, region: string, outside: AwsOutside) {
    this.#env = env;
    this.#region = region;
    this.#outside = outside;
  }

  secrets(): readonly string[] {
    return [...this.#secrets];
  }

  async current(): Promise<FoundKeys> {
    const kept = this.#keys;
    const left = (kept?.expiresAt ?? Infinity) - this.#outside.now();
    if (kept && left > RENEW_BEFORE_MS) return kept;
    try {
      return await this.#find({ mayRefresh: true });
    } catch (error) {
      // Keys that are still valid for a moment are better than none.
      if (kept && left > 0) return kept;
      throw error;
    }
  }

  /** True if the request is worth another attempt. Requests that are refused together renew the keys once. */
  renew(signal: AbortSignal): Promise<boolean> {
    this.#renewing ??= this.#renew(signal).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(signal: AbortSignal): Promise<boolean> {
    const { authRefresh, now } = this.#outside;
    // Sent before the last renewal, perhaps. A person should not have to sign in twice.
    if (authRefresh && this.#keys && now() - this.#renewedAt < RENEWED_RECENTLY_MS) return true;
    const refused = this.#keys;
    this.#keys = undefined;
    try {
      if (authRefresh && !(await authRefresh(signal))) return false;
      const found = await this.#find({ mayRefresh: false });
      this.#renewedAt = now();
      return Boolean(authRefresh) || !isSame(found, refused);
    } catch (error) {
      // The refusal of the service says more than that there are no other keys.
      if (error instanceof ModelError) return false;
      throw error;
    }
  }

  #find(options: { readonly mayRefresh: boolean }): Promise<FoundKeys> {
    this.#pending ??= this.#look(options).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  async #look({ mayRefresh }: { readonly mayRefresh: boolean }): Promise<FoundKeys> {
    const { authRefresh, credentialExport, now } = this.#outside;
    const find = async () => {
      const found = credentialExport
        ? exportedKeys(await credentialExport(), now() + EXPORT_LASTS_MS)
        : await (await import("./chain.ts")).findKeys(this.#env, this.#region, this.#outside);
      if ((found.expiresAt ?? Infinity) > now()) return found;
      throw credentialError(
        "The AWS credentials have expired; sign in again, or set awsAuthRefresh to a command that does",
      );
    };
    let keys: FoundKeys;
    try {
      keys = await find();
    } catch (error) {
      // Signing in again does not help against a network that is down.
      const isMissing = error instanceof ModelError && error.kind === "authentication_failed";
      if (!isMissing || !mayRefresh || !authRefresh || !(await authRefresh(undefined))) throw error;
      keys = await find();
    }
    this.#keys = keys;
    for (const secret of [keys.secretAccessKey, keys.sessionToken, keys.accessKeyId])
      if (secret) this.#secrets.add(secret);
    for (const oldest of this.#secrets) if (this.#secrets.size > MAX_SECRETS) this.#secrets.delete(oldest);
    return keys;
  }
}

function exportedKeys(stdout: string, expiresAt: number): FoundKeys {
  const parsed = tryParse(stdout);
  const nested = isObject(parsed) ? parsed["Credentials"] : undefined;
  return { expiresAt, ...keysFrom(nested, COMMAND_KEYS, "The awsCredentialExport command") };
}

function isSame(a: FoundKeys, b: FoundKeys | undefined): boolean {
  return (
    a.accessKeyId === b?.accessKeyId && a.sessionToken === b.sessionToken && a.secretAccessKey === b.secretAccessKey
  );
}
