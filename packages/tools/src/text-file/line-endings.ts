// Line endings. The model reads and writes LF; every line of a file keeps its own ending.

export type LineEnding = "\n" | "\r\n";

/** The most common ending; LF if there is a tie. */
export function lineEndingOf(text: string): LineEnding {
  const crlf = count(text, "\r\n");
  return crlf > 0 && crlf > count(text, "\n") - crlf ? "\r\n" : "\n";
}

export function toLf(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** Converts LF text to this line ending. */
export function withEnding(text: string, ending: LineEnding): string {
  return ending === "\n" ? text : text.replaceAll("\n", "\r\n");
}

/** Converts increasing offsets in `toLf(text)` to offsets in `text`. Never points inside a CRLF. */
export function lfOffsets(text: string): (offset: number) => number {
  let at = 0;
  let lf = 0;
  let next = text.indexOf("\r\n");
  return (offset) => {
    while (next !== -1 && lf + (next - at) < offset) {
      lf += next - at + 1;
      at = next + 2;
      next = text.indexOf("\r\n", at);
    }
    return at + (offset - lf);
  };
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
