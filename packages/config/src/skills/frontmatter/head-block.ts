// The lines of a frontmatter as a tree of texts, lists and maps, by their indentation. What does not fit is reported with
// its line and left out; it takes nothing else with it.

import { readFlow, readQuoted } from "./head-flow.ts";

export interface HeadText {
  readonly kind: "text";
  readonly text: string;
  /** In quotes or a block, so `true` and `1` are words. */
  readonly quoted: boolean;
  readonly line: number;
}

export interface HeadList {
  readonly kind: "list";
  readonly items: readonly HeadNode[];
  /** As written, if it is on one line. */
  readonly raw?: string;
  readonly line: number;
}

export interface HeadMap {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, HeadNode>;
  readonly raw?: string;
  readonly line: number;
}

export type HeadNode = HeadText | HeadList | HeadMap;

export interface HeadProblem {
  readonly line: number;
  /** One sentence with the fix. */
  readonly why: string;
}

interface Page {
  /** Lines that begin list items are changed to begin with spaces instead of the dash. */
  readonly lines: string[];
  readonly problems: HeadProblem[];
  at: number;
}

const DEEPEST = 16;
const MOST_PROBLEMS = 20;

/** The first line is line 2 of the file. */
export function readBlock(lines: readonly string[], problems: HeadProblem[]): HeadMap {
  const page: Page = { lines: [...lines], problems, at: 0 };
  const entries = new Map<string, HeadNode>();
  let indent = -1;
  while (skipBlank(page)) {
    const line = page.lines[page.at]!;
    if (indent < 0) indent = indentOf(line);
    const named = indentOf(line) <= indent ? keyIn(line) : undefined;
    if (named !== undefined) {
      readEntry(page, named, indentOf(line), entries, 1);
      continue;
    }
    skipUnknown(page, (next) => indentOf(next) <= indent && keyIn(next) !== undefined);
  }
  if (entries.size === 0 && lines.length > 0) {
    problems.length = 0;
    problems.push({
      line: 2,
      why: "the text between the two --- lines is taken for frontmatter and has no effect; remove the first one",
    });
  }
  return { kind: "map", entries, line: 2 };
}

function report({ problems, at }: Page, why: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push({ line: at + 2, why });
}

/** Reports the lines up to one that means something, together. */
function skipUnknown(page: Page, isKnown: (line: string) => boolean): void {
  const start = page.at++;
  let last = start;
  for (; skipBlank(page) && !isKnown(page.lines[page.at]!); page.at++) last = page.at;
  const end = page.at;
  page.at = start;
  const why =
    last === start
      ? "this line is not `key: value`, so it has no effect; indent it if it belongs to the value above"
      : `lines ${start + 2} to ${last + 2} are not \`key: value\`, so they have no effect; indent them if they belong to the value above`;
  report(page, why);
  page.at = end;
}

/** Moves to the next line that is neither empty nor a comment. */
function skipBlank(page: Page): boolean {
  for (; page.at < page.lines.length; page.at++) {
    const line = page.lines[page.at]!;
    const start = line.trimStart();
    if (start !== "" && start[0] !== "#") return true;
  }
  return false;
}

/** A tab counts as two spaces. */
function indentOf(line: string): number {
  let indent = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === " ") indent++;
    else if (line[at] === "\t") indent += 2;
    else break;
  }
  return indent;
}

interface Named {
  readonly key: string;
  readonly rest: string;
  readonly glued?: true;
}

const QUOTED_KEY = /^\s*(?:"([^"]{0,200})"|'([^']{0,200})')[ \t]*:(?:[ \t]+(.*))?$/s;

/** `key: value`, `key:` or `"key": value`. A known key may be glued to its value. */
function keyIn(written: string): Named | undefined {
  const line = written.trim();
  const first = line[0];
  if (first === '"' || first === "'") {
    const [, double, single, rest = ""] = QUOTED_KEY.exec(line) ?? [];
    const key = double ?? single;
    return key === undefined ? undefined : { key, rest: rest.trim() };
  }
  const colon = line.indexOf(":");
  if (colon < 1 || colon > 200 || "-[]{}>|@`%&*!,?".includes(first!)) return undefined;
  const after = line[colon + 1];
  if (after !== undefined && after !== " " && after !== "\t") {
    const key = line.slice(0, colon);
    return /^[a-z]+(?:[-_][a-z]+)*$/.test(key) && !line.startsWith("//", colon + 1)
      ? { key, rest: line.slice(colon + 1).trim(), glued: true }
      : undefined;
  }
  return { key: line.slice(0, colon).trimEnd(), rest: line.slice(colon + 1).trim() };
}

function readEntry(
  page: Page,
  { key, rest, glued }: Named,
  indent: number,
  into: Map<string, HeadNode>,
  depth: number,
) {
  const line = page.at + 2;
  if (glued) report(page, `put a space after \`${key}:\``);
  if (into.has(key)) report(page, `\`${key}\` appears twice and the last one counts; remove the other`);
  const node = readValue(page, rest, indent, depth) ?? { kind: "text", text: "", quoted: false, line };
  // A list or map on the lines below belongs to the line of its key.
  into.set(key, node.line === line ? node : { ...node, line });
}

/** The value that starts on this line. Afterwards, the page is behind it. */
function readValue(page: Page, rest: string, indent: number, depth: number): HeadNode | undefined {
  const line = page.at + 2;
  const first = rest[0];
  page.at++;
  if (first === undefined || first === "#") return readNested(page, indent, depth);
  if ((first === "|" || first === ">") && /^[|>][-+\d]{0,3}(?:[ \t]+#.*)?$/.test(rest)) {
    return { kind: "text", text: blockText(page, indent, first === ">"), quoted: true, line };
  }
  if (first === '"' || first === "'") return quotedText(page, rest, indent, line);
  if (first === "[" || first === "{") return flowValue(page, rest, indent, line);
  return { kind: "text", text: withMore(page, withoutComment(rest), indent), quoted: false, line };
}

/** A list or map on the following lines; plain text if it is neither. */
function readNested(page: Page, indent: number, depth: number): HeadNode | undefined {
  if (!skipBlank(page)) return undefined;
  const line = page.lines[page.at]!;
  const inner = indentOf(line);
  const isItem = isListItem(line);
  if (inner < indent || (inner === indent && !isItem)) return undefined;
  if (depth >= DEEPEST) {
    report(page, `this is nested more than ${DEEPEST} levels deep, so it has no effect`);
    skipDeeper(page, indent);
    return undefined;
  }
  if (isItem) return readList(page, inner, depth);
  const rest = line.trim();
  return keyIn(line) === undefined ? readValue(page, rest, indent, depth + 1) : readMap(page, inner, depth);
}

const isListItem = (line: string) => /^\s*-(?:\s|$)/.test(line);

function readList(page: Page, indent: number, depth: number): HeadList {
  const start = page.at + 2;
  const items: HeadNode[] = [];
  while (skipBlank(page)) {
    const line = page.lines[page.at]!;
    if (indentOf(line) !== indent) break;
    if (!isListItem(line)) {
      if (keyIn(line) !== undefined) break;
      report(page, "this line is not `- item`, so it has no effect; put a dash before it");
      page.at++;
      continue;
    }
    const rest = line.trimStart().slice(1).trim();
    const named = keyIn(rest);
    if (named !== undefined && !named.glued && depth < DEEPEST) {
      // The keys below the first one are indented like it.
      page.lines[page.at] = line.replace("-", " ");
      items.push(readMap(page, indentOf(page.lines[page.at]!), depth + 1));
      continue;
    }
    const item = readValue(page, rest, indent, depth + 1);
    if (item !== undefined) items.push(item);
  }
  if (page.at < page.lines.length && indentOf(page.lines[page.at]!) > indent) skipBadLines(page, indent);
  return { kind: "list", items, line: start };
}

function readMap(page: Page, indent: number, depth: number): HeadMap {
  const start = page.at + 2;
  const entries = new Map<string, HeadNode>();
  while (skipBlank(page)) {
    const line = page.lines[page.at]!;
    const inner = indentOf(line);
    if (inner < indent || (inner === indent && isListItem(line))) break;
    const named = inner === indent ? keyIn(line) : undefined;
    if (named !== undefined) readEntry(page, named, indent, entries, depth + 1);
    else
      skipUnknown(
        page,
        (next) =>
          indentOf(next) < indent || (indentOf(next) === indent && (isListItem(next) || keyIn(next) !== undefined)),
      );
  }
  return { kind: "map", entries, line: start };
}

function skipBadLines(page: Page, indent: number): void {
  report(page, "this line does not belong to the list above it, so it has no effect; correct its indentation");
  skipDeeper(page, indent);
}

function skipDeeper(page: Page, indent: number): void {
  while (skipBlank(page) && indentOf(page.lines[page.at]!) > indent) page.at++;
}

/** The lines of a `|` or `>` block, without their common indentation. */
function blockText(page: Page, indent: number, folded: boolean): string {
  const lines: string[] = [];
  let common = -1;
  for (; page.at < page.lines.length; page.at++) {
    const line = page.lines[page.at]!.trimEnd();
    if (line !== "" && indentOf(line) <= indent) break;
    if (line !== "" && common < 0) common = line.length - line.trimStart().length;
    lines.push(line.slice(Math.min(Math.max(common, 0), line.length - line.trimStart().length)));
  }
  const text = lines.join("\n").trim();
  return folded ? text.replaceAll(/([^\n])\n(?=[^\n])/g, "$1 ").replaceAll(/\n\n+/g, "\n") : text;
}

/** Deeper lines continue a text, also behind empty ones. */
function withMore(page: Page, text: string, indent: number): string {
  const more = deeperLines(page, indent);
  if (more.length === 0) return text;
  return [text, ...more.filter((line) => line[0] !== "#").map(withoutComment)].join(" ").replaceAll(/ {2,}/g, " ");
}

/** Without the empty lines at the end. */
function deeperLines(page: Page, indent: number): readonly string[] {
  const lines: string[] = [];
  let end = 0;
  let next = page.at;
  for (; next < page.lines.length; next++) {
    const line = page.lines[next]!;
    const more = line.trim();
    if (more !== "" && indentOf(line) <= indent) break;
    lines.push(more);
    if (more === "") continue;
    end = lines.length;
    page.at = next + 1;
  }
  return lines.slice(0, end);
}

/** In YAML, a comment starts at a `#` after a space. */
function withoutComment(text: string): string {
  const at = text.indexOf(" #");
  return at < 0 ? text : text.slice(0, at).trimEnd();
}

/** May go on over several lines. If it is never closed, it is plain text. */
function quotedText(page: Page, rest: string, indent: number, line: number): HeadText {
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
  report(page, `the quote ${rest[0]} is never closed; close it, or remove it`);
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
function flowValue(page: Page, rest: string, indent: number, line: number): HeadNode {
  const short = readFlow(rest, line);
  if (short !== undefined && isOnlyComment(rest.slice(short.end)))
    return { ...short.node, raw: rest.slice(0, short.end) };
  if (short !== undefined) return { kind: "text", text: withMore(page, rest, indent), quoted: false, line };
  const from = page.at;
  const parts = [rest];
  for (; page.at < page.lines.length; page.at++) {
    const next = page.lines[page.at]!;
    // The closing bracket may be as far left as the key.
    if (indentOf(next) <= indent && !/^\s*[\]}]/.test(next)) break;
    if (!/^\s*#/.test(next)) parts.push(next.trim());
  }
  const long = readFlow(parts.join(" "), line);
  if (long !== undefined && isOnlyComment(parts.join(" ").slice(long.end))) return long.node;
  page.at = from;
  return { kind: "text", text: withMore(page, rest, indent), quoted: false, line };
}
