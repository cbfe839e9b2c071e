// The fetch under a remote transport. Adds the configured headers for the server's own origin only, follows no redirect
// by itself, limits what is read, and reports network failures without URLs or secrets.

import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { limitBody, type MessageLimits } from "./limit-body.ts";

export type RemoteFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  readonly fetch: RemoteFetch;
  readonly serverUrl: URL;
  /** Sent with every request to the server's origin, and never to another. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits?: MessageLimits;
  /** Called when the body of a response turns out to be too large. */
  onTooLarge?(request: string | undefined, error: Error): void;
  /** The error for a server that requires a further scope. */
  onScopeMissing?(scope: string | undefined): Promise<Error>;
  /** Called with the credentials of each request: those of a sign-in change while we are connected. */
  onAuthorization?(value: string): void;
  /** Called with every response to a request that has an id. */
  onResponse?(request: string, response: Response): void;
}

/** A request that got no response. The transports of the SDK expect a TypeError. */
export class UnreachableError extends TypeError {
  override readonly name = "UnreachableError";
}

/** Carries the id of a JSON-RPC request from a transport to its fetch; never sent. */
export const REQUEST_ID_HEADER = "x-keelson-request";

const MAX_SCOPE_LENGTH = 1_000;

export function guardedFetch(options: GuardedFetchOptions): RemoteFetch {
  const { serverUrl, limits = {} } = options;
  return async (url, init = {}) => {
    const target = new URL(url);
    const headers = new Headers(init.headers);
    const request = headers.get(REQUEST_ID_HEADER) ?? undefined;
    headers.delete(REQUEST_ID_HEADER);
    if (target.origin === serverUrl.origin) {
      for (const [name, value] of Object.entries(options.headers)) if (!headers.has(name)) headers.set(name, value);
    }
    const authorization = headers.get("authorization");
    if (authorization !== null) options.onAuthorization?.(authorization);
    const response = await fetchOrExplain(options.fetch, target, {
      ...init,
      headers,
      // The SDK follows redirects within the origin, one request at a time.
      redirect: "manual",
      // Bun would end a stream that is silent for five minutes.
      ...{ timeout: false },
    });
    if (response.status === 403 && options.onScopeMissing && target.origin === serverUrl.origin) {
      const { error, scope } = extractWWWAuthenticateParams(response);
      if (error === "insufficient_scope") {
        await response.body?.cancel();
        throw await options.onScopeMissing(scope?.slice(0, MAX_SCOPE_LENGTH));
      }
    }
    if (request !== undefined) options.onResponse?.(request, response);
    return limitBody(response, limits, (error) => options.onTooLarge?.(request, error));
  };
}

async function fetchOrExplain(fetch: RemoteFetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new UnreachableError(`Cannot reach "${url.host}": ${causeOf(error)}`);
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ConnectionClosed: "the server closed the connection",
  ECONNRESET: "the server closed the connection",
  DNSException: "unknown host",
  ENOTFOUND: "unknown host",
  FailedToOpenSocket: "no connection",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** The code rather than the message, which may contain the URL with its query. */
function causeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && code !== "") return CAUSES[code] ?? code;
  return error instanceof Error ? error.name : "the request failed";
}
