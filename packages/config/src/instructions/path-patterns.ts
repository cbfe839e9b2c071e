// Whether a rule's `paths` cover a file, read as the lines of a .gitignore, with braces on top. The matching itself is
// Bun's: it takes time in proportion to pattern and path, whatever a pattern looks like.

export interface PathPatterns {
  /** `path` is relative to the folder the rule is for, with slashes. */
  covers(path: string): boolean;
}

export interface BraceBudget {
  patterns: number;
  characters: number;
}

interface Pattern {
  readonly glob: Bun.Glob;
  readonly negated: boolean;
  readonly onlyFolders: boolean;
}

const DEEPEST = 256;
const LONGEST = 1_024;

/** Undefined when the braces stand for more patterns than the budget has left. */
export function compilePatterns(written: readonly string[], budget: BraceBudget): PathPatterns | undefined {
  const lines = written.map((line) => expandBraces(line, budget));
  if (lines.some((line) => line === undefined)) return undefined;
  const patterns = lines.flatMap((line) => line!.flatMap((each) => compile(each) ?? []));
  return {
    covers(path) {
      const names = path.split("/");
      if (names.length > DEEPEST) return false;
      // As git does it: what lies in a covered folder is covered, and nothing further down can take it out again.
      for (let depth = 1; depth <= names.length; depth++) {
        const part = names.slice(0, depth).join("/");
        const isFolder = depth < names.length;
        const last = patterns.findLast(({ glob, onlyFolders }) => (isFolder || !onlyFolders) && glob.match(part));
        if (last !== undefined && !last.negated) return true;
      }
      return false;
    },
  };
}

function compile(line: string): Pattern | undefined {
  const negated = line.startsWith("!");
  let pattern = withoutBlanks(negated ? line.slice(1) : line).replace(/^(?:\.\/+)+/, "");
  if (pattern === "" || pattern.startsWith("#") || pattern.length > LONGEST) return undefined;
  const onlyFolders = pattern.endsWith("/");
  if (onlyFolders) pattern = pattern.replace(/\/+$/, "");
  const anchored = pattern.includes("/");
  const names = pattern.replace(/^\/+/, "").split("/").map(literalBraces);
  return { glob: new Bun.Glob([...(anchored ? [] : ["**"]), ...names].join("/")), negated, onlyFolders };
}

function withoutBlanks(line: string): string {
  const cut = line.trimEnd();
  return cut.endsWith("\\") && cut.length < line.length ? `${cut} ` : cut;
}

/** What Bun gives a meaning and git does not is taken to the letter; two stars in a name are one. */
function literalBraces(name: string): string {
  if (name === "**") return name;
  const escaped = name.replace(/\\.|\[[^\]]*\]|[{}()|]/g, (part) => (part.length > 1 ? part : `\\${part}`));
  return escaped.replace(/\*{2,}/g, "*").replace(/^!/, "\\!");
}

/** `a.{ts,tsx}` is two patterns. Braces without a comma in them are letters. */
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

/** One pass over the text, so that braces that never close cost no more than those that do. */
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
