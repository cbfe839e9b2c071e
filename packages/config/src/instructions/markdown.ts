// What an instruction file says: its text without comments that stand on lines of their own, and the files it mentions.
// Not a Markdown parser: it knows fences, code spans and comments, and takes time in proportion to the text.

export interface Page {
  readonly text: string;
  /** What follows an `@` in prose, as written, each once. */
  readonly mentions: readonly string[];
}

const MOST_MENTIONS = 500;
const LONGEST_MENTION = 1_024;

export function readPage(source: string): Page {
  const hasMention = source.includes("@");
  if (!hasMention && !source.includes("<!--")) return { text: source, mentions: [] };
  const { kept, prose } = sortLines(source.split("\n"));
  return { text: kept.join("\n"), mentions: hasMention ? mentionsIn(prose) : [] };
}

interface Sorted {
  readonly kept: readonly string[];
  /** The same without code; an empty line wherever something was taken out. */
  readonly prose: readonly string[];
}

function sortLines(lines: readonly string[]): Sorted {
  const kept: string[] = [];
  const prose: string[] = [];
  const closing = closingLines(lines);
  const indented = indentedCode();
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (fence === undefined) {
      const end = commentEnd(lines, at, closing);
      if (end !== undefined) {
        at = end;
        continue;
      }
    }
    kept.push(line);
    const mark = fenceMark(line);
    if (fence !== undefined) {
      if (mark?.bare && mark.text[0] === fence[0] && mark.text.length >= fence.length) fence = undefined;
      prose.push("");
    } else if (mark?.opens) {
      fence = mark.text;
      prose.push("");
    } else prose.push(indented(line) ? "" : line);
  }
  return { kept, prose };
}

/** The line on which a block comment that begins here ends, when nothing else stands on its lines. */
function commentEnd(lines: readonly string[], at: number, closing: Int32Array): number | undefined {
  const line = lines[at]!;
  if (!/^ {0,3}<!--/.test(line)) return undefined;
  const start = line.indexOf("<!--") + 4;
  const own = line.indexOf("-->", start);
  if (own >= 0) return line.slice(own + 3).trim() === "" ? at : undefined;
  const end = closing[at + 1];
  if (end === undefined || end < 0) return undefined;
  const last = lines[end]!;
  return last.slice(last.indexOf("-->") + 3).trim() === "" ? end : undefined;
}

/** For each line the first from there on that ends a comment, or -1: looked up once, however many comments begin. */
function closingLines(lines: readonly string[]): Int32Array {
  const closing = new Int32Array(lines.length).fill(-1);
  for (let at = lines.length - 1, next = -1; at >= 0; at--) {
    if (lines[at]!.includes("-->")) next = at;
    closing[at] = next;
  }
  return closing;
}

function fenceMark(line: string): { text: string; opens: boolean; bare: boolean } | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined;
  const inner = line.replace(/^[\s>]+/, "");
  const rest = inner.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, "");
  const text = /^(?:`{3,}|~{3,})/.exec(rest)?.[0];
  if (text === undefined) return undefined;
  const info = rest.slice(text.length);
  return { text, opens: text[0] === "~" || !info.includes("`"), bare: rest === inner && info.trim() === "" };
}

/** Four blanks after an empty line are code, unless a list goes on. */
function indentedCode(): (line: string) => boolean {
  let afterBlank = true;
  let inCode = false;
  let inList = false;
  return (line) => {
    const blank = line.trim() === "";
    const deep = /^(?: {4}| {0,3}\t)/.test(line);
    if (!blank && !deep) {
      inList = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line) || (inList && !afterBlank);
    }
    if (!blank) inCode = deep && !inList && (inCode || afterBlank);
    afterBlank = blank;
    return inCode && !blank;
  };
}

function mentionsIn(prose: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const paragraph of paragraphs(prose)) {
    if (!paragraph.includes("@")) continue;
    for (const match of withoutSpans(paragraph).matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)) {
      if (match[1]!.length <= LONGEST_MENTION) found.add(match[1]!);
      if (found.size >= MOST_MENTIONS) return [...found];
    }
  }
  return [...found];
}

function* paragraphs(lines: readonly string[]): Generator<string> {
  let start = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && lines[at]!.trim() !== "") continue;
    if (at > start) yield lines.slice(start, at).join("\n");
    start = at + 1;
  }
}

/** Blanks out code spans and comments. A run of backticks closes at the next run of the same length. */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map((match) => ({ at: match.index, length: match[0].length }));
  const later = new Map<number, number>();
  const closes = runs.toReversed().map(({ at, length }) => {
    const close = later.get(length);
    later.set(length, at);
    return close;
  });
  let text = "";
  let from = 0;
  for (const [index, { at, length }] of runs.entries()) {
    const close = closes[runs.length - 1 - index];
    // Inside a span that is already taken out, or the paragraph's last run of this length.
    if (at < from || close === undefined) continue;
    text += `${paragraph.slice(from, at)} `;
    from = close + length;
  }
  return withoutComments(text + paragraph.slice(from));
}

function withoutComments(text: string): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return kept + text.slice(from);
    kept += `${text.slice(from, start)} `;
    from = end + 3;
  }
}
