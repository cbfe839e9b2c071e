// Curly quotes: models type straight quotes where the file has curly ones. Both are one character, so offsets do not
// change.

export function straightenQuotes(text: string): string {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');
}

/** Makes quotes in the new text curly if the replaced text has curly quotes. */
export function curlQuotesLike(found: string, text: string): string {
  let curled = text;
  if (/[\u201c\u201d]/.test(found)) {
    curled = curled.replaceAll('"', (_, at: number, all: string) => (isOpening(all, at) ? "\u201c" : "\u201d"));
  }
  if (/[\u2018\u2019]/.test(found)) {
    curled = curled.replaceAll("'", (_, at: number, all: string) => (isOpening(all, at) ? "\u2018" : "\u2019"));
  }
  return curled;
}

/** An opening quote is at the start, or after whitespace, a bracket, a dash, or another opening quote. */
const isOpening = (text: string, at: number) => at === 0 || /[\s([{\u2013\u2014\u2018\u201c]/.test(text[at - 1]!);
