// The binary frames of AWS's event streams: lengths, headers, payload and two checksums. Knows nothing about models
// except ModelError.

import { ModelError } from "@keelson/engine";

export interface EventFrame {
  /** Headers that are text, such as `:message-type`. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Uint8Array;
}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
// The service sends at most 16 MB.
const MAX_FRAME_BYTES = 24 * 1024 * 1024;

export class EventStreamDecoder {
  #buffer = new Uint8Array(0);
  #from = 0;
  #to = 0;

  /** The frames that are complete now. Payloads are valid until the next push. A damaged frame is a cut stream. */
  *push(chunk: Uint8Array): Generator<EventFrame> {
    this.#append(chunk);
    for (;;) {
      const bytes = this.#buffer.subarray(this.#from, this.#to);
      if (bytes.length < PRELUDE_BYTES) return;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const total = view.getUint32(0);
      const headersLength = view.getUint32(4);
      if (checksum(bytes.subarray(0, 8)) !== view.getUint32(8)) throw damaged();
      if (total > MAX_FRAME_BYTES || total < PRELUDE_BYTES + headersLength + CHECKSUM_BYTES) throw damaged();
      if (bytes.length < total) return;
      const end = total - CHECKSUM_BYTES;
      if (checksum(bytes.subarray(0, end)) !== view.getUint32(end)) throw damaged();
      const payloadAt = PRELUDE_BYTES + headersLength;
      this.#from += total;
      yield { headers: readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt)), payload: bytes.subarray(payloadAt, end) };
    }
  }

  /** Whether the stream ended within a frame. */
  get isPartial(): boolean {
    return this.#to > this.#from;
  }

  #append(chunk: Uint8Array): void {
    const kept = this.#buffer.subarray(this.#from, this.#to);
    if (this.#to + chunk.length > this.#buffer.length) {
      const needed = kept.length + chunk.length;
      // Doubled, so that a large frame in many small chunks is not copied once per chunk.
      const target = needed > this.#buffer.length ? new Uint8Array(needed * 2) : this.#buffer;
      target.set(kept, 0);
      this.#buffer = target;
      this.#from = 0;
      this.#to = kept.length;
    }
    this.#buffer.set(chunk, this.#to);
    this.#to += chunk.length;
  }
}

// The length of a value by its type; text and bytes have a length of their own.
const FIXED_LENGTHS = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const BYTES = 6;
const TEXT = 7;

function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const decoder = new TextDecoder();
  try {
    for (let at = 0; at < bytes.length;) {
      const nameEnd = at + 1 + view.getUint8(at);
      const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
      const type = view.getUint8(nameEnd);
      const hasLength = type === BYTES || type === TEXT;
      const length = hasLength ? view.getUint16(nameEnd + 1) : FIXED_LENGTHS[type];
      if (length === undefined) throw damaged();
      const valueAt = nameEnd + (hasLength ? 3 : 1);
      if (valueAt + length > bytes.length) throw damaged();
      if (type === TEXT) headers.set(name, decoder.decode(bytes.subarray(valueAt, valueAt + length)));
      at = valueAt + length;
    }
  } catch (error) {
    if (error instanceof RangeError) throw damaged();
    throw error;
  }
  return headers;
}

const checksum = (bytes: Uint8Array) => Bun.hash.crc32(bytes);

function damaged(): ModelError {
  return new ModelError("stream_cut", "The reply was damaged on its way");
}
