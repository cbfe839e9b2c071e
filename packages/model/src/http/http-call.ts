// One HTTP request with two timeouts: until the headers arrive, and between chunks. Knows nothing about models except
// ModelError.

import { ModelError } from "@keelson/engine";
import type * as GatheredReads from "./gathered-reads.ts";
import type { BodyRead } from "./gathered-reads.ts";
import { isThisMachine } from "./network.ts";

export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

export interface HttpCallOptions {
  readonly fetch: Fetch;
  /** Time until the headers arrive. */
  readonly timeoutMs: number;
  /** Time between two chunks of the body. */
  readonly idleTimeoutMs: number;
  /** What to check if the server cannot be reached. */
  readonly addressFrom?: string;
  /** Time between two reads if the caller of `chunks` lets data gather. */
  readonly gatherMs?: number | undefined;
  /** Whether a server on this machine has to be started by the user, so that asking again does not help. */
  readonly isStartedByUser?: boolean;
}

export interface HttpCall {
  readonly response: Response;
  /**
   * Reads the body; call it once. Throws only ModelError. What arrives within `gatherMs`, times what `gathers` returns, is
   * one chunk.
   */
  chunks(gathers?: () => number): AsyncGenerator<Uint8Array>;
  /** Whether `gatherMs` was given. */
  readonly canGather: boolean;
  /** Reads the body as text, up to `maxBytes`. */
  text(maxBytes: number): Promise<string>;
  /** Ends the request. If it is finished, the connection can be reused. */
  close(options: { readonly finished: boolean }): void;
}

/** More than any reply has. One that never ends would fill the memory. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** Sends a request and waits for the headers. Throws only ModelError. */
export async function openCall(
  url: URL,
  init: BunFetchRequestInit,
  options: HttpCallOptions,
  signal: AbortSignal,
): Promise<HttpCall> {
  const { fetch, timeoutMs, idleTimeoutMs, gatherMs, addressFrom = "ANTHROPIC_BASE_URL" } = options;
  const stop = new AbortController();
  const abort = () => stop.abort(new ModelError("aborted", "Request was aborted"));
  const forget = () => signal.removeEventListener("abort", abort);
  const after = (ms: number, message: string) => setTimeout(() => stop.abort(new ModelError("timeout", message)), ms);

  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  const slow = after(timeoutMs, `${url.origin} did not answer within ${seconds(timeoutMs)} (API_TIMEOUT_MS)`);
  let response: Response;
  try {
    stop.signal.throwIfAborted();
    response = await fetch(url.href, {
      ...init,
      signal: stop.signal,
      // Following a redirect would send the key to another server.
      redirect: "manual",
      // We have our own timeouts; fetch's default of five minutes is too short for long thinking.
      timeout: false,
    });
  } catch (error) {
    forget();
    throw stop.signal.aborted
      ? stop.signal.reason
      : unreachable(url, error, { addressFrom, isStartedByUser: options.isStartedByUser ?? false });
  } finally {
    clearTimeout(slow);
  }

  const reader = response.body?.getReader();
  const gathered =
    reader && gatherMs !== undefined
      ? (require("./gathered-reads.ts") as typeof GatheredReads).gatheredReads(reader, gatherMs)
      : undefined;
  stop.signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}), { once: true });

  async function* chunks(gathers?: () => number): AsyncGenerator<Uint8Array> {
    let size = 0;
    while (reader) {
      const idle = after(idleTimeoutMs, `The model sent no data for ${seconds(idleTimeoutMs)}`);
      let next: BodyRead;
      try {
        next = await (gathered ? gathered(gathers?.() ?? 0) : reader.read());
      } catch {
        stop.signal.throwIfAborted();
        throw new ModelError("stream_cut", "The connection broke before the reply was complete");
      } finally {
        clearTimeout(idle);
      }
      stop.signal.throwIfAborted();
      if (next.done || !next.value) return;
      size += next.value.length;
      if (size > MAX_REPLY_BYTES) throw new ModelError("unknown", "The reply is too large: it has more than 128 MB");
      yield next.value;
    }
  }

  return {
    response,
    chunks,
    canGather: gatherMs !== undefined,
    text: (maxBytes) => textIn(chunks(), maxBytes),
    close({ finished }) {
      forget();
      if (finished && reader) void drain(reader);
      else stop.abort();
    },
  };
}

async function textIn(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of chunks) {
    text += decoder.decode(chunk.subarray(0, maxBytes - size), { stream: true });
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return text;
}

/** The call and the beginning of its body, which can still be read as a whole. Throws only ModelError. */
export async function peek(call: HttpCall): Promise<{ readonly call: HttpCall; readonly beginning: string }> {
  const rest = call.chunks();
  const read: Uint8Array[] = [];
  let beginning = "";
  while (beginning === "") {
    const next = await rest.next();
    if (next.done) break;
    read.push(next.value);
    beginning = new TextDecoder().decode(Buffer.concat(read)).trimStart();
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield* read;
    yield* rest;
  }
  return { call: { ...call, chunks, text: (maxBytes) => textIn(chunks(), maxBytes) }, beginning };
}

/** Reads the rest of a finished reply, for up to a second; otherwise the connection is not reused. */
async function drain(reader: { read(): Promise<{ readonly done: boolean }>; cancel(): Promise<void> }): Promise<void> {
  const giveUp = setTimeout(() => void reader.cancel().catch(() => {}), 1_000);
  giveUp.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // The reply was complete, so an error here does not matter.
  } finally {
    clearTimeout(giveUp);
  }
}

/** Uses only the error's code: fetch may quote header values in its messages. */
function unreachable(
  url: URL,
  error: unknown,
  { addressFrom, isStartedByUser }: { readonly addressFrom: string; readonly isStartedByUser: boolean },
): ModelError {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  const reason = String(code ?? name ?? "unknown error");
  if (/CERT|SIGNATURE|TLS|SSL/i.test(reason))
    return new ModelError(
      "unknown",
      `Cannot verify the certificate of ${url.origin} (${reason}); set NODE_EXTRA_CA_CERTS to the PEM file of your certificate authority`,
    );
  if (reason === "EPROTO")
    return new ModelError(
      "unknown",
      `${url.origin} does not speak TLS (EPROTO); if it is an http server, use http:// in ${addressFrom}`,
    );
  if (reason === "ECONNREFUSED" && isStartedByUser && isThisMachine(url.hostname))
    return new ModelError(
      "unknown",
      `Nothing is listening at ${url.origin}; start the server, or check ${addressFrom}`,
    );
  return new ModelError(
    "connection",
    `Could not reach ${url.origin} (${reason}); check the network, ${addressFrom} and the proxy variables`,
  );
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
