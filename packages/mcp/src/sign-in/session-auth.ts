// The tokens of a session: sends the stored one, refreshes it when it has expired, and says when the user has to sign
// in. Never asks the user anything.

import {
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  type AuthProvider,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { CONNECTION_CLOSED, McpError, type NeedsSignInError } from "../connection/rpc.ts";
import { needsSignIn } from "../remote/errors.ts";
import type { RemoteFetch } from "../remote/guarded-fetch.ts";
import {
  readRecord,
  storageKey,
  writeRecord,
  type SignInRecord,
  type SignInServer,
  type SignInStorage,
} from "./storage.ts";

export interface SessionAuthOptions extends SignInServer {
  readonly storage: SignInStorage;
  readonly fetch: RemoteFetch;
}

export interface SessionAuth extends AuthProvider {
  /** Whether the server wanted a sign-in a short time ago, and no one has signed in since. */
  isKnownToFail(): Promise<boolean>;
  /** The next sign-in asks for this scope too. */
  onScopeMissing(scope: string): Promise<void>;
}

/** Refresh a little early: a token that expires on its way is refused. */
const EARLY_MS = 30_000;
const REFRESH_MS = 30_000;

export function sessionAuth(options: SessionAuthOptions): SessionAuth {
  const { storage, name } = options;
  const key = storageKey(options);
  const url = new URL(options.url);
  let record: Promise<SignInRecord | undefined> | undefined;
  /** Reading a keychain starts a program, so it is done once. */
  const known = () => (record ??= readRecord(storage.tokens, options));
  let sent: string | undefined;

  const replace = async (next: SignInRecord) => {
    await writeRecord(storage.tokens, next);
    record = Promise.resolve(next);
  };
  const giveUp = async (): Promise<NeedsSignInError> => {
    await storage.needed.add(key);
    return needsSignIn({ name, url });
  };

  /** `used` is the token that no longer works; another connection may have replaced it already. */
  const refresh = (used: string) =>
    storage.tokens.exclusive(key, async () => {
      record = undefined;
      const current = await known();
      if (!current?.tokens) throw await giveUp();
      if (current.tokens.access_token !== used && !isExpired(current)) return current.tokens.access_token;
      const result = await refreshTokens(current, options.fetch);
      if ("tokens" in result) {
        await replace(withTokens(current, result.tokens));
        return result.tokens.access_token;
      }
      await replace(withoutTokens(current, result.dropClient));
      throw await giveUp();
    });

  return {
    async token() {
      const current = await known();
      if (!current?.tokens) return (sent = undefined);
      const { access_token } = current.tokens;
      return (sent = isExpired(current) ? await refresh(access_token) : access_token);
    },
    async onUnauthorized() {
      if (sent === undefined) throw await giveUp();
      sent = await refresh(sent);
    },
    async isKnownToFail() {
      return (await known())?.tokens === undefined && (await storage.needed.has(key));
    },
    async onScopeMissing(scope) {
      await storage.tokens.exclusive(key, async () => {
        record = undefined;
        const current = await known();
        if (current) await replace({ ...current, wantedScope: scope });
      });
    },
  };
}

/** The record with new tokens. `expires_in` counts from now. */
export function withTokens(record: SignInRecord, tokens: StoredOAuthTokens): SignInRecord {
  const { expiresAt: _, ...rest } = record;
  const { expires_in } = tokens;
  return { ...rest, tokens, ...(expires_in === undefined ? {} : { expiresAt: Date.now() + expires_in * 1_000 }) };
}

function withoutTokens({ tokens: _, expiresAt: __, client, ...rest }: SignInRecord, dropClient: boolean): SignInRecord {
  return dropClient || client === undefined ? rest : { ...rest, client };
}

function isExpired({ expiresAt }: SignInRecord): boolean {
  return expiresAt !== undefined && expiresAt - EARLY_MS <= Date.now();
}

type Refreshed = { readonly tokens: StoredOAuthTokens } | { readonly dropClient: boolean };

/** Throws McpError if the tokens may still be good: then they are kept. */
async function refreshTokens({ tokens, issuer, client }: SignInRecord, fetch: RemoteFetch): Promise<Refreshed> {
  if (!tokens?.refresh_token || !issuer || !client) return { dropClient: false };
  try {
    const fresh = await refreshAuthorization(issuer.url, {
      ...(issuer.metadata ? { metadata: issuer.metadata } : {}),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(issuer.resource === undefined ? {} : { resource: new URL(issuer.resource) }),
      fetchFn: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(REFRESH_MS) }),
    });
    // A server may leave the scope out if it has not changed.
    const scope = fresh.scope ?? tokens.scope;
    return {
      tokens: {
        ...fresh,
        ...(scope === undefined ? {} : { scope }),
        ...(tokens.issuer ? { issuer: tokens.issuer } : {}),
      },
    };
  } catch (error) {
    const code = OAuthError.isInstance(error) ? error.code : undefined;
    if (code === OAuthErrorCode.InvalidGrant) return { dropClient: false };
    if (code === OAuthErrorCode.InvalidClient || code === OAuthErrorCode.UnauthorizedClient)
      return { dropClient: true };
    throw new McpError(
      CONNECTION_CLOSED,
      `Cannot refresh the sign-in at "${new URL(issuer.url).host}": ${reasonOf(code, error)}`,
    );
  }
}

/** Only what is known to be free of secrets. */
function reasonOf(code: string | undefined, error: unknown): string {
  if (error instanceof Error && error.name === "UnreachableError") return error.message;
  return code ?? "the server's answer is not valid";
}
