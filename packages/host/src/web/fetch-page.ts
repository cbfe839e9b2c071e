// Fetches one web page: checks every address before connecting, follows redirects on the same host only, and limits
// time and size.

import { ForbiddenAddress, type ConnectOptions } from "../hooks/http/connect.ts";
import { connectToSite, type WebNetwork } from "./connect-to-site.ts";
import { getPage, type PageAnswer } from "./get-page.ts";

export interface FetchLimits {
  /** For the name, the connection and TLS, each time. */
  readonly connectMs: number;
  /** For everything, redirects included. */
  readonly totalMs: number;
  /** Of the body, before and after decompression. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

const DEFAULT_LIMITS: FetchLimits = {
  connectMs: 15_000,
  totalMs: 60_000,
  maxBytes: 10 * 1024 * 1024,
  maxRedirects: 10,
};

export interface FetchPageOptions extends Pick<ConnectOptions, "resolve" | "connect"> {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  /** The proxy and the certificates for a URL. */
  network(url: URL): Promise<WebNetwork>;
  readonly limits?: Partial<FetchLimits>;
}

export interface FetchedPage extends PageAnswer {
  /** Where the redirects ended. */
  readonly url: string;
  /** A redirect that was not followed, because it leads to another host. */
  readonly redirect?: string;
}

/** A page that could not be fetched. The message is for the model. */
export class FetchError extends Error {
  override readonly name = "FetchError";
}

/** Throws FetchError. */
export async function fetchPage(address: URL, options: FetchPageOptions): Promise<FetchedPage> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.totalMs);
  const signal = AbortSignal.any([options.signal, late.signal]);
  try {
    return await followRedirects(address, { ...options, limits, signal });
  } catch (error) {
    if (options.signal.aborted) throw new FetchError("The request was interrupted", { cause: error });
    if (late.signal.aborted) throw tooSlow(address, limits.totalMs);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

type Journey = FetchPageOptions & { readonly limits: FetchLimits };

async function followRedirects(first: URL, options: Journey): Promise<FetchedPage> {
  let url = first;
  for (let count = 0; count <= options.limits.maxRedirects; count++) {
    const answer = await request(url, options);
    const target = answer.location === undefined ? undefined : redirectTarget(answer.location, url);
    if (target === undefined) return { ...answer, url: url.href };
    if (target.host !== url.host) return { ...answer, url: url.href, redirect: target.href };
    url = target;
  }
  throw new FetchError(`${first.host} redirected more than ${options.limits.maxRedirects} times`);
}

/** Plain http becomes https here too. Undefined if the server named no web address. */
function redirectTarget(location: string, base: URL): URL | undefined {
  const target = URL.parse(location, base.href);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  if (target.protocol === "http:") target.protocol = "https:";
  // Whoever wrote the redirect does not choose what is sent to a server as a password.
  target.username = target.password = "";
  return target;
}

async function request(url: URL, options: Journey): Promise<PageAnswer> {
  const { connectMs, maxBytes } = options.limits;
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), connectMs);
  const opening = AbortSignal.any([options.signal, patience.signal]);
  try {
    const connection = await connectToSite(url, await options.network(url), { ...options, signal: opening });
    clearTimeout(timer);
    try {
      return await getPage(connection, { url, headers: options.headers, maxBytes, signal: options.signal });
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if (error instanceof ForbiddenAddress) throw new FetchError(`Cannot fetch ${url.host}: ${error.message}`);
    if (patience.signal.aborted && !options.signal.aborted)
      throw new FetchError(`Cannot connect to ${url.host} within ${connectMs / 1_000} s`);
    throw new FetchError(`Cannot fetch ${url.host}: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

const tooSlow = ({ host }: URL, ms: number) => new FetchError(`${host} did not send the page within ${ms / 1_000} s`);

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return /WRONG_VERSION_NUMBER/.test(text) ? "it does not speak https" : text;
}
