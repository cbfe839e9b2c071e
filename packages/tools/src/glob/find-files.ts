// Finds the files of a glob with ripgrep, oldest change first.

import { resolve } from "node:path";
import type { ToolContext } from "@keelson/engine";
import { switchIn } from "@keelson/protocol";
import { sortByTime } from "../search/by-time.ts";
import { runRipgrep } from "../search/ripgrep.ts";
import type { Unread } from "../grep/page.ts";
import type { GlobSearch } from "./pattern.ts";

interface FoundFiles {
  /** Relative to the base of the search. */
  readonly paths: readonly string[];
  readonly isPartial: boolean;
  readonly timedOut: boolean;
  /** Relative to the base. */
  readonly unread: readonly Unread[];
}

/** Files that the model may not read are left out. */
export async function findFiles({ base, glob, depth }: GlobSearch, context: ToolContext): Promise<FoundFiles> {
  const folder = await context.files.stat(base);
  if (folder?.kind !== "directory") return { paths: [], isPartial: false, timedOut: false, unread: [] };
  const { env } = context;
  // Like the reference, find hidden and ignored files, even in `.git`, unless the environment says otherwise.
  const respectsIgnore = switchIn(env.CLAUDE_CODE_GLOB_NO_IGNORE) === false;
  const args = ["--files", "--null", "--hidden", ...(depth === undefined ? [] : [`--max-depth=${depth}`])];
  if (respectsIgnore) args.push("--glob=!.git");
  else args.push("--no-ignore", `--glob=${glob}`);
  if (switchIn(env.CLAUDE_CODE_GLOB_HIDDEN) === false) args.push("--glob=!.*");

  const { stdout, isPartial, timedOut, unread } = await runRipgrep(args, folder.realPath, context);
  // Every path ends in NUL; anything after the last NUL is empty or incomplete.
  const printed = stdout.split("\0").slice(0, -1);
  const matching = respectsIgnore ? printed.filter(matcher(glob)) : printed;
  const mayShow = (path: string) => context.mayRead(resolve(base, path));
  const paths = await sortByTime(matching.filter(mayShow), base, context.files, "oldest");
  return { paths, isPartial, timedOut, unread: unread.filter(({ path }) => mayShow(path)) };
}

/** A matching `--glob` overrides ignore files in ripgrep, so if they apply, match here instead. */
function matcher(glob: string): (path: string) => boolean {
  const compiled = new Bun.Glob(glob.startsWith("/") ? glob.slice(1) : `**/${glob}`);
  return (path) => compiled.match(path);
}
