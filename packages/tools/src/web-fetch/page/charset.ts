// Decodes the bytes of a page: byte order mark, then the header, then what the page says, then a guess.

/** How far into a page its own statement about the character set is looked for. */
const HEAD_BYTES = 2_048;
const LARGE_BYTES = 1_000_000;
const DECLARED =
  /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]{1,40})|^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})/i;

export function decodeText(bytes: Uint8Array, contentType: string): string {
  const marked = byteOrderMark(bytes);
  if (marked) return decode(bytes, marked)!;
  const fromHeader = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1];
  const declared = DECLARED.exec(new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES)));
  // A page that could be read as ASCII up to its own statement is not UTF-16, whatever it says.
  const fromPage = (declared?.[1] ?? declared?.[2])?.replace(/^utf-16.*$/i, "utf-8");
  for (const label of [fromHeader, fromPage]) {
    const text = label === undefined ? undefined : decode(bytes, label);
    if (text !== undefined) return text;
  }
  const text = decode(bytes, "utf-8")!;
  // A large page may have been cut inside its last character.
  const isCut = bytes.length > LARGE_BYTES;
  return (isCut ? text.slice(0, -1) : text).includes("\ufffd") ? (decode(bytes, "windows-1252") ?? text) : text;
}

export function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

/** Undefined if no such character set is known. */
function decode(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label as Bun.Encoding).decode(bytes);
  } catch {
    return undefined;
  }
}
