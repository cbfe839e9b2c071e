// The state of a repository: branch, main branch, changed files and recent commits. Runs git, but nothing that the
// repository configures: a repository whose settings could start a program is not looked at, and the user's own settings
// are left out.

import { join } from "node:path";
import type { GitState } from "@keelson/engine";
import { firstLineOf, gitBranch } from "./branch.ts";
import { commonFolder, findRepositories, statOf } from "./discovery.ts";
import { findGit, type GitLookupPlaces, type GitProgram } from "./find-git.ts";
import { createGitLookup } from "./repositories.ts";
import { readRegularFile } from "../files/regular-file.ts";

export interface GitStateOptions {
  readonly cwd: string;
  readonly home: string;
  /** Programs in these folders are not run. */
  readonly directories: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly confine?: GitLookupPlaces["confine"];
}

/** A large work tree takes seconds; then the model has to ask itself. */
const LIMIT_MS = 5_000;
const MAX_OUTPUT = 64 * 1024;
const MAX_COMMITS = 5;
const MAX_REFS = 256 * 1024;

/** Undefined outside a repository, or if it cannot be found out safely and quickly. Never rejects. */
export async function readGitState(options: GitStateOptions): Promise<GitState | undefined> {
  try {
    const safe = safeGit(options);
    if (safe === undefined) return undefined;
    const { gitFolder } = safe;
    const [status, commits] = await Promise.all([runGit(safe, STATUS, options), runGit(safe, LOG, options)]);
    if (status === undefined) return undefined;
    const mainBranch = mainBranchOf(gitFolder);
    return {
      branch: gitBranch(options.cwd),
      ...(mainBranch === undefined ? {} : { mainBranch }),
      status: linesOf(status),
      // A repository without commits has no log.
      commits: linesOf(commits ?? ""),
    };
  } catch {
    return undefined;
  }
}

/** How to run git here; undefined outside a repository, or if it could start something. */
export function safeGit(options: GitStateOptions): SafeGitCall | undefined {
  const { cwd, env } = options;
  // A variable can point git to another repository than the one that was checked.
  if (Object.keys(env).some((name) => /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY)$/.test(name)))
    return undefined;
  const repository = findRepositories(cwd).at(-1);
  if (!repository?.gitFolder || repository.isBare || !isHarmless(options)) return undefined;
  const git = findGit(options, [cwd, ...options.directories]);
  if (git === undefined) return undefined;
  const { folder, gitFolder } = repository;
  return { git, first: [`--git-dir=${gitFolder}`, `--work-tree=${folder}`, ...SAFE], folder, gitFolder };
}

export interface SafeGitCall {
  readonly git: GitProgram;
  readonly first: readonly string[];
  readonly folder: string;
  readonly gitFolder: string;
}

/** Also for a trusted folder: no one asked for what its settings would run. */
function isHarmless({ cwd, home, directories, env }: GitStateOptions): boolean {
  const lookUp = createGitLookup({
    root: cwd,
    home,
    isTrusted: () => false,
    directories: () => directories,
    env: () => env,
  });
  return lookUp(cwd).length === 0;
}

const off = (setting: string) => ["-c", setting];
const SAFE = [
  "--no-pager",
  "--no-optional-locks",
  "--no-replace-objects",
  ...off("core.fsmonitor=false"),
  ...off("core.hooksPath=/dev/null"),
  ...off("core.attributesFile=/dev/null"),
  ...off("core.untrackedCache=false"),
  // A partial clone fetches missing objects.
  ...off("protocol.allow=never"),
];
const STATUS = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames"];
const LOG = ["log", `--max-count=${MAX_COMMITS}`, "--no-show-signature", "--no-color", "--format=%h %s"];

export async function runGit(
  { git, first, folder }: SafeGitCall,
  words: readonly string[],
  { home, env, signal }: GitStateOptions,
  most = MAX_OUTPUT,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const { argv, leave } = await git.start([...first, ...words], folder);
  let stop = () => {};
  try {
    const child = Bun.spawn([...argv], {
      cwd: folder,
      env: {
        PATH: git.path,
        HOME: home,
        LC_ALL: "C.UTF-8",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
        ...(env["XDG_CONFIG_HOME"] === undefined ? {} : { XDG_CONFIG_HOME: env["XDG_CONFIG_HOME"] }),
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
    });
    stop = () => child.kill("SIGKILL");
    signal.addEventListener("abort", stop, { once: true });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length <= most) continue;
      stop();
      return text.slice(0, text.lastIndexOf("\n", most));
    }
    return (await child.exited) === 0 ? text : undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    leave();
  }
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** What the remote calls its main branch, else `main` or `master` if there is one. */
function mainBranchOf(gitFolder: string): string | undefined {
  const shared = commonFolder(gitFolder);
  const named = firstLineOf(join(shared, "refs/remotes/origin/HEAD"))?.match(/^ref: refs\/remotes\/origin\/(.+)$/)?.[1];
  if (named !== undefined) return named;
  const packed = new Set(packedRefs(join(shared, "packed-refs")));
  const isBranch = (name: string) =>
    statOf(join(shared, "refs/heads", name))?.isFile() || packed.has(`refs/heads/${name}`);
  return ["main", "master"].find(isBranch);
}

function packedRefs(file: string): readonly string[] {
  try {
    const lines = new TextDecoder().decode(readRegularFile(file, MAX_REFS)).split("\n");
    return lines.map((line) => line.slice(line.indexOf(" ") + 1));
  } catch {
    return [];
  }
}
