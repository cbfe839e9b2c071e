// Extracts the text of an instruction file, without block comments, and the files it mentions. Not a full Markdown parser:
// it knows fences, code spans, emphasis and comments, and takes time in proportion to the text.

import type * as Comments from "./comments.ts";

export interface InstructionPage {
  readonly text: string;
  /** What follows each `@` in prose, as written, without duplicates. */
  readonly mentions: readonly string[];
}

const MOST_MENTIONS = 500;
/** One less than the pattern below accepts. */
const LONGEST_MENTION = 1_024;

export function readPage(source: string): InstructionPage {
  const hasMention = source.includes("@");
  if (!hasMention && !source.includes("<!--")) return { text: source, mentions: [] };
  // Loaded late: most files have neither.
  const comments = require("./comments.ts") as typeof Comments;
  const { kept, prose } = sortLines(source.split("\n"), comments);
  return { text: kept.join("\n"), mentions: hasMention ? mentionsIn(prose, comments) : [] };
}

interface Sorted {
  readonly kept: readonly string[];
  /** The same without code; removed lines are empty. */
  readonly prose: readonly string[];
}

function sortLines(lines: readonly string[], { commentFinder }: typeof Comments): Sorted {
  const kept: string[] = [];
  const prose: string[] = [];
  const comments = commentFinder(lines);
  const indented = indentedCode();
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (fence === undefined) {
      const comment = comments.at(at);
      if (comment !== undefined) {
        at = comment.end;
        if (comment.rest !== "") {
          kept.push(comment.rest);
          prose.push(comment.rest);
        } else {
          // The empty lines behind it go with it. For what follows, they were there.
          for (; /^\r?$/.test(lines[at + 1] ?? "end"); at++) {
            comments.pass("");
            indented("");
            prose.push("");
          }
        }
        continue;
      }
      comments.pass(line);
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

function fenceMark(line: string): { text: string; opens: boolean; bare: boolean } | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined;
  const inner = line.replace(/^[\s>]+/, "");
  const rest = inner.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, "");
  const text = /^(?:`{3,}|~{3,})/.exec(rest)?.[0];
  if (text === undefined) return undefined;
  const info = rest.slice(text.length);
  return { text, opens: text[0] === "~" || !info.includes("`"), bare: rest === inner && info.trim() === "" };
}

/** Lines with four spaces after an empty line are code, unless they belong to a list. */
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

function mentionsIn(prose: readonly string[], comments: typeof Comments): readonly string[] {
  const found = new Set<string>();
  for (const paragraph of paragraphs(prose)) {
    if (!paragraph.includes("@")) continue;
    const text = comments.withoutComments(withoutSpans(paragraph), " ");
    for (const match of text.matchAll(MENTION)) {
      const mention = match[1] === undefined ? match[2]! : emphasized(match[1], match[2]!, text, match.index);
      if (mention !== "" && mention.length <= LONGEST_MENTION) found.add(mention);
      if (found.size >= MOST_MENTIONS) return [...found];
    }
  }
  return [...found];
}

/** At the start of a word or of emphasis, which begins after a space or punctuation. */
const MENTION = /(?:^|\s|(?<![^\s!-/:-@[-`{-~]|[*_~])(\*{1,3}|_{1,3}|~~))@((?:[^\s\\]|\\ ){1,1025})/g;

/** Ends the mention where the emphasis ends; empty if it never does, because then it is not emphasis. */
function emphasized(mark: string, mention: string, text: string, at: number): string {
  const end = mention.indexOf(mark);
  if (end >= 0) return mention.slice(0, end);
  return text.indexOf(mark, at + mark.length + mention.length) < 0 ? "" : mention;
}

function* paragraphs(lines: readonly string[]): Generator<string> {
  let start = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && lines[at]!.trim() !== "") continue;
    if (at > start) yield lines.slice(start, at).join("\n");
    start = at + 1;
  }
}

/** Removes code spans. A run of backticks closes at the next run of the same length. */
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
    // Inside a span that is already removed, or the last run of this length in the paragraph.
    if (at < from || close === undefined) continue;
    text += `${paragraph.slice(from, at)} `;
    from = close + length;
  }
  return text + paragraph.slice(from);
}
