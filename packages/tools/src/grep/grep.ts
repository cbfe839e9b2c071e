// Grep: searches file contents with ripgrep and shows one page of results. Each call runs ripgrep once.

import { resolve } from "node:path";
import {
  boolean,
  defineTool,
  integer,
  object,
  oneOf,
  optional,
  string,
  ToolError,
  type FileStat,
  type ToolContext,
} from "@keelson/engine";
import { resolvePath, shownPath, cwdNote } from "../path.ts";
import { sortByTime } from "../search/by-time.ts";
import { runRipgrep, type SearchOutput } from "../search/ripgrep.ts";
import { ripgrepArgs, type GrepInput, type Mode } from "./args.ts";
import description from "./grep.md" with { type: "text" };
import { outputLines, orderLines, showLine } from "./lines.ts";
import { pageOf, pagingNote } from "./page.ts";
import { grepTarget, type GrepTarget } from "./target.ts";

interface GrepOutput {
  readonly mode: Mode;
  readonly numFiles: number;
  readonly filenames: readonly string[];
  readonly content?: string;
  readonly numLines?: number;
  readonly numMatches?: number;
  readonly appliedLimit?: number;
  readonly appliedOffset?: number;
  readonly totalFiles?: number;
  readonly totalLines?: number;
  readonly timedOut?: boolean;
  /** The search was cut short; there may be more matches. */
  readonly incomplete?: boolean;
}

const lines = { minimum: 0 };

export const grepTool = defineTool<GrepInput, GrepOutput>({
  name: "Grep",
  description,
  input: object({
    pattern: string("The regular expression to search for"),
    path: optional(string("The file or folder to search; omit it to search the working directory")),
    glob: optional(string("Only files whose name matches, such as *.js or **/*.{ts,tsx}")),
    output_mode: optional(
      oneOf(
        ["content", "files_with_matches", "count"],
        "What to show: matching lines, paths (default), or matches per file",
      ),
    ),
    "-B": optional(integer("Lines to show before each match; only for content", lines)),
    "-A": optional(integer("Lines to show after each match; only for content", lines)),
    "-C": optional(integer("The same as context", lines)),
    context: optional(integer("Lines to show before and after each match; only for content", lines)),
    "-n": optional(boolean("Show line numbers (default true); only for content")),
    "-i": optional(boolean("Ignore case")),
    "-o": optional(boolean("Show only the matching part of each line; only for content")),
    type: optional(string("Only files of this type, such as js, py, rust, go; more efficient than glob")),
    head_limit: optional(integer("The maximum number of lines or files to show (default 250; 0 for all)", lines)),
    offset: optional(integer("The number of lines or files to skip (default 0)", lines)),
    multiline: optional(boolean("Let the pattern match across lines, and . match newlines (default false)")),
  }),
  parallelSafe: true,

  repair(input) {
    if (input.path === "" || input.path === null) delete input.path;
    return input;
  },

  async check({ path }, context) {
    await statTarget(path, context);
  },

  access: ({ path }, context) => ({ kind: "read", path: targetPath(path, context) }),

  async run(input, context) {
    const { cwd } = context.workspace;
    const stat = await statTarget(input.path, context);
    const searched = grepTarget(stat, shownPath(targetPath(input.path, context), cwd), input.glob, cwd);
    const single = stat.kind === "file";
    // A search from the root would otherwise include /proc, which exposes the secrets of every process.
    const bounds = stat.realPath === "/" ? ["--one-file-system"] : [];
    const found = await runRipgrep([...bounds, ...ripgrepArgs(input, searched.target, single)], searched.cwd, context);
    const output = await collect(input, searched, single, found, context);
    return {
      ...output,
      ...(found.timedOut ? { timedOut: true } : {}),
      ...(found.isPartial ? { incomplete: true } : {}),
    };
  },

  show(output) {
    const shown = SHOW[output.mode](output, pagingNote(output));
    if (!output.incomplete) return shown;
    const why = output.timedOut ? "The search timed out" : "Too many matches";
    return `${shown}\n\n(${why}; there may be more. Narrow the pattern, the glob or the path.)`;
  },
});

function collect(
  input: GrepInput,
  searched: GrepTarget,
  single: boolean,
  found: SearchOutput,
  context: ToolContext,
): Promise<GrepOutput> | GrepOutput {
  const mayShow = (printed: string) => context.mayRead(resolve(context.workspace.cwd, searched.toShownPath(printed)));
  switch (input.output_mode ?? "files_with_matches") {
    case "files_with_matches":
      return collectFiles(input, searched, found, mayShow, context);
    case "content":
      return collectContent(input, searched, single, found, mayShow);
    case "count":
      return collectCounts(input, searched, found, mayShow);
  }
}

/** Files that deny rules hide from the model are omitted everywhere, including counts. */
type MayShow = (printed: string) => boolean;

async function collectFiles(
  input: GrepInput,
  { toShownPath }: GrepTarget,
  { stdout }: SearchOutput,
  mayShow: MayShow,
  context: ToolContext,
): Promise<GrepOutput> {
  // Every path ends in NUL; anything after the last NUL is empty or incomplete.
  const paths = stdout.split("\0").slice(0, -1).filter(mayShow).map(toShownPath);
  const sorted = await sortByTime(paths, context.workspace.cwd, context.files, "newest");
  const { items: filenames, ...paging } = pageOf(sorted, input.head_limit, input.offset);
  return { mode: "files_with_matches", filenames, numFiles: filenames.length, ...paging, totalFiles: paths.length };
}

function collectContent(
  input: GrepInput,
  { target, toShownPath }: GrepTarget,
  single: boolean,
  { stdout, isPartial }: SearchOutput,
  mayShow: MayShow,
): GrepOutput {
  const whole = isPartial ? stdout.slice(0, stdout.lastIndexOf("\n") + 1) : stdout;
  const all = single ? (mayShow(target) ? outputLines(whole) : []) : orderLines(whole, mayShow);
  const { items, ...paging } = pageOf(all, input.head_limit, input.offset);
  const content = (single ? items : items.map((line) => showLine(line, toShownPath))).join("\n");
  return {
    mode: "content",
    numFiles: 0,
    filenames: [],
    content,
    numLines: items.length,
    ...paging,
    totalLines: all.length,
  };
}

function collectCounts(
  input: GrepInput,
  { toShownPath }: GrepTarget,
  { stdout }: SearchOutput,
  mayShow: MayShow,
): GrepOutput {
  // `path NUL count`: a file name may contain newlines, but never NUL.
  const all = Array.from(stdout.matchAll(/([^\0]+)\0(\d+)\n/g), ([, path, count]) => ({
    path: path!,
    count: Number(count),
  }))
    .filter(({ path }) => mayShow(path))
    .map(({ path, count }) => ({ path: toShownPath(path), count }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const { items, ...paging } = pageOf(all, input.head_limit, input.offset);
  return {
    mode: "count",
    numFiles: items.length,
    filenames: [],
    content: items.map(({ path, count }) => `${path}:${count}`).join("\n"),
    numMatches: items.reduce((sum, { count }) => sum + count, 0),
    ...paging,
    totalFiles: all.length,
  };
}

const SHOW: Record<Mode, (output: GrepOutput, paging: string) => string> = {
  files_with_matches({ filenames, numFiles }, paging) {
    if (numFiles === 0) return "No files found";
    return [`Found ${numFiles} ${numFiles === 1 ? "file" : "files"}${paging ? ` ${paging}` : ""}`, ...filenames].join(
      "\n",
    );
  },
  content({ content, numLines }, paging) {
    return (numLines === 0 ? "No matches found" : content!) + pagingSuffix(paging);
  },
  count({ content, numFiles, numMatches }, paging) {
    if (numFiles === 0) return `No matches found${pagingSuffix(paging)}`;
    const total = `${numMatches} total ${numMatches === 1 ? "occurrence" : "occurrences"}`;
    return `${content}\n\nFound ${total} across ${numFiles} ${numFiles === 1 ? "file" : "files"}.${pagingSuffix(paging)}`;
  },
};

const pagingSuffix = (paging: string) => (paging ? `\n\n[Showing results with pagination = ${paging}]` : "");

const targetPath = (path: string | undefined, context: ToolContext) => resolvePath(path ?? ".", context);

/** Throws if the path cannot be searched. */
async function statTarget(path: string | undefined, context: ToolContext): Promise<FileStat> {
  const stat = await context.files.stat(targetPath(path, context));
  if (!stat) throw new ToolError(`Path does not exist: ${path ?? "."}. ${cwdNote(context)}`);
  if (stat.kind === "other") throw new ToolError(`Path is not a file or folder: ${path}`);
  if (`${stat.realPath}/`.startsWith("/proc/")) {
    throw new ToolError(`Cannot search '${path ?? "."}': /proc contains running processes, not files.`);
  }
  return stat;
}
