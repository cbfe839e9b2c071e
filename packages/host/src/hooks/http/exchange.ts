// Sends one POST over an open connection and reads the answer, at most 1 MiB.

import type { IncomingMessage } from "node:http";
import type { HookConnection } from "./connect.ts";
import { sendOver } from "./send-over.ts";

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
  connection: HookConnection,
  { url, headers, body }: HookPost,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const response = await sendOver(connection, {
    method: "POST",
    url,
    headers,
    body: Buffer.from(body),
    maxHeaderBytes: MAX_HEADER_BYTES,
    signal,
  });
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
