// The fetch options for proxy, trusted certificates and client certificate, read from environment variables.

import { ModelError } from "@keelson/engine";
import type { Env } from "../profiles/profiles.ts";

export type FetchOptions = Pick<BunFetchRequestInit, "proxy" | "tls">;

/** Returns the fetch options for a URL. Certificate files are read once, at the first request that finds them. */
export function fetchOptionsFrom(env: Env): (url: URL) => Promise<FetchOptions> {
  let tls: Promise<FetchOptions["tls"]> | undefined;
  return async (url) => {
    const proxy = proxyFor(url, env);
    // Always set: otherwise fetch would use the process's variables instead of the session's.
    const options: FetchOptions = { proxy: proxy === undefined ? false : { url: proxy, respectNoProxy: false } };
    if (url.protocol !== "https:") return options;
    // A file that could not be read may be there at the next request.
    tls ??= readTls(env).catch((error: unknown) => {
      tls = undefined;
      throw error;
    });
    const found = await tls;
    return found ? { ...options, tls: found } : options;
  };
}

/** A fetch that uses the proxy and the certificates of these variables. */
export function networkFetch(env: Env): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const optionsFor = fetchOptionsFrom(env);
  return async (url, init) => fetch(url, { ...init, ...(await optionsFor(new URL(url))) });
}

/** The proxy for a URL, or undefined for a direct connection. Only the network beyond this machine uses a proxy. */
export function proxyFor(url: URL, env: Env): string | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = [name, name.toUpperCase(), "all_proxy", "ALL_PROXY"].map((key) => env[key]?.trim()).find(Boolean);
  if (!proxy || isThisMachine(url.hostname) || isMetadata(url.hostname)) return undefined;
  const exceptions = env["no_proxy"] || env["NO_PROXY"] || "";
  if (exceptions.split(/[\s,]+/).some((exception) => matchesNoProxy(url, exception.toLowerCase()))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

export function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

/** A cloud's metadata service: through a proxy, it would answer with the proxy's credentials. */
function isMetadata(host: string): boolean {
  return /^169\.254(?:\.\d+){2}$/.test(host) || host.startsWith("[fd00:ec2:") || host === "metadata.google.internal";
}

/** Accepts `*`, a host, or a domain with or without a leading dot or star; each may have a port. */
function matchesNoProxy(url: URL, exception: string): boolean {
  if (exception === "") return false;
  if (exception === "*") return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const named = /^(.*?)(?::(\d+))?$/.exec(exception)!;
  // A bare IPv6 address contains colons; it can have a port only in brackets.
  const bare = exception.indexOf(":") !== exception.lastIndexOf(":") && !exception.startsWith("[");
  const host = bare ? `[${exception}]` : named[1]!;
  if (!bare && named[2] !== undefined && named[2] !== port) return false;
  const domain = host.replace(/^\*?\./, "");
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
}

async function readTls(env: Env): Promise<FetchOptions["tls"]> {
  const extra = await readPem(env, "NODE_EXTRA_CA_CERTS");
  const cert = await readPem(env, "CLAUDE_CODE_CLIENT_CERT");
  const key = await readPem(env, "CLAUDE_CODE_CLIENT_KEY");
  const passphrase = env["CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"];
  const stores = (env["CLAUDE_CODE_CERT_STORE"] ?? "").split(",").map((name) => name.trim());
  const ca = extra || stores.some(Boolean) ? await trustedCertificates(stores, extra) : undefined;
  if (!ca && !cert && !key) return undefined;
  return {
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(passphrase ? { passphrase } : {}),
  };
}

/** Setting `ca` replaces the built-in certificates, so include them unless only the system store was requested. */
async function trustedCertificates(stores: readonly string[], extra: string | undefined): Promise<string[]> {
  // 12 ms, only if these variables are set.
  const tls = await import("node:tls");
  const system = stores.includes("system");
  return [
    ...(system && !stores.includes("bundled") ? [] : tls.rootCertificates),
    ...(system ? tls.getCACertificates("system") : []),
    ...(extra ? [extra] : []),
  ];
}

async function readPem(env: Env, name: string): Promise<string | undefined> {
  const path = env[name]?.trim();
  if (!path) return undefined;
  try {
    return await Bun.file(path).text();
  } catch (cause) {
    throw new ModelError("invalid_request", `Cannot read "${path}"; set ${name} to a PEM file, or unset it`, { cause });
  }
}
