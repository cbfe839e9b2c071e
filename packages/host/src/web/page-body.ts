// Reads a body up to a limit. The limit holds for what arrives and for what it decompresses to, so that a small body
// cannot become a large one.

import type { Readable } from "node:stream";

export interface ReadBodyOptions {
  /** The header Content-Encoding. */
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface ReadBody {
  readonly body: Uint8Array;
  readonly cut: boolean;
}

export async function readPageBody(
  source: Readable,
  { encoding, maxBytes, signal }: ReadBodyOptions,
): Promise<ReadBody> {
  // A stream that is destroyed by a signal may end as if nothing had happened.
  const stop = () => source.destroy(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    const arrived = { size: 0 };
    const { body, cut } = await collect(await decoded(source, encoding, maxBytes, arrived), maxBytes);
    signal.throwIfAborted();
    return { body, cut: cut || arrived.size > maxBytes };
  } finally {
    signal.removeEventListener("abort", stop);
    source.destroy();
  }
}

async function collect(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}

async function decoded(
  source: Readable,
  encoding: string | undefined,
  maxBytes: number,
  arrived: { size: number },
): Promise<AsyncIterable<Uint8Array>> {
  const named = (encoding ?? "").trim().toLowerCase();
  if (named === "" || named === "identity") return source;
  // 5 ms
  const [zlib, stream] = await Promise.all([import("node:zlib"), import("node:stream")]);
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const decoder =
    named === "gzip" || named === "x-gzip" || named === "deflate"
      ? zlib.createUnzip({ finishFlush: Z_SYNC_FLUSH })
      : named === "br"
        ? zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH })
        : undefined;
  if (decoder === undefined) throw new Error(`the content encoding "${named.slice(0, 50)}" is not supported`);
  // Errors of either end reach whoever reads the decoder.
  stream.pipeline(stream.Readable.from(limited(source, maxBytes, arrived)), decoder, () => undefined);
  return decoder;
}

/** Ends after this many bytes: a compressed body may continue for ever without decompressing to anything. */
async function* limited(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  arrived: { size: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    arrived.size += chunk.length;
    if (arrived.size > maxBytes) return;
  }
}
