// The items of a JSON array, each as its bytes: for a file that is too large to parse as a whole, or of which only the start is
// needed.

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Throws if it is not an array, or, if `isWhole`, does not end. An item that does not end is left out. */
export function* arrayItems(bytes: Buffer, isWhole: boolean): Generator<Buffer> {
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPEN_LIST) throw new SyntaxError("not an array");
  at = afterSpace(bytes, at + 1);
  while (at < bytes.length && bytes[at] !== CLOSE_LIST) {
    const end = endOfItem(bytes, at);
    if (end === undefined) break;
    yield bytes.subarray(at, end);
    at = afterSpace(bytes, end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
    else if (at < bytes.length && bytes[at] !== CLOSE_LIST) throw new SyntaxError("no comma between two items");
  }
  if (isWhole && (bytes[at] !== CLOSE_LIST || afterSpace(bytes, at + 1) < bytes.length))
    throw new SyntaxError("the array does not end");
}

/** Undefined if the bytes end first. */
function endOfItem(bytes: Buffer, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth--;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return undefined;
}

function endOfString(bytes: Buffer, start: number): number | undefined {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return undefined;
}

function afterSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return at;
}
