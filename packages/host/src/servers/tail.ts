// Reads a stream to its end and keeps only the last part.

export interface Tail {
  /** A line that is only partly kept is left out. */
  text(): string;
}

export function keepTail(stream: AsyncIterable<Uint8Array>, maxBytes: number): Tail {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let dropped = false;
  const push = (chunk: Uint8Array) => {
    // A copy, so that one kept line does not keep a large buffer alive.
    chunks.push(chunk.slice(-maxBytes));
    size += Math.min(chunk.length, maxBytes);
    dropped ||= chunk.length > maxBytes;
    while (chunks.length > 1 && size - chunks[0]!.length >= maxBytes) {
      size -= chunks.shift()!.length;
      dropped = true;
    }
  };
  void (async () => {
    for await (const chunk of stream) push(chunk);
  })().catch(() => undefined);
  return {
    text() {
      const bytes = Buffer.concat(chunks);
      const kept = bytes.subarray(Math.max(0, bytes.length - maxBytes)).toString("utf8");
      const cut = dropped || bytes.length > maxBytes;
      return cut ? kept.slice(kept.indexOf("\n") + 1) : kept;
    },
  };
}
