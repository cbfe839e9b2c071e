// Under which addresses the server may be reached. Everything else in a Host or an Origin header is another site.

export interface OriginOptions {
  readonly host: string;
  readonly port: number;
  /** Where a proxy offers the server: `https://example.org/keelson`. */
  readonly behindProxy?: URL | undefined;
}

export interface Origins {
  /** By the value of a Host header: the origin that pages from there have. */
  originOf(host: string): string | undefined;
  /** The start of every path: "" or "/keelson". A proxy may have removed it. */
  readonly base: string;
  /** For people, without a slash at the end. */
  readonly address: string;
}

export function allowedOrigins({ host, port, behindProxy }: OriginOptions): Origins {
  const names = isLoopbackName(host) ? [...LOOPBACK] : [host];
  const own = names.map((name) => new URL(`http://${inBrackets(name)}:${port}`));
  const byHost = new Map(own.map((url) => [url.host, url.origin]));
  // A browser leaves the usual port out; a proxy may not.
  for (const { hostname, origin } of own) if (port === 80) byHost.set(`${hostname}:80`, origin);
  if (behindProxy) byHost.set(behindProxy.host, behindProxy.origin);
  const base = behindProxy ? behindProxy.pathname.replace(/\/+$/, "") : "";
  const local = `http://${inBrackets(host)}:${port}`;
  return {
    originOf: (value) => byHost.get(value.toLowerCase()),
    base,
    address: behindProxy ? behindProxy.origin + base : new URL(local).origin,
  };
}

const LOOPBACK = ["127.0.0.1", "localhost", "::1"] as const;

export const isLoopbackName = (host: string) =>
  LOOPBACK.some((name) => name === host) || /^127\.\d+\.\d+\.\d+$/.test(host);

const inBrackets = (host: string) => (host.includes(":") ? `[${host}]` : host);

/** Why the server may not listen there. */
export function addressProblem({ host, behindProxy }: Omit<OriginOptions, "port">): string | undefined {
  // Also behind a proxy: what reaches us is not encrypted any more, and the proxy is believed about who asks.
  if (!isLoopbackName(host)) {
    const proxy = behindProxy ? " on this machine" : ", with --behind-proxy https://…";
    return `--host: others could read the traffic on "${host}"; keep 127.0.0.1 and use a TLS proxy${proxy}`;
  }
  if (behindProxy === undefined) return undefined;
  const { protocol, hostname, username, search, hash } = behindProxy;
  if (protocol !== "https:" && !(protocol === "http:" && isLoopbackName(hostname)))
    return `--behind-proxy: "${behindProxy.href}" must begin with https://, or others could read the traffic`;
  if (username !== "" || search !== "" || hash !== "")
    return "--behind-proxy: use a host and a path, and nothing else: https://example.org/keelson";
  return undefined;
}
