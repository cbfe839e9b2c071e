// Signs in to a remote server with OAuth: finds its authorization server, becomes its client, sends the user there, and
// stores the tokens. The caller shows the address to the user and catches the redirect.

import {
  computeScopeUnion,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  validateAuthorizationResponseIssuer,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import type { McpOAuthConfig } from "@keelson/protocol";
import { guardedFetch, type RemoteFetch } from "../remote/guarded-fetch.ts";
import { explainSignIn, SignInError } from "./errors.ts";
import { findServer } from "./find-server.ts";
import { awayFromHere } from "./local-address.ts";
import { metadataAt } from "./metadata.ts";
import { signInProvider, type SignInState } from "./provider.ts";
import { withTokens } from "./session-auth.ts";
import {
  readRecord,
  storageKey,
  writeRecord,
  type AuthorizationServer,
  type SignInRecord,
  type SignInServer,
  type SignInStorage,
} from "./storage.ts";

export interface SignInOptions extends SignInServer {
  readonly type: "http" | "sse";
  readonly oauth?: McpOAuthConfig;
  /** The configured headers; sent to the server only. */
  readonly headers: Readonly<Record<string, string>>;
  readonly storage: SignInStorage;
  readonly fetch: RemoteFetch;
  readonly redirectUrl: string;
  /** Random; the redirect must repeat it. */
  readonly state: string;
  /** The secret of the configured client. */
  readonly clientSecret?: string;
  /** Sends the user to this address. Resolves with the query of the redirect. */
  authorize(url: URL): Promise<URLSearchParams>;
}

const MAX_ANSWER_BYTES = 1024 * 1024;
const REQUEST_MS = 30_000;

/** Resolves with the granted scope. Throws SignInError. */
export async function signIn(options: SignInOptions): Promise<{ readonly scope?: string }> {
  try {
    return await attempt(options);
  } catch (error) {
    throw explainSignIn(error, options);
  }
}

async function attempt(options: SignInOptions): Promise<{ readonly scope?: string }> {
  const { storage, oauth = {}, redirectUrl } = options;
  const guarded = guardedFetch({ ...options, serverUrl: new URL(options.url), limits: { bytes: MAX_ANSWER_BYTES } });
  const timed: RemoteFetch = (url, init) => guarded(url, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
  const record = await readRecord(storage.tokens, options);
  const clientSecret = options.clientSecret ?? record?.clientSecret;
  const { authServerMetadataUrl } = oauth;
  const configured = authServerMetadataUrl === undefined ? undefined : await metadataAt(authServerMetadataUrl, timed);
  const fetch = configured ? timed : awayFromHere(timed, options.url);
  const [provider, state] = signInProvider({
    record,
    oauth,
    redirectUrl,
    state: options.state,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(configured ? { configured } : {}),
  });

  const challenge = await challengeOf(options, fetch);
  const scope = scopeFor(oauth.scopes, challenge.scope, record);
  await findServer(provider, state, {
    serverUrl: options.url,
    fetchFn: fetch,
    ...(scope === undefined ? {} : { scope }),
    ...(challenge.resourceMetadataUrl ? { resourceMetadataUrl: challenge.resourceMetadataUrl } : {}),
  });
  const code = codeIn(await options.authorize(webAddress(state.authorizationUrl)), options.state, state);

  const server = serverOf(state);
  const tokens = await exchangeAuthorization(server.url, {
    ...code,
    clientInformation: state.client!,
    codeVerifier: state.codeVerifier ?? "",
    redirectUri: redirectUrl,
    fetchFn: fetch,
    ...(server.metadata ? { metadata: server.metadata } : {}),
    ...(server.resource === undefined ? {} : { resource: new URL(server.resource) }),
  });
  const issuer = server.metadata?.issuer ?? server.url;
  await storage.tokens.exclusive(storageKey(options), async () => {
    const signedIn: SignInRecord = {
      name: options.name,
      url: options.url,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      client: { ...state.client!, issuer },
      redirectUrl,
      issuer: { ...server, ...(server.metadata ? { metadata: neededLater(server.metadata) } : {}) },
    };
    // A server that grants all we asked for may leave the scope out.
    const granted = tokens.scope ?? scope;
    const stored = { ...tokens, issuer, ...(granted === undefined ? {} : { scope: granted }) };
    await writeRecord(storage.tokens, withTokens(signedIn, stored));
  });
  await storage.needed.remove(storageKey(options));
  return tokens.scope === undefined ? {} : { scope: tokens.scope };
}

/** What the server says when it is called without a token: where to sign in, and for which scope. */
async function challengeOf({ url, type }: SignInOptions, fetch: RemoteFetch) {
  const accept = "application/json, text/event-stream";
  const response = await fetch(
    url,
    type === "sse"
      ? { headers: { accept } }
      : {
          method: "POST",
          headers: { accept, "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
        },
  );
  await response.body?.cancel();
  return response.status === 401 || response.status === 403 ? extractWWWAuthenticateParams(response) : {};
}

/** Scopes in the configuration replace those that the server suggests. What it asked for later is added. */
function scopeFor(configured: string | undefined, challenged: string | undefined, record: SignInRecord | undefined) {
  const wanted = record?.wantedScope;
  const granted = wanted === undefined ? undefined : record?.tokens?.scope;
  return computeScopeUnion(configured ?? challenged, granted, wanted);
}

/** The address comes from the server and is opened by the system, which knows more kinds than these. */
function webAddress(url: URL | undefined): URL {
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new SignInError("The authorization server named an address that is not a web page");
  }
  // `https://bank.example@evil.example` looks like an address of the bank.
  if (url.username !== "" || url.password !== "")
    throw new SignInError(`The authorization server named an address at "${url.host}" that looks like another one`);
  return url;
}

function codeIn(redirect: URLSearchParams, expected: string, { discovery }: SignInState) {
  if (redirect.get("state") !== expected) throw new SignInError("The redirect belongs to another sign-in; try again");
  const iss = redirect.get("iss") ?? undefined;
  const metadata = discovery?.authorizationServerMetadata;
  // First: what else another server says is not shown.
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const authorizationCode = redirect.get("code");
  if (authorizationCode) return { authorizationCode, ...(iss === undefined ? {} : { iss }) };
  const reason = redirect.get("error_description") ?? redirect.get("error") ?? "no code in the redirect";
  throw new SignInError(`The authorization server did not sign you in: ${reason}`);
}

function serverOf({ discovery, resource }: SignInState): AuthorizationServer {
  const metadata = discovery?.authorizationServerMetadata;
  return {
    url: discovery!.authorizationServerUrl,
    ...(metadata ? { metadata } : {}),
    ...(resource === undefined ? {} : { resource }),
  };
}

const NEEDED_LATER = new Set([
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "token_endpoint_auth_methods_supported",
  "revocation_endpoint",
  "response_types_supported",
]);

/** To refresh and to sign out. The rest may be long, and is not ours to keep. */
function neededLater(metadata: AuthorizationServerMetadata): AuthorizationServerMetadata {
  const kept = Object.entries(metadata).filter(([name]) => NEEDED_LATER.has(name));
  return Object.fromEntries(kept) as AuthorizationServerMetadata;
}
