// Keeps the start of a process's output up to a limit and drops the rest. Invalid UTF-8 is replaced, not an error.

export interface OutputHead {
  push(chunk: Uint8Array): void;
  /** Bytes kept so far. */
  size(): number;
  isCut(): boolean;
  /** The text so far without an incomplete last character, at most the first `bytes`. */
  text(bytes?: number): string;
  /** Returns the text and frees the memory. */
  take(): string;
}

const FIRST_BYTES = 4_096;

export function keepHead(limit: number): OutputHead {
  // One growing buffer: a million one-byte chunks must not become a million objects.
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
    text: (maxBytes = size) => decode(Math.min(maxBytes, size), false),
    take() {
      const text = decode(size, !isCut);
      bytes = new Uint8Array(0);
      size = limit; // drop anything that follows
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
