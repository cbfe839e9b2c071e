// Credentials for Vertex AI: a token of a variable, one of Google's application default credentials, or none at all.
// Keeps a token until it expires; nothing secret gets into an error.

import { ModelError } from "@keelson/engine";
import { isVariableOn } from "@keelson/protocol";
import type { Env } from "../profiles/profiles.ts";
import { CredentialCache, KnownSecrets } from "../http/credential-cache.ts";
import type { Credentials } from "../http/server.ts";
import type { FoundToken, GoogleOutside } from "./credentials/outside.ts";
import { findToken } from "./credentials/search.ts";

export type { GoogleOutside } from "./credentials/outside.ts";

// The metadata server gives the same token until four minutes before it expires.
const RENEW_BEFORE_MS = 225_000;
// A token that does not say when it expires is asked for again after this time.
const UNKNOWN_LASTS_MS = 30 * 60_000;

/** Credentials are looked for at the first request. */
export function googleCredentials(env: Env, outside: GoogleOutside): Credentials {
  if (isVariableOn(env["CLAUDE_CODE_SKIP_VERTEX_AUTH"])) return { authorize() {}, secrets: () => [] };
  const fixed = env["GOOGLE_OAUTH_ACCESS_TOKEN"]?.trim();
  if (fixed) return { authorize: ({ headers }) => setToken(headers, { token: fixed }), secrets: () => [fixed] };
  const { authRefresh, now } = outside;
  const secrets = new KnownSecrets();
  const tokens = new CredentialCache<FoundToken>({
    async find() {
      const found = await findToken({ env, outside, keepSecret: (value) => secrets.add(value) });
      return { ...found, expiresAt: found.expiresAt ?? now() + UNKNOWN_LASTS_MS };
    },
    isSame: (found, refused) => found.token === refused.token,
    ...(authRefresh ? { authRefresh } : {}),
    now,
    renewBeforeMs: RENEW_BEFORE_MS,
  });
  return {
    async authorize({ headers }) {
      setToken(headers, await tokens.current());
    },
    renew: (signal) => tokens.renew(signal),
    secrets: () => secrets.all(),
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
