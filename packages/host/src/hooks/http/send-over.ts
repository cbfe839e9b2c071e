// Sends one request over an open connection, to the address that was checked. Does not follow redirects.

import type { IncomingMessage } from "node:http";
import type { HookConnection } from "./connect.ts";

export interface OneRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal;
}

/** Resolves with the head of the answer; the caller reads the rest. */
export async function sendOver({ socket, target }: HookConnection, sent: OneRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, maxHeaderBytes: maxHeaderSize, signal } = sent;
  // 20 ms
  const http = await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = http.request({
    method,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      connection: "close",
      ...(body && { "content-length": String(body.length) }),
    },
    // Use only our own socket. Do not set `agent`, not even to `false`: Bun 1.4.4 would then open its own connection.
    // If `createConnection` is ever ignored, `host` is still the checked address, not the name.
    createConnection: () => socket,
    host: target.address,
    port: target.port,
    maxHeaderSize,
    signal,
  });
  request.on("response", resolve).on("error", reject);
  request.on("close", () => reject(new Error("the connection was closed without an answer")));
  request.end(body);
  return promise;
}
