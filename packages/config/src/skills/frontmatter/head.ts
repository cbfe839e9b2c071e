// The frontmatter of a Markdown file, read as people write it: the common part of YAML, and where YAML would fail, the
// text as it stands. Never throws. There are no anchors, aliases or tags, and everything is bounded.

import { readBlock } from "./head-block.ts";
import type { HeadMap, HeadProblem } from "./head-node.ts";

export interface Head {
  /** Empty if there is no frontmatter. */
  readonly fields: HeadMap["entries"];
  readonly problems: readonly HeadProblem[];
  /** Where the text after the frontmatter starts: at its first word, as in the reference. */
  readonly bodyAt: number;
  /** There is an opening `---`, but the source ends before the closing one. */
  readonly isOpen: boolean;
}

/** Frontmatter longer than this is text. */
export const MOST_HEAD_CHARACTERS = 64 * 1024;
const MOST_LINES = 2_000;

const NO_FIELDS: HeadMap["entries"] = new Map();

export function readHead(source: string): Head {
  const start = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  const first = fenceAt(source, start);
  if (first === undefined)
    return { fields: NO_FIELDS, problems: lateFence(source, start), bodyAt: start, isOpen: false };

  const end = closingFence(source, first);
  if (end === undefined) {
    const problem = { line: 1, why: "the frontmatter has no closing ---, so all of it is text; add a line with ---" };
    return { fields: NO_FIELDS, problems: [problem], bodyAt: start, isOpen: true };
  }
  const problems: HeadProblem[] = [];
  const lines = source.slice(first, end.at).split("\n", MOST_LINES);
  if (lines.at(-1) === "") lines.pop();
  const { entries } = readBlock(lines, problems);
  const bodyAt = end.after + /^\s*/.exec(source.slice(end.after))![0].length;
  return { fields: entries, problems, bodyAt, isOpen: false };
}

/** If a line with `---` starts here, where the next line starts. */
function fenceAt(source: string, at: number): number | undefined {
  if (!source.startsWith("---", at)) return undefined;
  for (let next = at + 3; next < source.length; next++) {
    const sign = source[next];
    if (sign === "\n") return next + 1;
    if (sign !== " " && sign !== "\t" && sign !== "\r") return undefined;
  }
  return source.length;
}

function closingFence(source: string, from: number): { readonly at: number; readonly after: number } | undefined {
  for (let at = from; at - from < MOST_HEAD_CHARACTERS;) {
    const after = fenceAt(source, at);
    if (after !== undefined) return { at, after };
    at = source.indexOf("\n---", at) + 1;
    if (at === 0) break;
  }
  return undefined;
}

/** Frontmatter must be the first thing in the file. */
function lateFence(source: string, start: number): readonly HeadProblem[] {
  const blank = /^(?:[ \t]*\r?\n){1,100}---[ \t]*\r?\n/.exec(source.slice(start, start + 400))?.[0];
  if (blank === undefined) return [];
  const line = blank.split("\n").length - 1;
  return [{ line, why: "the frontmatter is not at the start, so it is text; remove the empty lines above it" }];
}
