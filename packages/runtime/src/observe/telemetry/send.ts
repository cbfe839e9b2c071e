// Sends one request to a collector, or prints it. A collector gets nothing but what is in the request: redirects are not
// followed, because they would take the headers elsewhere.

import { writeSync } from "node:fs";
import { asciiJson } from "../../export/json.ts";
import { requestOf, type Attributes, type OtlpRecord } from "./otlp.ts";
import type { ReportTarget, ReportSignal } from "./plan.ts";
import { toProtobuf } from "./protobuf.ts";

export interface SendOptions {
  readonly resource: Attributes;
  readonly version: string;
  /** Of reports that are not about a session. */
  readonly scope?: string;
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Headers of the command that prints them. */
  moreHeaders(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/** A failure; `isFinal` if trying again cannot help. */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

export type Send = (records: readonly OtlpRecord[], signal: AbortSignal) => Promise<void>;

/** Throws SendError and nothing else. */
export function sender(signal: ReportSignal, destination: ReportTarget, options: SendOptions): Send {
  if (destination.kind === "console") return async (records) => printRecords(signal, records);
  const { protocol, url, headers, gzip, timeoutMs } = destination;
  return async (records, ending) => {
    const request = requestOf(signal, records, options);
    const plain = protocol === "http/json" ? Buffer.from(JSON.stringify(request)) : toProtobuf(signal, request);
    const body = gzip ? Bun.gzipSync(new Uint8Array(plain)) : new Uint8Array(plain);
    const limit = AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await options.fetch(url, {
        method: "POST",
        headers: {
          "user-agent": `keelson/${options.version}`,
          ...headers,
          ...(await options.moreHeaders(limit)),
          "content-type": protocol === "http/json" ? "application/json" : "application/x-protobuf",
          ...(gzip ? { "content-encoding": "gzip" } : {}),
        },
        body,
        redirect: "manual",
        signal: limit,
      });
      // What it says is of no interest, but the connection can be used again.
      await response.body?.cancel();
      if (response.ok) return;
      const { status } = response;
      throw new SendError(`the collector answered ${status}`, status < 500 && status !== 408 && status !== 429);
    } catch (error) {
      if (error instanceof SendError) throw error;
      // The runtime's message may quote the address or a header.
      throw new SendError(
        `no answer from the collector (${(error as { code?: string; name?: string }).code ?? (error as Error).name})`,
        false,
      );
    }
  };
}

/** One line each on standard error: standard output belongs to the answer. */
function printRecords(signal: ReportSignal, records: readonly OtlpRecord[]): void {
  const text = records.map((record) => `${asciiJson({ signal, ...record })}\n`).join("");
  try {
    writeSync(2, text);
  } catch {
    // Standard error is closed, and there is nowhere else to report that.
  }
}
