// Signs out of a remote server: revokes the tokens if the server offers that, and deletes them here in any case.

import { assertSecureTokenEndpoint, selectClientAuthMethod } from "@modelcontextprotocol/client";
import { guardedFetch, type RemoteFetch } from "../remote/guarded-fetch.ts";
import {
  readRecord,
  storageKey,
  writeRecord,
  type SignInRecord,
  type SignInServer,
  type SignInStorage,
} from "./storage.ts";

export interface SignOutOptions extends SignInServer {
  readonly storage: SignInStorage;
  readonly fetch: RemoteFetch;
  /** Also deletes the secret of a client that the configuration names. */
  readonly forgetClient?: boolean;
}

/** `kept`: the tokens are deleted here, but the server did not confirm that it revoked them. */
export type SignedOut = "not signed in" | "revoked" | "kept";

const REQUEST_MS = 10_000;

export async function signOut({ storage, ...options }: SignOutOptions): Promise<SignedOut> {
  const key = storageKey(options);
  return storage.tokens.exclusive(key, async () => {
    const record = await readRecord(storage.tokens, options);
    await storage.needed.remove(key);
    if (!record) return "not signed in";
    const isRevoked = await revoke(record, options).catch(() => false);
    if (record.clientSecret === undefined || options.forgetClient) await storage.tokens.remove(key);
    // It came with the configuration, which is still there.
    else await writeRecord(storage.tokens, { name: record.name, url: record.url, clientSecret: record.clientSecret });
    if (!record.tokens) return "not signed in";
    return isRevoked ? "revoked" : "kept";
  });
}

async function revoke(
  { tokens, issuer, client }: SignInRecord,
  options: Omit<SignOutOptions, "storage">,
): Promise<boolean> {
  const metadata = issuer?.metadata;
  const endpoint = metadata && "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
  if (!tokens || !client || typeof endpoint !== "string") return false;
  const url = assertSecureTokenEndpoint(endpoint);
  const fetch = guardedFetch({
    fetch: options.fetch,
    serverUrl: new URL(options.url),
    headers: {},
    limits: { bytes: 1024 * 1024 },
  });
  const supported = metadata?.token_endpoint_auth_methods_supported ?? [];
  const method = selectClientAuthMethod(client, supported);
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  const isBasic = method === "client_secret_basic" && client.client_secret !== undefined;
  if (isBasic) headers.set("authorization", `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`);
  const post = async (token: string, kind: string) => {
    const body = new URLSearchParams({ token, token_type_hint: kind });
    if (!isBasic) body.set("client_id", client.client_id);
    if (method === "client_secret_post" && client.client_secret) body.set("client_secret", client.client_secret);
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(REQUEST_MS) });
    await response.body?.cancel();
    return response.ok;
  };
  // The access token ends by itself, but not all servers end it with the refresh token.
  const refresh = tokens.refresh_token === undefined || (await post(tokens.refresh_token, "refresh_token"));
  const access = await post(tokens.access_token, "access_token");
  return refresh && access;
}
