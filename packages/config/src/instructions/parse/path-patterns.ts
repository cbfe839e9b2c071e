// Matches files against the `paths` of a rule: .gitignore patterns, plus braces.

import { compileLine, matchDepths, type GitignoreLine } from "@keelson/engine/pattern";

export interface PathPatterns {
  /** `path` is relative to the folder of the rule, with slashes. */
  covers(path: string): boolean;
}

export interface BraceBudget {
  patterns: number;
  characters: number;
}

interface Pattern extends GitignoreLine {
  readonly negated: boolean;
}

const DEEPEST = 256;
const LONGEST = 1_024;

/** Undefined if the braces expand to more patterns than the budget allows. */
export function compilePatterns(written: readonly string[], budget: BraceBudget): PathPatterns | undefined {
  const lines = written.map((line) => expandBraces(line, budget));
  if (lines.some((line) => line === undefined)) return undefined;
  const patterns = lines.flatMap((line) => line!.flatMap((each) => compile(each) ?? []));
  return {
    covers(path) {
      const names = path.split("/");
      if (names.length > DEEPEST) return false;
      // At each depth, the last matching pattern decides.
      const isCovered = new Map<number, boolean>();
      for (const { glob, onlyFolders, negated } of patterns) {
        for (const depth of matchDepths(glob, names)) {
          if (depth < names.length || !onlyFolders) isCovered.set(depth, !negated);
        }
      }
      // As in git, everything in a matching folder matches, and no pattern can exclude it again.
      return [...isCovered.values()].includes(true);
    },
  };
}

function compile(line: string): Pattern | undefined {
  const negated = line.startsWith("!");
  const pattern = (negated ? line.slice(1) : line).replace(/^(?:\.\/+)+/, "");
  if (pattern.startsWith("#") || pattern.length > LONGEST) return undefined;
  const compiled = compileLine(pattern, { ignoreCase: false });
  return compiled && { ...compiled, negated };
}

/** `a.{ts,tsx}` is two patterns. Braces without a comma are plain characters. */
export function expandBraces(pattern: string, budget: BraceBudget): readonly string[] | undefined {
  const done: string[] = [];
  const open = [{ text: pattern, from: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    budget.characters -= next.text.length;
    if (budget.characters < 0 || done.length + open.length >= budget.patterns) return undefined;
    const group = firstGroup(next.text, next.from);
    if (group === undefined) {
      done.push(next.text);
      continue;
    }
    const before = next.text.slice(0, group.start);
    const after = next.text.slice(group.end + 1);
    open.push(...group.choices.map((choice) => ({ text: before + choice + after, from: group.start })).toReversed());
  }
  budget.patterns -= done.length;
  return done;
}

/** Goes over the text once, so unclosed braces cost no more than others. */
function firstGroup(
  text: string,
  from: number,
): { start: number; end: number; choices: readonly string[] } | undefined {
  const stack: { start: number; commas: number[] }[] = [];
  let found: { start: number; end: number; commas: number[] } | undefined;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") stack.push({ start: at, commas: [] });
    else if (text[at] === ",") stack.at(-1)?.commas.push(at);
    else if (text[at] === "}") {
      const group = stack.pop();
      const isOutermost = group !== undefined && group.commas.length > 0 && !(found && found.start < group.start);
      if (isOutermost) found = { ...group, end: at };
      if (found !== undefined && stack.length === 0) break;
    }
  }
  if (found === undefined) return undefined;
  const { start, end, commas } = found;
  const cuts = [start, ...commas, end];
  return { start, end, choices: cuts.slice(1).map((cut, at) => text.slice(cuts[at]! + 1, cut)) };
}
