// What signing in stores, and where. Tokens belong to a name and a URL: a configuration that keeps the name and changes
// the URL finds nothing, so it cannot make us send a token to another server.

import type {
  AuthorizationServerMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** Secrets by key. Implemented by the host. */
export interface TokenStore {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Runs one at a time, also across processes, so that a refresh token is used once. */
  exclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Servers that wanted a sign-in a short time ago. Not secret. */
export interface SignInNeeded {
  has(key: string): Promise<boolean>;
  add(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface SignInStorage {
  readonly tokens: TokenStore;
  readonly needed: SignInNeeded;
}

/** A server as its sign-in knows it. */
export interface SignInServer {
  readonly name: string;
  /** As configured, after expansion. */
  readonly url: string;
}

export interface SignInRecord extends SignInServer {
  /** The secret of a client that the configuration names. */
  readonly clientSecret?: string;
  readonly client?: StoredOAuthClientInformation;
  /** The address that the client was registered with. */
  readonly redirectUrl?: string;
  readonly issuer?: AuthorizationServer;
  readonly tokens?: StoredOAuthTokens;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** What the server asked for beyond the tokens' scope; the next sign-in asks for it. */
  readonly wantedScope?: string;
}

/** The server that issued the tokens, and the resource they are for. */
export interface AuthorizationServer {
  readonly url: string;
  readonly metadata?: AuthorizationServerMetadata;
  readonly resource?: string;
}

export function storageKey({ name, url }: SignInServer): string {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([name, url])).digest("hex");
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}-${hash.slice(0, 16)}`;
}

export async function readRecord(tokens: TokenStore, server: SignInServer): Promise<SignInRecord | undefined> {
  const text = await tokens.read(storageKey(server));
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as SignInRecord | null;
    return record?.name === server.name && record.url === server.url ? record : undefined;
  } catch {
    // Damaged: the user signs in again.
    return undefined;
  }
}

export async function writeRecord(tokens: TokenStore, record: SignInRecord): Promise<void> {
  await tokens.write(storageKey(record), JSON.stringify(record));
}

/** The redirect address of the last sign-in: with the same one, its registration can be used again. */
export async function lastRedirect(tokens: TokenStore, server: SignInServer): Promise<URL | undefined> {
  const address = (await readRecord(tokens, server))?.redirectUrl;
  return address === undefined ? undefined : (URL.parse(address) ?? undefined);
}
