// Glob: finds files by name. Lists at most 100, oldest change first.

import { resolve } from "node:path";
import { defineTool, object, optional, string, ToolError, type ToolContext } from "@keelson/engine";
import { inFolder, resolvePath, shownPath, cwdNote } from "../path.ts";
import description from "./glob.md" with { type: "text" };
import { unreadNote, type Unread } from "../grep/page.ts";
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
  readonly unread?: readonly Unread[];
}

export const globTool = defineTool<GlobInput, GlobOutput>({
  name: "Glob",
  description,
  input: object({
    pattern: string("The glob pattern, such as **/*.ts"),
    path: optional(string("The folder to search; omit it to search the working directory")),
  }),
  kind: "search",
  describe: (input) => input.text("pattern") + inFolder(input.path("path")),
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
    // Few sessions search before their first request, so what searches is loaded here.
    const { findFiles } = await import("./find-files.ts");
    const { paths, isPartial, timedOut, unread } = await findFiles(search, context);
    const shown = (path: string) => shownPath(resolve(search.base, path), context.workspace.cwd);
    const filenames = paths.slice(0, MAX_LISTED).map(shown);
    return {
      filenames,
      durationMs: Math.round(performance.now() - started),
      numFiles: filenames.length,
      truncated: paths.length > MAX_LISTED,
      totalMatches: paths.length,
      countIsComplete: !isPartial,
      ...(timedOut ? { timedOut } : {}),
      ...(unread.length > 0 ? { unread: unread.map(({ path, why }) => ({ path: shown(path), why })) } : {}),
    };
  },

  show({ filenames, totalMatches, countIsComplete, timedOut, unread }) {
    const hidden = totalMatches - filenames.length;
    const notes = [
      ...(hidden > 0
        ? [
            `(${filenames.length} of ${totalMatches} files are listed. Narrow the pattern or the path for the other ${hidden}.)`,
          ]
        : []),
      ...(countIsComplete
        ? []
        : [`(${timedOut ? "The search timed out" : "Too many matches"}; more files may match.)`]),
      ...(unread ? [unreadNote(unread)] : []),
    ];
    return [...(filenames.length > 0 ? filenames : ["No files found"]), ...notes].join("\n");
  },
});

function searchOf({ pattern, path }: GlobInput, context: ToolContext): GlobSearch {
  const home = pattern.startsWith("~/") ? resolvePath(pattern, context) : pattern;
  return splitPattern(home, path === undefined ? context.workspace.cwd : resolvePath(path, context));
}
