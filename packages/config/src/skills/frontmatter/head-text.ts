// One value of a frontmatter: plain, in quotes, in brackets or as a block, also over several lines. Afterwards, the page is
// behind it.

import { readFlow, readQuoted } from "./head-flow.ts";
import type { HeadNode, HeadText } from "./head-node.ts";
import { headIndent, reportProblem, type HeadPage } from "./head-page.ts";

/** The lines of a `|` or `>` block, without their common indentation. */
export function linesOfBlock(page: HeadPage, indent: number, folded: boolean): string {
  const lines: string[] = [];
  let common = -1;
  for (; page.at < page.lines.length; page.at++) {
    const line = page.lines[page.at]!.trimEnd();
    if (line !== "" && headIndent(line) <= indent) break;
    if (line !== "" && common < 0) common = line.length - line.trimStart().length;
    lines.push(line.slice(Math.min(Math.max(common, 0), line.length - line.trimStart().length)));
  }
  const text = lines.join("\n").trim();
  return folded ? text.replaceAll(/([^\n])\n(?=[^\n])/g, "$1 ").replaceAll(/\n\n+/g, "\n") : text;
}

/** Deeper lines continue a text, also behind empty ones. */
export function withMore(page: HeadPage, text: string, indent: number): string {
  const more = deeperLines(page, indent);
  if (more.length === 0) return text;
  return [text, ...more.filter((line) => line[0] !== "#").map(withoutComment)].join(" ").replaceAll(/ {2,}/g, " ");
}

/** Without the empty lines at the end. */
function deeperLines(page: HeadPage, indent: number): readonly string[] {
  const lines: string[] = [];
  let end = 0;
  let next = page.at;
  for (; next < page.lines.length; next++) {
    const line = page.lines[next]!;
    const more = line.trim();
    if (more !== "" && headIndent(line) <= indent) break;
    lines.push(more);
    if (more === "") continue;
    end = lines.length;
    page.at = next + 1;
  }
  return lines.slice(0, end);
}

/** In YAML, a comment starts at a `#` after a space. */
export function withoutComment(text: string): string {
  const at = text.indexOf(" #");
  return at < 0 ? text : text.slice(0, at).trimEnd();
}

/** May continue over several lines. If it is never closed, it is plain text. */
export function quotedText(page: HeadPage, rest: string, indent: number, line: number): HeadText {
  const whole = readQuoted(rest);
  if (whole !== undefined && isOnlyComment(rest.slice(whole.end))) {
    return { kind: "text", text: whole.text, quoted: true, line };
  }
  if (whole !== undefined) return { kind: "text", text: withMore(page, rest, indent), quoted: false, line };
  const from = page.at;
  const lines = [rest, ...deeperLines(page, indent)];
  const long = rest[0] === '"' ? joinEscaped(lines) : lines.join(" ");
  const joined = readQuoted(long);
  if (joined !== undefined && isOnlyComment(long.slice(joined.end))) {
    return { kind: "text", text: joined.text, quoted: true, line };
  }
  page.at = from - 1;
  reportProblem(page, `the quote ${rest[0]} is never closed; close it, or remove it`);
  page.at = from;
  return { kind: "text", text: withMore(page, rest.slice(1), indent), quoted: false, line };
}

/** In double quotes, a backslash at the end of a line joins the next one without a space. Programs write long texts so. */
function joinEscaped(lines: readonly string[]): string {
  return lines
    .map((line) => (/(?:^|[^\\])(?:\\\\)*\\$/.test(line) ? line.slice(0, -1) : `${line} `))
    .join("")
    .replace(/ $/, "");
}

const isOnlyComment = (text: string) => /^\s*(?:#.*)?$/s.test(text);

/** `[a, b]` and `{a: b}`, also over several lines. With something behind it, as in `[a] b`, it is plain text. */
export function flowValue(page: HeadPage, rest: string, indent: number, line: number): HeadNode {
  const short = readFlow(rest, line);
  if (short !== undefined && isOnlyComment(rest.slice(short.end)))
    return { ...short.node, raw: rest.slice(0, short.end) };
  if (short !== undefined) return { kind: "text", text: withMore(page, rest, indent), quoted: false, line };
  const from = page.at;
  const parts = [rest];
  for (; page.at < page.lines.length; page.at++) {
    const next = page.lines[page.at]!;
    // The closing bracket may be as far left as the key.
    if (headIndent(next) <= indent && !/^\s*[\]}]/.test(next)) break;
    if (!/^\s*#/.test(next)) parts.push(next.trim());
  }
  const long = readFlow(parts.join(" "), line);
  if (long !== undefined && isOnlyComment(parts.join(" ").slice(long.end))) return long.node;
  page.at = from;
  return { kind: "text", text: withMore(page, rest, indent), quoted: false, line };
}
