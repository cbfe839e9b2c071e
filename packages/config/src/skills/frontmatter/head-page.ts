// The lines of a frontmatter while they are read, and what can be seen on one of them.

import type { HeadProblem } from "./head-node.ts";

export interface HeadPage {
  /** Lines that begin list items are changed to begin with spaces instead of the dash. */
  readonly lines: string[];
  readonly problems: HeadProblem[];
  at: number;
}

const MOST_PROBLEMS = 20;

export function reportProblem({ problems, at }: HeadPage, why: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push({ line: at + 2, why });
}

/** Moves to the next line that is neither empty nor a comment. */
export function skipBlank(page: HeadPage): boolean {
  for (; page.at < page.lines.length; page.at++) {
    const line = page.lines[page.at]!;
    const start = line.trimStart();
    if (start !== "" && start[0] !== "#") return true;
  }
  return false;
}

/** A tab counts as two spaces. */
export function headIndent(line: string): number {
  let indent = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === " ") indent++;
    else if (line[at] === "\t") indent += 2;
    else break;
  }
  return indent;
}

export interface NamedValue {
  readonly key: string;
  readonly rest: string;
  readonly glued?: true;
}

const QUOTED_KEY = /^\s*(?:"([^"]{0,200})"|'([^']{0,200})')[ \t]*:(?:[ \t]+(.*))?$/s;

/** `key: value`, `key:` or `"key": value`. A known key may be glued to its value. */
export function keyIn(written: string): NamedValue | undefined {
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
