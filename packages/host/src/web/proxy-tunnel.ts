// Asks an HTTP proxy for a tunnel to a host (CONNECT), so that TLS runs from here to the site.

import type { Socket } from "node:net";
import { dial, startTls } from "../hooks/http/connect.ts";

const MAX_HEAD_BYTES = 16 * 1024;

export interface TunnelOptions {
  readonly signal: AbortSignal;
  readonly ca?: readonly string[];
}

/** Throws a network error. The proxy is the user's own, so its address is not checked. */
export async function tunnelThrough(proxy: URL, site: URL, { signal, ca }: TunnelOptions): Promise<Socket> {
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:")
    throw new Error(`the proxy "${proxy.protocol}//${proxy.host}" is not an HTTP proxy`);
  const port = Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80);
  const plain = await dial({ address: proxy.hostname.replace(/^\[|\]$/g, ""), port }, signal);
  try {
    const socket = proxy.protocol === "https:" ? await startTls(plain, proxy, { signal, ca }) : plain;
    const target = `${site.hostname}:${site.port || 443}`;
    socket.write([`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...authorization(proxy), "", ""].join("\r\n"));
    const status = await readStatus(socket, signal);
    if (!/^HTTP\/1\.[01] 2\d\d/.test(status))
      throw new Error(`the proxy answered "${status.slice(0, 100)}" instead of connecting`);
    return socket;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

function authorization({ username, password }: URL): string[] {
  if (username === "" && password === "") return [];
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return [`Proxy-Authorization: Basic ${Buffer.from(pair).toString("base64")}`];
}

/** The first line of the answer. The site sends nothing before our TLS greeting, so nothing follows the head. */
function readStatus(socket: Socket, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let held = Buffer.alloc(0);
  const onData = (chunk: Uint8Array) => {
    held = Buffer.concat([held, chunk]);
    if (held.includes("\r\n\r\n")) resolve(held.toString("latin1", 0, held.indexOf("\r\n")));
    else if (held.length > MAX_HEAD_BYTES) reject(new Error("the proxy's answer is too long"));
  };
  const onEnd = () => reject(new Error("the proxy closed the connection"));
  const onAbort = () => reject(signal.reason);
  socket.on("data", onData).on("close", onEnd).on("end", onEnd).on("error", reject);
  signal.addEventListener("abort", onAbort);
  return promise.finally(() => {
    socket.off("data", onData).off("close", onEnd).off("end", onEnd);
    signal.removeEventListener("abort", onAbort);
  });
}
