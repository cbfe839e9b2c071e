// How a request leaves the machine: through which proxy, trusting whom, and as whom. Read from variables, used by fetch.

import { ModelError } from "@keelson/engine";
import { type Env } from "./profiles.ts";

export type FetchOptions = Pick<BunFetchRequestInit, "proxy" | "tls">;

/** The fetch options for a URL. Certificate files are read at the first request, once. */
export function fetchOptionsFrom(env: Env): (url: URL) => Promise<FetchOptions> {
  let tls: Promise<FetchOptions["tls"]> | undefined;
  return async (url) => {
    const proxy = proxyFor(url, env);
    // Never left to fetch itself: it would look at the process's own variables, not at the session's.
    const options: FetchOptions = { proxy: proxy === undefined ? false : { url: proxy, respectNoProxy: false } };
    if (url.protocol !== "https:") return options;
    const found = await (tls ??= readTls(env));
    return found ? { ...options, tls: found } : options;
  };
}

/** The proxy for a URL, or undefined to go straight there. This machine is never reached through a proxy. */
export function proxyFor(url: URL, env: Env): string | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = [name, name.toUpperCase(), "all_proxy", "ALL_PROXY"].map((key) => env[key]?.trim()).find(Boolean);
  if (!proxy || isLoopback(url.hostname)) return undefined;
  const exceptions = env["no_proxy"] || env["NO_PROXY"] || "";
  if (exceptions.split(/[\s,]+/).some((exception) => matchesNoProxy(url, exception.toLowerCase()))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

/** `*`, a host, a domain with or without its dot or star; each may name a port. */
function matchesNoProxy(url: URL, exception: string): boolean {
  if (exception === "") return false;
  if (exception === "*") return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const named = /^(.*?)(?::(\d+))?$/.exec(exception)!;
  // An IPv6 address has colons of its own; only in brackets may a port follow it.
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

/** Naming authorities replaces the built-in ones, so these come along unless only the system's were asked for. */
async function trustedCertificates(stores: readonly string[], extra: string | undefined): Promise<string[]> {
  const tls = await import("node:tls"); // 12 ms, for those who set these variables only
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
