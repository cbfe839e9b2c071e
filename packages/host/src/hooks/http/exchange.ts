// Sends one POST over an open connection and reads the answer, at most 1 MiB. Does not follow redirects.

import type { IncomingMessage } from "node:http";
import type { HookConnection } from "./connect.ts";

export const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** The body was cut. */
  readonly tooLong: boolean;
}

export interface HookPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function postHook(
  { socket, target }: HookConnection,
  { url, headers, body }: HookPost,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  // 20 ms
  const http = await import("node:http");
  const bytes = Buffer.from(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = http.request({
    method: "POST",
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, connection: "close", "content-length": String(bytes.length) },
    // Use only our own socket. Do not set `agent`, not even to `false`: Bun 1.4.4 would then open its own connection.
    // If `createConnection` is ever ignored, `host` is still the checked address, not the name.
    createConnection: () => socket,
    host: target.address,
    port: target.port,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
  request.on("response", resolve).on("error", reject);
  request.on("close", () => reject(new Error("the connection was closed without an answer")));
  request.end(bytes);
  const response = await promise;
  return { status: response.statusCode ?? 0, ...(await readBounded(response)) };
}

async function readBounded(response: IncomingMessage): Promise<Pick<HttpAnswer, "body" | "tooLong">> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) break;
  }
  const all = Buffer.concat(chunks);
  return { body: new TextDecoder().decode(all.subarray(0, MAX_ANSWER_BYTES)), tooLong: size > MAX_ANSWER_BYTES };
}
