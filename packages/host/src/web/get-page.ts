// Sends one GET over an open connection and reads the answer: a bounded head, then a bounded and decompressed body.

import { STATUS_CODES } from "node:http";
import type { HookConnection } from "../hooks/http/connect.ts";
import { sendOver } from "../hooks/http/send-over.ts";
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
  connection: HookConnection,
  { url, headers, maxBytes, signal }: PageRequest,
): Promise<PageAnswer> {
  const response = await sendOver(connection, {
    method: "GET",
    url,
    headers: { ...headers, "accept-encoding": "gzip, deflate, br" },
    maxHeaderBytes: MAX_HEADER_BYTES,
    signal,
  });
  const { statusCode: status = 0, headers: given } = response;
  const about = {
    status,
    // Not the server's own words: they could say anything.
    statusText: STATUS_CODES[status] ?? "",
    contentType: given["content-type"] ?? "",
    ...(status >= 300 && status < 400 && given.location !== undefined ? { location: given.location } : {}),
  };
  if (status < 200 || status > 299) {
    response.destroy();
    return { ...about, body: new Uint8Array(), cut: false };
  }
  return { ...about, ...(await readPageBody(response, { encoding: given["content-encoding"], maxBytes, signal })) };
}
