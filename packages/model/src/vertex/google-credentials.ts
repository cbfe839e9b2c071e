// Credentials for Vertex AI: a token of a variable, one of Google's application default credentials, or none at all.
// Keeps a token until it expires; nothing secret gets into an error.

import { ModelError } from "@keelson/engine";
import { isEnabled, type Env } from "../profiles/profiles.ts";
import type { Credentials } from "../http/server.ts";
import type { FoundToken, GoogleOutside } from "./credentials/outside.ts";
import { findToken } from "./credentials/search.ts";

export type { GoogleOutside } from "./credentials/outside.ts";

// The metadata server gives the same token until four minutes before it expires.
const RENEW_BEFORE_MS = 225_000;
// A token that does not say when it expires is asked for again after this time.
const UNKNOWN_LASTS_MS = 30 * 60_000;
const MAX_SECRETS = 40;

/** Credentials are looked for at the first request. */
export function googleCredentials(env: Env, outside: GoogleOutside): Credentials {
  if (isEnabled(env["CLAUDE_CODE_SKIP_VERTEX_AUTH"])) return { authorize() {}, secrets: () => [] };
  const fixed = env["GOOGLE_OAUTH_ACCESS_TOKEN"]?.trim();
  if (fixed) return { authorize: ({ headers }) => setToken(headers, { token: fixed }), secrets: () => [fixed] };
  const tokens = new TokenCache(env, outside);
  return {
    async authorize({ headers }) {
      setToken(headers, await tokens.current());
    },
    renew: (signal) => tokens.renew(signal),
    secrets: () => tokens.secrets(),
  };
}

function setToken(headers: Headers, { token, quotaProject }: FoundToken): void {
  try {
    headers.set("authorization", `Bearer ${token}`);
  } catch {
    // The runtime's error quotes the token.
    throw new ModelError("authentication_failed", "The Google token has characters that a header cannot have");
  }
  if (quotaProject !== undefined && /^[\w:.-]+$/.test(quotaProject)) headers.set("x-goog-user-project", quotaProject);
}

class TokenCache {
  readonly #env: Env;
  readonly #outside: GoogleOutside;
  #kept: (FoundToken & { readonly expiresAt: number }) | undefined;
  #pending: Promise<FoundToken> | undefined;
  /** Also earlier ones: an error may quote what an attempt before was sent with. */
  readonly #secrets = new Set<string>();

  constructor(env: Env, outside: GoogleOutside) {
    this.#env = env;
    this.#outside = outside;
  }

  secrets(): readonly string[] {
    return [...this.#secrets];
  }

  async current(): Promise<FoundToken> {
    const kept = this.#kept;
    const left = (kept?.expiresAt ?? 0) - this.#outside.now();
    if (kept && left > RENEW_BEFORE_MS) return kept;
    try {
      return await this.#find({ mayRefresh: true });
    } catch (error) {
      // A token that is still valid for a moment is better than none.
      if (kept && left > 0) return kept;
      throw error;
    }
  }

  /** True if there is another token now. */
  async renew(signal: AbortSignal): Promise<boolean> {
    const refused = this.#kept?.token;
    this.#kept = undefined;
    const outside = this.#outside;
    if (outside.authRefresh && !(await outside.authRefresh(signal))) return false;
    try {
      const { token } = await this.#find({ mayRefresh: false });
      return token !== refused;
    } catch (error) {
      // The refusal of the service says more than that there is no other token.
      if (error instanceof ModelError) return false;
      throw error;
    }
  }

  /** Looks for a token once, however many requests ask at the same time. */
  #find(options: { readonly mayRefresh: boolean }): Promise<FoundToken> {
    this.#pending ??= this.#look(options).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  async #look({ mayRefresh }: { readonly mayRefresh: boolean }): Promise<FoundToken> {
    const outside = this.#outside;
    const search = { env: this.#env, outside, keepSecret: (value: unknown) => this.#keepSecret(value) };
    let found: FoundToken;
    try {
      found = await findToken(search);
    } catch (error) {
      const isMissing = error instanceof ModelError && error.kind === "authentication_failed";
      if (!mayRefresh || !isMissing || !(await outside.authRefresh?.(undefined))) throw error;
      found = await findToken(search);
    }
    this.#kept = { ...found, expiresAt: found.expiresAt ?? outside.now() + UNKNOWN_LASTS_MS };
    return found;
  }

  #keepSecret(value: unknown): void {
    if (typeof value !== "string" || value === "") return;
    this.#secrets.delete(value);
    this.#secrets.add(value);
    for (const oldest of this.#secrets) if (this.#secrets.size > MAX_SECRETS) this.#secrets.delete(oldest);
  }
}
