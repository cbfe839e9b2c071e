// Converts the input of Grep to ripgrep arguments. Pure.

export type Mode = "files_with_matches" | "content" | "count";

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly output_mode?: Mode;
  readonly "-A"?: number;
  readonly "-B"?: number;
  readonly "-C"?: number;
  readonly context?: number;
  readonly "-n"?: boolean;
  readonly "-i"?: boolean;
  readonly "-o"?: boolean;
  readonly multiline?: boolean;
  readonly head_limit?: number;
  readonly offset?: number;
}

/** Longer lines are usually minified code or data; the start is enough. */
const MAX_LINE_LENGTH = 500;

/** Paths are separated by NUL because a file name may look like a line of output. */
export function ripgrepArgs(input: GrepInput, target: string, isFile: boolean): string[] {
  const mode = input.output_mode ?? "files_with_matches";
  return [
    "--hidden",
    "--color=never",
    ...(input["-i"] ? ["--ignore-case"] : []),
    ...(input.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(input.type ? [`--type=${input.type}`] : []),
    ...splitGlobs(input.glob ?? "").map((glob) => `--glob=${glob}`),
    // The last matching glob wins, so these come last.
    ...[".git", ".svn", ".hg", ".bzr", ".jj", ".sl"].map((folder) => `--glob=!${folder}`),
    ...(mode === "files_with_matches" ? ["--files-with-matches", "--null"] : []),
    ...(mode === "count" ? ["--count", "--with-filename", "--null"] : []),
    ...(mode === "content" ? contentArgs(input, isFile) : []),
    `--regexp=${input.pattern}`,
    "--",
    target,
  ];
}

function contentArgs(input: GrepInput, isFile: boolean): string[] {
  const around = input.context ?? input["-C"];
  return [
    "--no-heading",
    `--max-columns=${MAX_LINE_LENGTH}`,
    "--max-columns-preview",
    (input["-n"] ?? true) ? "--line-number" : "--no-line-number",
    ...(isFile
      ? ["--no-filename"]
      : ["--with-filename", "--field-match-separator=\\x00:", "--field-context-separator=\\x00-"]),
    ...(input["-o"] ? ["--only-matching"] : []),
    ...(around !== undefined ? [`--context=${around}`] : []),
    ...(around === undefined && input["-B"] !== undefined ? [`--before-context=${input["-B"]}`] : []),
    ...(around === undefined && input["-A"] !== undefined ? [`--after-context=${input["-A"]}`] : []),
  ];
}

/** Splits at spaces and commas, except commas inside braces. */
export function splitGlobs(list: string): string[] {
  const globs: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of list) {
    if (character === "{") depth++;
    if (character === "}") depth--;
    const isBreak = /\s/.test(character) || (character === "," && depth <= 0);
    if (isBreak && current !== "") globs.push(current);
    current = isBreak ? "" : current + character;
  }
  return current === "" ? globs : [...globs, current];
}
