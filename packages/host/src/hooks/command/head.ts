// The beginning of what a process prints, up to a size; the rest is counted out and gone. Bytes that are no UTF-8 are
// replaced, never an error.

export interface OutputHead {
  push(chunk: Uint8Array): void;
  /** Bytes kept so far. */
  size(): number;
  isCut(): boolean;
  /** What is there so far, without half a character at its end; at most the first `bytes`. */
  text(bytes?: number): string;
  /** All of it, for the last time: lets go of the memory. */
  take(): string;
}

const FIRST_BYTES = 4_096;

export function keepHead(limit: number): OutputHead {
  // One buffer that grows: a million chunks of one byte must not become a million objects.
  let bytes = new Uint8Array(0);
  let size = 0;
  let isCut = false;
  const decode = (end: number, isWhole: boolean) =>
    new TextDecoder().decode(bytes.subarray(0, end), { stream: !isWhole });

  return {
    push(chunk) {
      const part = chunk.length > limit - size ? chunk.subarray(0, limit - size) : chunk;
      if (part.length < chunk.length) isCut = true;
      if (part.length === 0) return;
      bytes = grow(bytes, size + part.length, limit);
      bytes.set(part, size);
      size += part.length;
    },
    size: () => size,
    isCut: () => isCut,
    text: (most = size) => decode(Math.min(most, size), false),
    take() {
      const text = decode(size, !isCut);
      bytes = new Uint8Array(0);
      size = limit; // whatever still comes is dropped
      return text;
    },
  };
}

function grow(bytes: Uint8Array<ArrayBuffer>, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  if (needed <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.min(limit, Math.max(needed, bytes.length * 2, FIRST_BYTES)));
  larger.set(bytes);
  return larger;
}
