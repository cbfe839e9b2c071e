// Requests to services that give tokens. Nothing of their answers is quoted but the code of an error.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { credentialsError, type FoundToken, type GoogleOutside, type TokenSearch } from "./outside.ts";

export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TIMEOUT_MS = 10_000;

export interface TokenRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form, unless it is text. */
  readonly body: Readonly<Record<string, string>> | string;
  /** What to do if the credentials are refused. */
  readonly fix: string;
}

/** Asks for a token. Throws ModelError if there is none. */
export async function requestToken(
  search: TokenSearch,
  { url, headers, body, fix }: TokenRequest,
): Promise<FoundToken> {
  const { status, value } = await askGoogle(search.outside, url, {
    method: "POST",
    headers: {
      "content-type": typeof body === "string" ? "application/json" : "application/x-www-form-urlencoded",
      ...headers,
    },
    body: typeof body === "string" ? body : new URLSearchParams(body).toString(),
  });
  const found = requestedToken(value, search.outside.now());
  if (found) {
    search.keepSecret(found.token);
    return found;
  }
  const origin = new URL(url).origin;
  if (status >= 500)
    throw new ModelError("server_error", `${origin} returned no Google token (HTTP ${status})`, { status });
  throw credentialsError(`${origin} refused the Google credentials (${codeOf(value) ?? `HTTP ${status}`}); ${fix}`);
}

/** Sends a request to a service that gives tokens. Throws ModelError if it cannot be reached. */
export async function askGoogle(
  outside: GoogleOutside,
  url: string,
  init: RequestInit,
  { timeoutMs = TIMEOUT_MS, anyHost = false }: { readonly timeoutMs?: number; readonly anyHost?: boolean } = {},
): Promise<{ readonly status: number; readonly text: string; readonly value: unknown }> {
  const address = safeUrl(url, anyHost);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await outside.fetch(address.href, { ...init, redirect: "error", signal });
    const text = await response.text();
    return { status: response.status, text, value: tryParse(text) };
  } catch {
    // The runtime's error may quote what was sent.
    throw new ModelError("connection", `Could not reach ${address.origin} for a Google token; check the network`);
  }
}

/** Plain http would show the credentials to the network, unless none are sent (`anyHost`). */
function safeUrl(value: string, anyHost: boolean): URL {
  const url = URL.parse(value);
  const isLocal = anyHost || /^(?:localhost|\[::1\]|127(?:\.\d+){3}|169\.254\.169\.254)$/.test(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url;
  throw credentialsError("The Google credentials name an address that is not an https URL; get new ones");
}

/** From `{access_token, expires_in}`, or `{accessToken, expireTime}` of an impersonated account. */
export function requestedToken(value: unknown, now: number): FoundToken | undefined {
  if (!isObject(value)) return undefined;
  const token = value["access_token"] ?? value["accessToken"];
  if (typeof token !== "string" || token === "") return undefined;
  const seconds = Number(value["expires_in"] ?? Number.NaN);
  const expiresAt = Number.isNaN(seconds) ? Date.parse(String(value["expireTime"])) : now + seconds * 1000;
  return { token, ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) };
}

/** `invalid_grant`, or the status in an error of an API. */
function codeOf(value: unknown): string | undefined {
  const error = isObject(value) ? value["error"] : undefined;
  const code = isObject(error) ? error["status"] : error;
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : undefined;
}

/** Exchanges a token for one of the service account at this address. */
export function impersonate(
  search: TokenSearch,
  url: string,
  token: string,
  delegates: readonly unknown[] = [],
): Promise<FoundToken> {
  return requestToken(search, {
    url,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ scope: [SCOPE], lifetime: "3600s", ...(delegates.length > 0 ? { delegates } : {}) }),
    fix: "check that the credentials may impersonate the service account",
  });
}

/** The value of a header, for a client with a secret. */
export function basicAuthorization(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}
