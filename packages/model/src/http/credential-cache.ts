// Credentials that are kept until they expire, and found again before. However many requests ask at the same time, they
// are looked for once.

import { ModelError } from "@keelson/engine";

export interface CredentialSource<T> {
  find(): Promise<T>;
  /** Whether a search found nothing new after the service refused the credentials. */
  isSame(found: T, refused: T): boolean;
  /** The user's command that signs in. False if it failed. */
  authRefresh?(signal: AbortSignal | undefined): Promise<boolean>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** They are renewed this long before they expire, as a reply may take its time to begin. */
  readonly renewBeforeMs: number;
}

const RENEWED_RECENTLY_MS = 60_000;

export class CredentialCache<T extends { readonly expiresAt?: number }> {
  readonly #source: CredentialSource<T>;
  #kept: T | undefined;
  #pending: Promise<T> | undefined;
  #renewing: Promise<boolean> | undefined;
  #renewedAt = -Infinity;

  constructor(source: CredentialSource<T>) {
    this.#source = source;
  }

  async current(): Promise<T> {
    const kept = this.#kept;
    const left = (kept?.expiresAt ?? Infinity) - this.#source.now();
    if (kept && left > this.#source.renewBeforeMs) return kept;
    try {
      return await this.#find({ mayRefresh: true });
    } catch (error) {
      // What is still valid for a moment is better than nothing.
      if (kept && left > 0) return kept;
      throw error;
    }
  }

  /** True if the request is worth another attempt. Requests that are refused together renew the credentials once. */
  renew(signal: AbortSignal): Promise<boolean> {
    this.#renewing ??= this.#renew(signal).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(signal: AbortSignal): Promise<boolean> {
    const { authRefresh, isSame, now } = this.#source;
    // Sent before the last renewal, perhaps. A person should not have to sign in twice.
    if (authRefresh && this.#kept && now() - this.#renewedAt < RENEWED_RECENTLY_MS) return true;
    const refused = this.#kept;
    this.#kept = undefined;
    try {
      if (authRefresh && !(await authRefresh(signal))) return false;
      const found = await this.#find({ mayRefresh: false });
      this.#renewedAt = now();
      return Boolean(authRefresh) || refused === undefined || !isSame(found, refused);
    } catch (error) {
      // The refusal of the service says more than that there is nothing else.
      if (error instanceof ModelError) return false;
      throw error;
    }
  }

  #find(options: { readonly mayRefresh: boolean }): Promise<T> {
    this.#pending ??= this.#look(options).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  async #look({ mayRefresh }: { readonly mayRefresh: boolean }): Promise<T> {
    const { find, authRefresh } = this.#source;
    try {
      this.#kept = await find();
    } catch (error) {
      // Signing in again does not help against a network that is down.
      const isMissing = error instanceof ModelError && error.kind === "authentication_failed";
      if (!isMissing || !mayRefresh || !authRefresh || !(await authRefresh(undefined))) throw error;
      this.#kept = await find();
    }
    return this.#kept;
  }
}

const MOST_SECRETS = 40;

/** What no message may contain. Also earlier ones: an error may quote what an attempt before was sent with. */
export class KnownSecrets {
  readonly #secrets = new Set<string>();

  add(secret: unknown): void {
    if (typeof secret !== "string" || secret === "") return;
    this.#secrets.delete(secret);
    this.#secrets.add(secret);
    for (const oldest of this.#secrets) if (this.#secrets.size > MOST_SECRETS) this.#secrets.delete(oldest);
  }

  all(): readonly string[] {
    return [...this.#secrets];
  }
}
