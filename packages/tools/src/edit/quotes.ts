// Typographic quotes: models type straight ones where a text has curly ones. Every quote is one character either
// way, so offsets stay true.

export function straightenQuotes(text: string): string {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');
}

/** Gives straight quotes in new text the curl of the text it replaces. */
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

/** An opening quote stands at the start, after a blank, after a bracket or dash, or inside another opening quote. */
const isOpening = (text: string, at: number) => at === 0 || /[\s([{\u2013\u2014\u2018\u201c]/.test(text[at - 1]!);
