// Opens a connection for an HTTP hook, a monitor or a web page: resolves the name once, checks every address, and
// connects to one of those.
// The name is not resolved again, so the answer cannot change after the check.

import type { Socket } from "node:net";
import { forbiddenNetwork, isLoopback } from "./address.ts";

export interface SocketAddress {
  /** An IP address that has been checked. */
  readonly address: string;
  readonly port: number;
}

export type ResolveHost = (name: string) => Promise<readonly string[]>;
/** Resolves once connected. Destroys the socket if the signal aborts. */
export type ConnectSocket = (target: SocketAddress, signal: AbortSignal) => Promise<Socket>;

export interface HookConnection {
  readonly socket: Socket;
  readonly target: SocketAddress;
  close(): void;
}

/** The hook's URL leads to a forbidden address. */
export class ForbiddenAddress extends Error {
  override readonly name = "RefusedAddress";
}

export interface ConnectOptions {
  readonly resolve?: ResolveHost;
  readonly connect?: ConnectSocket;
  /** Who connects, for messages. */
  readonly who?: string;
  /** A name that does not say so must not lead to this machine. */
  readonly localByName?: boolean;
  /** What to write for this machine, for messages. */
  readonly localName?: string;
  /** Trusted certificates, instead of the built-in ones. */
  readonly ca?: readonly string[];
}

/** Throws ForbiddenAddress or a network error. */
export async function openConnection(
  url: URL,
  signal: AbortSignal,
  options: ConnectOptions = {},
): Promise<HookConnection> {
  const { connect = dial, ca } = options;
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const addresses = await judgedAddresses(url, signal, options);
  const { socket, target } = await dialAny(addresses, port, connect, signal);
  if (!isSecure) return { socket, target, close: () => socket.destroy() };
  try {
    const layer = await startTls(socket, url, { signal, ca });
    return { socket: layer, target, close: () => (layer.destroy(), socket.destroy()) };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The addresses of a URL's host. Throws ForbiddenAddress if one of them may not be reached. */
export async function judgedAddresses(
  url: URL,
  signal: AbortSignal,
  { resolve = lookUp, who = "HTTP hooks", localByName = false, localName = "localhost" }: ConnectOptions,
): Promise<readonly string[]> {
  const { name, isLiteral } = hostOf(url);
  const addresses = isLiteral ? [name] : await unlessAborted(resolve(name), signal);
  rejectForbidden(name, addresses, who);
  const hidden = localByName && !isLiteral && !/(?:^|\.)localhost\.?$/.test(name) && addresses.find(isLoopback);
  if (hidden)
    throw new ForbiddenAddress(`${name} resolves to ${hidden}, which is this machine: use ${localName} instead`);
  return addresses;
}

/** The parsed URL has normalized every spelling of an address. */
function hostOf({ hostname }: URL): { readonly name: string; readonly isLiteral: boolean } {
  if (hostname.startsWith("[")) return { name: hostname.slice(1, -1), isLiteral: true };
  return { name: hostname, isLiteral: /^\d+(?:\.\d+){3}$/.test(hostname) };
}

/** One forbidden address is enough to reject the name: a mix of both is suspicious. */
function rejectForbidden(name: string, addresses: readonly string[], who: string): void {
  if (addresses.length === 0) throw new ForbiddenAddress(`${name} has no address`);
  for (const address of addresses) {
    const network = forbiddenNetwork(address);
    if (network === undefined) continue;
    const subject = address === name ? address : `${name} resolves to ${address}, which`;
    throw new ForbiddenAddress(
      `${subject} is ${network}: ${who} can reach only public addresses and this machine (127.0.0.1, ::1)`,
    );
  }
}

const ADDRESS_TIMEOUT_MS = 5_000; // for one address, if the name has others

async function dialAny(
  addresses: readonly string[],
  port: number,
  connect: ConnectSocket,
  signal: AbortSignal,
): Promise<Omit<HookConnection, "close">> {
  for (const address of addresses.slice(0, -1)) {
    const target = { address, port };
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(new Error(`${address} does not answer`)), ADDRESS_TIMEOUT_MS);
    try {
      return { socket: await connect(target, AbortSignal.any([signal, patience.signal])), target };
    } catch {
      signal.throwIfAborted(); // otherwise try the next; the last one reports its error
    } finally {
      clearTimeout(timer);
    }
  }
  const target = { address: addresses.at(-1)!, port };
  return { socket: await connect(target, signal), target };
}

/** Checks the certificate against the name in the URL, not the address. */
export async function startTls(
  socket: Socket,
  url: URL,
  { signal, ca }: { readonly signal: AbortSignal; readonly ca?: readonly string[] | undefined },
): Promise<Socket> {
  // 12 ms
  const tls = await import("node:tls");
  const { name, isLiteral } = hostOf(url);
  const host = name.replace(/\.$/, "");
  const layer = tls.connect({
    socket,
    host,
    ...(isLiteral ? {} : { servername: host }),
    ...(ca ? { ca: [...ca] } : {}),
  });
  return whenReady(layer, "secureConnect", signal);
}

export async function dial({ address, port }: SocketAddress, signal: AbortSignal): Promise<Socket> {
  // 10 ms
  const net = await import("node:net");
  return whenReady(net.connect({ host: address, port }), "connect", signal);
}

async function lookUp(name: string): Promise<string[]> {
  // 2 ms
  const dns = await import("node:dns/promises");
  return (await dns.lookup(name, { all: true })).map(({ address }) => address);
}

function whenReady(socket: Socket, ready: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const onError = (error: Error) => reject(error);
  const onClose = () => reject(new Error("the connection was closed before it was used"));
  const onAbort = () => {
    reject(signal.reason);
    socket.destroy();
  };
  socket.on("error", onError).on("close", onClose);
  (socket as NodeJS.EventEmitter).once(ready, () => resolve(socket));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
