// A TLS connection to a web site: straight to an address that was checked, or through the user's proxy.

import type { Socket } from "node:net";
import { tunnelThrough } from "./proxy-tunnel.ts";
import {
  ForbiddenAddress,
  judgedAddresses,
  openConnection,
  startTls,
  type ConnectOptions,
  type HookConnection,
} from "../hooks/http/connect.ts";

export interface WebNetwork {
  /** The URL of an HTTP proxy; undefined for a direct connection. */
  readonly proxy?: string;
  /** Trusted certificates, instead of the built-in ones. */
  readonly ca?: readonly string[];
}

export interface SiteOptions extends Pick<ConnectOptions, "resolve" | "connect"> {
  readonly signal: AbortSignal;
}

/** Throws ForbiddenAddress or a network error. */
export async function connectToSite(
  url: URL,
  { proxy, ca }: WebNetwork,
  { signal, resolve, connect }: SiteOptions,
): Promise<HookConnection> {
  const options = {
    who: "WebFetch",
    localByName: true,
    localName: "127.0.0.1",
    ...(resolve ? { resolve } : {}),
    ...(connect ? { connect } : {}),
    ...(ca ? { ca } : {}),
  };
  rejectInternalName(url);
  if (proxy === undefined) return openConnection(url, signal, options);
  await judgeBehindProxy(url, signal, options);
  const tunnel = await tunnelThrough(new URL(proxy), url, { signal, ...(ca ? { ca } : {}) });
  try {
    const layer: Socket = await startTls(tunnel, url, { signal, ca });
    const target = { address: url.hostname, port: Number(url.port) || 443 };
    return { socket: layer, target, close: () => (layer.destroy(), tunnel.destroy()) };
  } catch (error) {
    tunnel.destroy();
    throw error;
  }
}

/** Names that mean a private network whoever resolves them, such as metadata.google.internal. */
const INTERNAL_NAME = /(?:^|\.)(?:internal|intranet|local|localdomain|lan|corp|home|home\.arpa)\.?$/;

function rejectInternalName({ hostname }: URL): void {
  if (INTERNAL_NAME.test(hostname)) throw new ForbiddenAddress(`"${hostname}" is a name in a private network`);
}

/**
 * The proxy resolves the name. A name that leads to a forbidden address here is rejected all the same; one that cannot
 * be resolved here is the proxy's decision, because many networks resolve names only there.
 */
async function judgeBehindProxy(url: URL, signal: AbortSignal, options: ConnectOptions): Promise<void> {
  try {
    await judgedAddresses(url, signal, options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ForbiddenAddress) throw error;
  }
}
