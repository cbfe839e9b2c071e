// Whether the parser took in all of a command's text. It is forgiving; wherever bash could read on differently, we ask.

import type { Command as ParsedCommand, SyntaxNode } from "unbash";

/** The parser is forgiving: `a(b` and `< 2>&1` lose a sign without an error. What stands between the parts must be blank. */
export function leavesText(node: ParsedCommand, source: string): boolean {
  let end = node.pos;
  let word = false;
  for (const part of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
    if (!/^(?:[ \t]|\\\n)*$/.test(source.slice(end, part.pos))) return true;
    const isWord = part.type === "Word" || part.type === "Assignment";
    if (word && isWord && end === part.pos) return true;
    word = isWord;
    end = part.end;
    // A sign that begins a comment does so after a blank only.
    if (source[end] === "#") return true;
    const target = part.type === "Redirect" || part.type === "HereString" ? part.target : undefined;
    if (target && /^\d+$/.test(target.text) && /[<>]/.test(source[end] ?? "")) return true;
    if (isTorn(part)) return true;
  }
  const bracket = /(?:[ \t]|\\\n)*\(/y;
  bracket.lastIndex = end;
  return bracket.test(source);
}

/** To bash `<(a)#;b` is one word and a second command; to the parser it is a word and a comment. */
export function standsAlone(
  { pos, end, text }: Extract<SyntaxNode, { type: "ProcessSubstitution" }>,
  source: string,
): boolean {
  const parted = (character: string | undefined) => character === undefined || /[\s;&|()<>]/.test(character);
  return source.slice(pos, end) === text && parted(source[pos - 1]) && parted(source[end]);
}

/** A here-document without an end, or whose mark nobody would read the same way. */
export function isTorn(part: ParsedCommand["suffix"][number]): boolean {
  if (part.type !== "HereDoc") return false;
  return part.closing === undefined || !isWholeDelimiter(part.delimiter?.text ?? "");
}

/** Quotes in it are closed, and nothing would be expanded elsewhere: bash and others read such marks differently. */
function isWholeDelimiter(text: string): boolean {
  return /^(?:[^\s'"\\`$()<>;&|]|\\[^\n]|'[^'\n]*'|"[^"\\`$\n]*")+$/.test(text);
}
