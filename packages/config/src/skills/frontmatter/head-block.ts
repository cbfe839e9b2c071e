// The lines of a frontmatter as a tree of texts, lists and maps, by their indentation. What does not fit is reported with
// its line and left out; it takes nothing else with it.

import type { HeadList, HeadMap, HeadNode, HeadProblem } from "./head-node.ts";
import { headIndent, keyIn, reportProblem, skipBlank, type NamedValue, type HeadPage } from "./head-page.ts";
import { linesOfBlock, flowValue, quotedText, withMore, withoutComment } from "./head-text.ts";

const DEEPEST = 16;
/** The first line is line 2 of the file. */
export function readBlock(lines: readonly string[], problems: HeadProblem[]): HeadMap {
  const page: HeadPage = { lines: [...lines], problems, at: 0 };
  const entries = new Map<string, HeadNode>();
  let indent = -1;
  while (skipBlank(page)) {
    const line = page.lines[page.at]!;
    if (indent < 0) indent = headIndent(line);
    const named = headIndent(line) <= indent ? keyIn(line) : undefined;
    if (named !== undefined) {
      readEntry(page, named, headIndent(line), entries, 1);
      continue;
    }
    skipUnknown(page, (next) => headIndent(next) <= indent && keyIn(next) !== undefined);
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

/** Reports the lines up to one that means something, together. */
function skipUnknown(page: HeadPage, isKnown: (line: string) => boolean): void {
  const start = page.at++;
  let last = start;
  for (; skipBlank(page) && !isKnown(page.lines[page.at]!); page.at++) last = page.at;
  const end = page.at;
  page.at = start;
  const why =
    last === start
      ? "this line is not `key: value`, so it has no effect; indent it if it belongs to the value above"
      : `lines ${start + 2} to ${last + 2} are not \`key: value\`, so they have no effect; indent them if they belong to the value above`;
  reportProblem(page, why);
  page.at = end;
}

function readEntry(
  page: HeadPage,
  { key, rest, glued }: NamedValue,
  indent: number,
  into: Map<string, HeadNode>,
  depth: number,
) {
  const line = page.at + 2;
  if (glued) reportProblem(page, `put a space after \`${key}:\``);
  if (into.has(key)) reportProblem(page, `\`${key}\` appears twice and the last one is used; remove the other`);
  const node = readValue(page, rest, indent, depth) ?? { kind: "text", text: "", quoted: false, line };
  // A list or map on the lines below belongs to the line of its key.
  into.set(key, node.line === line ? node : { ...node, line });
}

/** The value that starts on this line. Afterwards, the page is behind it. */
function readValue(page: HeadPage, rest: string, indent: number, depth: number): HeadNode | undefined {
  const line = page.at + 2;
  const first = rest[0];
  page.at++;
  if (first === undefined || first === "#") return readNested(page, indent, depth);
  if ((first === "|" || first === ">") && /^[|>][-+\d]{0,3}(?:[ \t]+#.*)?$/.test(rest)) {
    return { kind: "text", text: linesOfBlock(page, indent, first === ">"), quoted: true, line };
  }
  if (first === '"' || first === "'") return quotedText(page, rest, indent, line);
  if (first === "[" || first === "{") return flowValue(page, rest, indent, line);
  return { kind: "text", text: withMore(page, withoutComment(rest), indent), quoted: false, line };
}

/** A list or map on the following lines; plain text if it is neither. */
function readNested(page: HeadPage, indent: number, depth: number): HeadNode | undefined {
  if (!skipBlank(page)) return undefined;
  const line = page.lines[page.at]!;
  const inner = headIndent(line);
  const isItem = isListItem(line);
  if (inner < indent || (inner === indent && !isItem)) return undefined;
  if (depth >= DEEPEST) {
    reportProblem(page, `this is nested more than ${DEEPEST} levels deep, so it has no effect`);
    skipDeeper(page, indent);
    return undefined;
  }
  if (isItem) return readList(page, inner, depth);
  const rest = line.trim();
  return keyIn(line) === undefined ? readValue(page, rest, indent, depth + 1) : readMap(page, inner, depth);
}

const isListItem = (line: string) => /^\s*-(?:\s|$)/.test(line);

function readList(page: HeadPage, indent: number, depth: number): HeadList {
  const start = page.at + 2;
  const items: HeadNode[] = [];
  while (skipBlank(page)) {
    const line = page.lines[page.at]!;
    if (headIndent(line) !== indent) break;
    if (!isListItem(line)) {
      if (keyIn(line) !== undefined) break;
      reportProblem(page, "this line is not `- item`, so it has no effect; put a dash before it");
      page.at++;
      continue;
    }
    const rest = line.trimStart().slice(1).trim();
    const named = keyIn(rest);
    if (named !== undefined && !named.glued && depth < DEEPEST) {
      // The keys below the first one are indented like it.
      page.lines[page.at] = line.replace("-", " ");
      items.push(readMap(page, headIndent(page.lines[page.at]!), depth + 1));
      continue;
    }
    const item = readValue(page, rest, indent, depth + 1);
    if (item !== undefined) items.push(item);
  }
  if (page.at < page.lines.length && headIndent(page.lines[page.at]!) > indent) skipBadLines(page, indent);
  return { kind: "list", items, line: start };
}

function readMap(page: HeadPage, indent: number, depth: number): HeadMap {
  const start = page.at + 2;
  const entries = new Map<string, HeadNode>();
  while (skipBlank(page)) {
    const line = page.lines[page.at]!;
    const inner = headIndent(line);
    if (inner < indent || (inner === indent && isListItem(line))) break;
    const named = inner === indent ? keyIn(line) : undefined;
    if (named !== undefined) readEntry(page, named, indent, entries, depth + 1);
    else
      skipUnknown(
        page,
        (next) =>
          headIndent(next) < indent || (headIndent(next) === indent && (isListItem(next) || keyIn(next) !== undefined)),
      );
  }
  return { kind: "map", entries, line: start };
}

function skipBadLines(page: HeadPage, indent: number): void {
  reportProblem(page, "this line does not belong to the list above it, so it has no effect; correct its indentation");
  skipDeeper(page, indent);
}

function skipDeeper(page: HeadPage, indent: number): void {
  while (skipBlank(page) && headIndent(page.lines[page.at]!) > indent) page.at++;
}
