// Messages of the language server protocol on a byte stream: a header with the length, then JSON.

/** The server sent something that is not a message. */
export class FramingError extends Error {
  override readonly name = "FramingError";
}

const HEADER_END = Buffer.from("\r\n\r\n");
const MAX_HEADER_BYTES = 4 * 1024;
/** Far more than the largest answers of real servers. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export function framed(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Puts messages together from chunks of any size. Copies each byte at most twice. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Bytes of header and message; undefined until the header is complete. */
  #needed: { readonly header: number; readonly total: number } | undefined;

  /** The messages that this chunk completes. Throws FramingError; the stream is then lost. */
  *push(chunk: Uint8Array): Generator<unknown> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      this.#needed ??= this.#readHeader();
      if (!this.#needed || this.#size < this.#needed.total) return;
      const { header, total } = this.#needed;
      const all = this.#joined();
      const message = parse(all.subarray(header, total));
      this.#chunks = all.length > total ? [all.subarray(total)] : [];
      this.#size -= total;
      this.#needed = undefined;
      yield message;
    }
  }

  #readHeader() {
    if (this.#size === 0) return undefined;
    const all = this.#joined();
    const end = all.indexOf(HEADER_END);
    if (end === -1) {
      // Text without a header is told apart at once, not only when there is much of it.
      if (all.length > MAX_HEADER_BYTES || !/^[\w-]+:|^[\w-]*$/.test(all.subarray(0, 64).toString("latin1"))) {
        throw new FramingError(notAMessage(all));
      }
      return undefined;
    }
    const header = all.subarray(0, Math.min(end, MAX_HEADER_BYTES)).toString("latin1");
    const length = Number(/^content-length: *(\d{1,12})\s*$/im.exec(header)?.[1] ?? Number.NaN);
    // Text may arrive together with the first message.
    const isHeader = header.split("\r\n").every((line) => /^[\w-]+:[^\n]*$/.test(line));
    if (Number.isNaN(length) || !isHeader) throw new FramingError(notAMessage(all));
    if (length > MAX_MESSAGE_BYTES) throw new FramingError(`It sent a message of ${length} bytes, which is too large`);
    return { header: end + HEADER_END.length, total: end + HEADER_END.length + length };
  }

  #joined(): Buffer {
    const all =
      this.#chunks.length === 1
        ? Buffer.from(this.#chunks[0]!.buffer, this.#chunks[0]!.byteOffset, this.#size)
        : Buffer.concat(this.#chunks);
    this.#chunks = all.length > 0 ? [all] : [];
    return all;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new FramingError("It sent a message that is not valid JSON");
  }
}

function notAMessage(bytes: Buffer): string {
  // Its first line; a message may already follow.
  const [line] = /^[^\n]*\n?/.exec(bytes.subarray(0, 60).toString("utf8"))!;
  const start = JSON.stringify(line);
  return `It printed ${start}, which is not a message of a language server; its command may need an option such as --stdio`;
}
