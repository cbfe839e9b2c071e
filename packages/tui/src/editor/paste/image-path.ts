// Recognizes pasted or dropped paths of images, in the ways terminals write them.

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
const LONGEST = 4_096;

/** The paths, if the text is nothing but paths of images. */
export function imagePaths(pasted: string): string[] | undefined {
  const text = pasted.trim();
  if (text === "" || text.length > LONGEST || !/png|jpe?g|gif|webp/i.test(text)) return undefined;
  // One path with spaces in it, not escaped, as some terminals paste it.
  if (!text.includes("\n") && /^(?:~?\/|[A-Za-z]:\\)/.test(text) && !text.includes("\\ ") && IMAGE.test(text)) {
    const words = split(text);
    if (!words?.every((word) => IMAGE.test(word) && looksLikePath(word))) return [text];
  }
  const words = split(text)?.map(fromUrl);
  return words && words.length > 0 && words.every((word) => IMAGE.test(word)) ? words : undefined;
}

function looksLikePath(word: string): boolean {
  return /^(?:~?\/|file:\/\/|[A-Za-z]:\\)/.test(word);
}

function fromUrl(word: string): string {
  if (!/^file:\/\//i.test(word)) return word;
  try {
    return decodeURIComponent(word.replace(/^file:\/\/(?:localhost)?/i, ""));
  } catch {
    return word;
  }
}

/** Words as a shell reads them; undefined if a quote is not closed. */
function split(text: string): string[] | undefined {
  const words: string[] = [];
  const windows = /^["']?[A-Za-z]:\\/.test(text);
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === "\\" && !windows && at + 1 < text.length) {
      at += 1;
      word = (word ?? "") + text[at];
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
