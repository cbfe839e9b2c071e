// Finds HTML comments in Markdown that are blocks of their own: they begin a line, outside lists and other HTML. Behind a
// line of text, an indented one belongs to the paragraph, as in the reference. The caller handles code fences.

export interface CommentBlock {
  /** The last line of the comment. */
  readonly end: number;
  /** Other text on its lines, without comments. */
  readonly rest: string;
}

export interface CommentFinder {
  /** The comment that begins on this line. */
  at(line: number): CommentBlock | undefined;
  /** Call this for each line that is not a comment. */
  pass(line: string): void;
}

export function commentFinder(lines: readonly string[]): CommentFinder {
  const closing = closingLines(lines);
  /** The indentation of the current list item's content. */
  let item: number | undefined;
  /** What ends the current HTML block: a closing tag or an empty line. */
  let html: RegExp | undefined;
  let afterBlank = true;
  /** The line before is text that an indented line continues. */
  let afterText = false;

  return {
    at(line) {
      const indent = /^ {0,3}(?=<!--)/.exec(lines[line]!)?.[0].length;
      if (indent === undefined || html !== undefined || (item !== undefined && indent >= item)) return undefined;
      if (indent > 0 && afterText) return undefined;
      const end = endOf(lines, line, closing);
      if (end === undefined) return undefined;
      item = undefined;
      afterBlank = false;
      afterText = false;
      return { end, rest: withoutComments(lines.slice(line, end + 1).join("\n")).trim() };
    },
    pass(line) {
      const isBlank = line.trim() === "";
      if (html !== undefined) {
        if (html.test(line)) html = undefined;
      } else if (!isBlank) {
        const deep = /^ */.exec(line)![0].length;
        const mark = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)| |$)/.exec(line)?.[0];
        if (mark !== undefined && (item === undefined || deep < item)) item = mark.length;
        else if (item !== undefined && deep < item && mark === undefined && afterBlank) item = undefined;
        html = htmlEnd(line, afterBlank);
      }
      afterBlank = isBlank;
      afterText = !isBlank && !NO_TEXT.test(line) && !(afterText && UNDERLINE.test(line));
    },
  };
}

/** Headings, rules and fences. */
const NO_TEXT = /^ {0,3}(?:#{1,6}(?:\s|$)|([-*_])(?:[ \t]*\1){2,}\s*$|`{3}|~{3})/;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/;

/** The last line of a comment that begins here. */
function endOf(lines: readonly string[], at: number, closing: Int32Array): number | undefined {
  const line = lines[at]!;
  if (line.includes("-->", line.indexOf("<!--") + 4)) return at;
  const end = closing[at + 1];
  return end === undefined || end < 0 ? undefined : end;
}

/** For each line: the next line that ends a comment, or -1. Computed once for all comments. */
function closingLines(lines: readonly string[]): Int32Array {
  const closing = new Int32Array(lines.length).fill(-1);
  for (let at = lines.length - 1, next = -1; at >= 0; at--) {
    if (lines[at]!.includes("-->")) next = at;
    closing[at] = next;
  }
  return closing;
}

/** Replaces each comment with `instead`. */
export function withoutComments(text: string, instead = ""): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return kept + text.slice(from);
    kept += text.slice(from, start) + instead;
    from = end + 3;
  }
}

const RAW = /^ {0,3}<(script|pre|style|textarea)(?:[\s>]|$)/i;
const BLOCK =
  /^ {0,3}<\/?(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[\s>]|\/>|$)/i;
/** Any tag alone on its line; it cannot interrupt a paragraph. */
const ALONE = /^ {0,3}<(?:\/[a-z][\w-]*\s*|[a-z][\w-]*(?:\s[^<>]*)?)>\s*$/i;
const BLANK = /^\s*$/;

function htmlEnd(line: string, afterBlank: boolean): RegExp | undefined {
  if (!/^ {0,3}<[/a-z]/i.test(line)) return undefined;
  const raw = RAW.exec(line)?.[1];
  if (raw !== undefined) {
    const end = new RegExp(`</${raw}>`, "i");
    return end.test(line) ? undefined : end;
  }
  return BLOCK.test(line) || (afterBlank && ALONE.test(line)) ? BLANK : undefined;
}
