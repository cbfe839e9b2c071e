// Grep: searches file contents with ripgrep and shows one page of results. Each call runs ripgrep once.

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
import { inFolder, resolvePath, shownPath, cwdNote } from "../path.ts";
import type { GrepInput, Mode } from "./args.ts";
import description from "./grep.md" with { type: "text" };
import { pagingNote, unreadNote, type ShownPage } from "./page.ts";
import type { GrepResult } from "./search-contents.ts";

const lines = { minimum: 0 };

export const grepTool = defineTool<GrepInput, GrepResult>({
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
  kind: "search",
  describe: (input) => `"${input.text("pattern")}"${inFolder(input.path("path"))}`,
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
    const stat = await statTarget(input.path, context);
    // Few sessions search before their first request, so what searches is loaded here.
    const { searchContents } = await import("./search-contents.ts");
    return searchContents(
      input,
      { stat, shown: shownPath(targetPath(input.path, context), context.workspace.cwd) },
      context,
    );
  },

  show(output) {
    const { unread } = output;
    const why = output.timedOut ? "The search timed out" : "Too many matches";
    return [
      SHOW[output.mode](output),
      pagingNote(pageIn(output)),
      unreadNote(unread),
      output.incomplete ? `(${why}; there may be more. Narrow the pattern, the glob or the path.)` : "",
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  },
});

// Clients count on the first words of "Found 3 files", "No files found" and "No matches found" (docs/compatibility.md).
const SHOW: Record<Mode, (output: GrepResult) => string> = {
  files_with_matches({ filenames, numFiles, totalFiles = numFiles }) {
    if (numFiles === 0) return "No files found";
    return [`Found ${totalFiles} ${totalFiles === 1 ? "file" : "files"}`, ...filenames].join("\n");
  },
  content: ({ content, numLines }) => (numLines === 0 ? "No matches found" : content!),
  count({ content, numFiles, numMatches }) {
    if (numFiles === 0) return "No matches found";
    const total = `${numMatches} total ${numMatches === 1 ? "occurrence" : "occurrences"}`;
    return `${content}\n\nFound ${total} across ${numFiles} ${numFiles === 1 ? "file" : "files"}.`;
  },
};

function pageIn({ mode, numLines = 0, numFiles, totalLines = 0, totalFiles = 0, ...page }: GrepResult): ShownPage {
  return mode === "content"
    ? { ...page, kind: "Lines", shown: numLines, total: totalLines }
    : { ...page, kind: "Files", shown: numFiles, total: totalFiles };
}

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
