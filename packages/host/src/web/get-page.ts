// Sends one GET over an open connection and reads the answer: a bounded head, then a bounded and decompressed body.

import type { IncomingMessage } from "node:http";
import type { HookConnection } from "../hooks/http/connect.ts";
import { readPageBody } from "./page-body.ts";

const MAX_HEADER_BYTES = 64 * 1024;

export interface PageAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string;
  /** Where a redirect leads, as the server wrote it. */
  readonly location?: string;
  /** Empty for redirects and errors: no one reads those. */
  readonly body: Uint8Array;
  /** The body is longer than the limit; this is its start. */
  readonly cut: boolean;
}

export interface PageRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export async function getPage(
  { socket, target }: HookConnection,
  { url, headers, maxBytes, signal }: PageRequest,
): Promise<PageAnswer> {
  // 20 ms
  const http = await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = http.request({
    method: "GET",
    path: url.pathname + url.search,
    headers: { ...headers, "accept-encoding": "gzip, deflate, br", host: url.host, connection: "close" },
    // As for HTTP hooks (hooks/http/exchange.ts): our own socket, and the checked address if that were ever ignored.
    createConnection: () => socket,
    host: target.address,
    port: target.port,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
  request.on("response", resolve).on("error", reject);
  request.on("close", () => reject(new Error("the connection was closed without an answer")));
  request.end();
  const response = await promise;
  const { statusCode: status = 0, headers: given } = response;
  const about = {
    status,
    // Not the server's own words: they could say anything.
    statusText: http.STATUS_CODES[status] ?? "",
    contentType: given["content-type"] ?? "",
    ...(status >= 300 && status < 400 && given.location !== undefined ? { location: given.location } : {}),
  };
  if (status < 200 || status > 299) {
    response.destroy();
    return { ...about, body: new Uint8Array(), cut: false };
  }
  return { ...about, ...(await readPageBody(response, { encoding: given["content-encoding"], maxBytes, signal })) };
}
