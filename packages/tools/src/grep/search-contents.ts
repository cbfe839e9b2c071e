// One search: runs ripgrep once and collects a page of what it printed, as files, lines or counts.

import { resolve } from "node:path";
import { ToolError, type FileStat, type ToolContext } from "@keelson/engine";
import { sortByTime } from "../search/by-time.ts";
import { runRipgrep, type SearchOutput } from "../search/ripgrep.ts";
import { ripgrepArgs, type GrepInput, type Mode } from "./args.ts";
import { outputLines, orderLines, showLine } from "./lines.ts";
import { pageOf, type Unread } from "./page.ts";
import { grepTarget, type GrepTarget } from "./target.ts";

export interface GrepResult {
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
  /** What could not be read. */
  readonly unread?: readonly Unread[];
}

/** `shown` is the path of what is searched, as results show it. */
export async function searchContents(
  input: GrepInput,
  { stat, shown }: { readonly stat: FileStat; readonly shown: string },
  context: ToolContext,
): Promise<GrepResult> {
  const searched = grepTarget(stat, shown, input.glob, context.workspace.cwd);
  const single = stat.kind === "file";
  // A search from the root would otherwise include /proc, which exposes the secrets of every process.
  const bounds = stat.realPath === "/" ? ["--one-file-system"] : [];
  const found = await runRipgrep([...bounds, ...ripgrepArgs(input, searched.target, single)], searched.cwd, context);
  const output = await collect(input, searched, single, found, context);
  const unread = found.unread
    .filter(({ path }) => context.mayRead(resolve(context.workspace.cwd, searched.toShownPath(path))))
    .map(({ path, why }) => ({ path: searched.toShownPath(path), why }));
  if (single && unread.length > 0) throw new ToolError(`Cannot search '${shown}': ${unread[0]!.why}`);
  return {
    ...output,
    ...(unread.length > 0 ? { unread } : {}),
    ...(found.timedOut ? { timedOut: true } : {}),
    ...(found.isPartial ? { incomplete: true } : {}),
  };
}

function collect(
  input: GrepInput,
  searched: GrepTarget,
  single: boolean,
  found: SearchOutput,
  context: ToolContext,
): Promise<GrepResult> | GrepResult {
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
): Promise<GrepResult> {
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
): GrepResult {
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
): GrepResult {
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
