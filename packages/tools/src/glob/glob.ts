// Glob: finds files by name. Lists at most 100, oldest change first.

import { resolve } from "node:path";
import { defineTool, object, optional, string, ToolError, type ToolContext } from "@keelson/engine";
import { resolvePath, shownPath, cwdNote } from "../path.ts";
import { sortByTime } from "../search/by-time.ts";
import { runRipgrep } from "../search/ripgrep.ts";
import description from "./glob.md" with { type: "text" };
import { splitPattern, type GlobSearch } from "./pattern.ts";

const MAX_LISTED = 100;

interface GlobInput {
  readonly pattern: string;
  readonly path?: string;
}

interface GlobOutput {
  readonly filenames: readonly string[];
  readonly durationMs: number;
  readonly numFiles: number;
  readonly truncated: boolean;
  readonly totalMatches: number;
  readonly countIsComplete: boolean;
  readonly timedOut?: boolean;
}

export const globTool = defineTool<GlobInput, GlobOutput>({
  name: "Glob",
  description,
  input: object({
    pattern: string("The glob pattern, such as **/*.ts"),
    path: optional(string("The folder to search; omit it to search the working directory")),
  }),
  parallelSafe: true,

  repair(input) {
    // Models sometimes spell out a missing value.
    if (input.path === "" || input.path === "undefined" || input.path === "null" || input.path === null)
      delete input.path;
    return input;
  },

  async check({ path }, context) {
    if (path === undefined) return;
    const stat = await context.files.stat(resolvePath(path, context));
    if (!stat) throw new ToolError(`Directory does not exist: ${path}. ${cwdNote(context)}`);
    if (stat.kind !== "directory") throw new ToolError(`Path is not a directory: ${path}`);
  },

  access: (input, context) => ({ kind: "read", path: searchOf(input, context).base }),

  async run(input, context) {
    const started = performance.now();
    const search = searchOf(input, context);
    const { paths: found, isPartial, timedOut } = await findFiles(search, context);
    const paths = found.filter((path) => context.mayRead(resolve(search.base, path)));
    const sorted = await sortByTime(paths, search.base, context.files, "oldest");
    const filenames = sorted
      .slice(0, MAX_LISTED)
      .map((path) => shownPath(resolve(search.base, path), context.workspace.cwd));
    return {
      filenames,
      durationMs: Math.round(performance.now() - started),
      numFiles: filenames.length,
      truncated: paths.length > MAX_LISTED,
      totalMatches: paths.length,
      countIsComplete: !isPartial,
      ...(timedOut ? { timedOut } : {}),
    };
  },

  show({ filenames, totalMatches, countIsComplete, timedOut }) {
    const hidden = totalMatches - filenames.length;
    const notes = [
      ...(hidden > 0
        ? [
            `(Showing ${filenames.length} of ${totalMatches} matching files; ${hidden} more are not listed. Narrow the pattern or path to see the rest.)`,
          ]
        : []),
      ...(countIsComplete
        ? []
        : [`(${timedOut ? "The search timed out" : "Too many matches"}; more files may match.)`]),
    ];
    return [...(filenames.length > 0 ? filenames : ["No files found"]), ...notes].join("\n");
  },
});

function searchOf({ pattern, path }: GlobInput, context: ToolContext): GlobSearch {
  const home = pattern.startsWith("~/") ? resolvePath(pattern, context) : pattern;
  return splitPattern(home, path === undefined ? context.workspace.cwd : resolvePath(path, context));
}

async function findFiles({ base, glob, depth }: GlobSearch, context: ToolContext) {
  const folder = await context.files.stat(base);
  if (folder?.kind !== "directory") return { paths: [], isPartial: false, timedOut: false };
  const { env } = context;
  // Like the reference, find hidden and ignored files, even in `.git`, unless the environment says otherwise.
  const respectsIgnore = env.CLAUDE_CODE_GLOB_NO_IGNORE === "false";
  const args = ["--files", "--null", "--hidden", ...(depth === undefined ? [] : [`--max-depth=${depth}`])];
  if (respectsIgnore) args.push("--glob=!.git");
  else args.push("--no-ignore", `--glob=${glob}`);
  if (env.CLAUDE_CODE_GLOB_HIDDEN === "false") args.push("--glob=!.*");

  const { stdout, isPartial, timedOut } = await runRipgrep(args, folder.realPath, context);
  // Every path ends in NUL; anything after the last NUL is empty or incomplete.
  const paths = stdout.split("\0").slice(0, -1);
  return { paths: respectsIgnore ? paths.filter(matcher(glob)) : paths, isPartial, timedOut };
}

/** A matching `--glob` overrides ignore files in ripgrep, so if they apply, match here instead. */
function matcher(glob: string): (path: string) => boolean {
  const compiled = new Bun.Glob(glob.startsWith("/") ? glob.slice(1) : `**/${glob}`);
  return (path) => compiled.match(path);
}
