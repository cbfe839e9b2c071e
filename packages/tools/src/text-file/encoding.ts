// Converts bytes to text and back without loss: `encode` returns exactly the bytes that `decode` got.
// Supports UTF-8, UTF-16 with a byte order mark, and windows-1252 for everything else.

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

export interface Decoded {
  /** Without the byte order mark. */
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
}

export function decode(bytes: Uint8Array): Decoded {
  const [a, b, c] = bytes;
  // An odd number of bytes is not UTF-16, and the last byte would be lost.
  if (bytes.length % 2 === 0) {
    if (a === 0xff && b === 0xfe) return { text: utf16(bytes.subarray(2)), encoding: "utf-16le", bom: true };
    if (a === 0xfe && b === 0xff) return { text: utf16(swapBytes(bytes.subarray(2))), encoding: "utf-16be", bom: true };
  }
  const bom = a === 0xef && b === 0xbb && c === 0xbf;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bom ? bytes.subarray(3) : bytes), encoding: "utf-8", bom };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "windows-1252", bom: false };
  }
}

/** The first character that the encoding does not have. */
export interface Unwritable {
  readonly lacks: string;
}

export function encode(text: string, encoding: Encoding, bom: boolean): Uint8Array | Unwritable {
  const marked = bom ? `\ufeff${text}` : text;
  switch (encoding) {
    case "utf-8":
      return new TextEncoder().encode(marked);
    case "utf-16le":
      return Buffer.from(marked, "utf16le");
    case "utf-16be":
      return swapBytes(Buffer.from(marked, "utf16le"));
    case "windows-1252":
      return windows1252(text);
  }
}

// TextDecoder would replace lone surrogates, which some programs write.
const utf16 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf16le");

const swapBytes = (bytes: Uint8Array) => Buffer.from(bytes).swap16();

function windows1252(text: string): Uint8Array | Unwritable {
  // The 32 characters that differ from Latin-1, taken from the decoder.
  const special = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index));
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80 || (unit >= 0xa0 && unit <= 0xff)) {
      bytes[index] = unit;
      continue;
    }
    const offset = special.indexOf(text[index]!);
    if (offset === -1) return { lacks: String.fromCodePoint(text.codePointAt(index)!) };
    bytes[index] = 0x80 + offset;
  }
  return bytes;
}
