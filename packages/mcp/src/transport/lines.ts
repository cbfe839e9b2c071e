// Splits bytes into lines. A line that is too long ends the reading with an error, so memory stays limited.

const LINE_FEED = 0x0a;
const MAX_PARTS = 10_000;

/** Empty lines are left out. Rejects as soon as a line is longer than `maxBytes`. */
export async function* splitLines(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (last: Uint8Array) => {
    const line = parts.length === 0 ? decode(last) : decode(Buffer.concat([...parts, last]));
    parts = [];
    size = 0;
    return line.trim();
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      check(size + end - start, maxBytes);
      const line = take(chunk.subarray(start, end));
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start === chunk.length) continue;
    size += chunk.length - start;
    check(size, maxBytes);
    parts.push(chunk.subarray(start));
    // A server may send byte by byte, and every part costs a hundred bytes.
    if (parts.length >= MAX_PARTS) parts = [Buffer.concat(parts)];
  }
}

function check(size: number, maxBytes: number): void {
  if (size > maxBytes) {
    throw new Error(`the server sent a message of more than ${Math.round(maxBytes / 1024 / 1024)} MiB`);
  }
}

const decoder = new TextDecoder();
const decode = (bytes: Uint8Array) => decoder.decode(bytes);
