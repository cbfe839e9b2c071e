// Parses a message of limited length. A few megabytes of brackets and commas would become hundreds of megabytes of
// objects, so their number is limited too.

export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_VALUES = 2_000_000;

/** Undefined if it is not JSON. Throws if it has too many values. */
export function parseMessage(text: string): unknown {
  // Each value takes at least one character.
  if (text.length > MAX_VALUES && hasMoreValuesThan(MAX_VALUES, text)) {
    throw new Error(`the server sent a message with more than ${MAX_VALUES / 1_000_000} million values`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const STARTS = new Set(["[", "{", ","].map((text) => text.charCodeAt(0)));

/** Counts what may begin a value, outside of strings. */
function hasMoreValuesThan(limit: number, text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (STARTS.has(code) && ++count > limit) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
