// Runs git on a repository without running anything from the repository: no hooks, filters, monitors, helpers or
// transports. What the repository's settings name is overridden key by key, and the user's own settings are left out.

import { printableLine } from "@keelson/protocol";
import { findGit, gitMissing, type GitLookupPlaces, type GitProgram } from "../../git/find-git.ts";
import type { Checkout } from "./checkout.ts";
import { WorktreeError } from "../errors.ts";
import { settingNames } from "./setting-names.ts";

export interface GitEnvironment extends GitLookupPlaces {
  readonly home: string;
}

export interface SafeGit {
  readonly checkout: Checkout;
  /** Filters of the repository that are switched off; files they apply to are checked out as git stores them. */
  readonly filters: readonly string[];
  /** The output of a command in the main checkout. Throws WorktreeError if git fails. */
  run(words: readonly string[], options?: GitRun): Promise<string>;
  /** Like `run`, but undefined if git fails. */
  ask(words: readonly string[], options?: GitRun): Promise<string | undefined>;
  /** The same git for a command inside one of the repository's worktrees. */
  inside(place: { readonly gitFolder: string; readonly path: string }): SafeGit;
}

export interface GitRun {
  readonly signal?: AbortSignal;
  readonly input?: string;
  /** Tries again if another process holds one of git's locks. */
  readonly retries?: number;
}

/** Checking out a large repository from a slow disk takes minutes. */
const LIMIT_MS = 10 * 60_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

export async function openSafeGit(checkout: Checkout, places: GitEnvironment): Promise<SafeGit> {
  const { env, home } = places;
  const program = findGit(places, [checkout.root]);
  if (program === undefined) throw new WorktreeError("git", gitMissing(places));
  const base: Record<string, string> = {
    PATH: program.path,
    HOME: home,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    // A partial clone would fetch what is missing, with programs that its settings name. Wins over all settings.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    ...(env["XDG_CONFIG_HOME"] === undefined ? {} : { XDG_CONFIG_HOME: env["XDG_CONFIG_HOME"] }),
  };
  const main = { gitFolder: checkout.common, path: checkout.root };
  const plain = gitIn(main, { program, checkout, filters: [], env: { ...base, ...settingsVariables(OFF) } });
  const { settings, filters } = overridesFor(await settingNames(plain, home));
  const safe = { ...base, ...settingsVariables([...OFF, ...settings]) };
  return gitIn(main, { program, checkout, filters, env: safe });
}

type Setting = readonly [key: string, value: string];

const OFF: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.untrackedCache", "false"],
  ["core.pager", "cat"],
  ["submodule.recurse", "false"],
  ["protocol.allow", "never"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
];

/** For programs whose setting has a name of the repository's choice. */
function overridesFor(names: readonly string[]): { readonly settings: Setting[]; readonly filters: string[] } {
  const part = (pattern: RegExp) => new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []));
  const filters = [...part(/^filter\.(.+)\.(?:smudge|clean|process|required)$/s)];
  const hooks = [...part(/^hook\.(.+)\.[a-z]+$/s)];
  const settings = [
    ...filters.flatMap((name): Setting[] => [
      [`filter.${name}.smudge`, ""],
      [`filter.${name}.clean`, ""],
      [`filter.${name}.process`, ""],
      [`filter.${name}.required`, "false"],
    ]),
    ...hooks.flatMap((name): Setting[] => [
      [`hook.${name}.enabled`, "false"],
      [`hook.${name}.event`, ""],
    ]),
  ];
  return { settings, filters };
}

/** As variables, not as `-c`: a name may contain "=". Git passes them on to the processes it starts. */
function settingsVariables(settings: readonly Setting[]): Record<string, string> {
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(settings.length) };
}

interface GitParts {
  readonly program: GitProgram;
  readonly env: Record<string, string>;
  readonly checkout: Checkout;
  readonly filters: readonly string[];
}

function gitIn(place: { readonly gitFolder: string; readonly path: string }, parts: GitParts): SafeGit {
  const { program, env, checkout, filters } = parts;
  // Named, not discovered: git then uses the repository that was checked, no matter who owns it.
  const first = ["--no-pager", `--git-dir=${place.gitFolder}`, `--work-tree=${place.path}`];
  const once = async (words: readonly string[], options: GitRun) => {
    const failed = (error: unknown) => {
      throw new WorktreeError("git", printableLine(`git could not be started: ${(error as Error).message}`));
    };
    const { argv, leave } = await program.start([...first, ...words], place.path).catch(failed);
    return execute(argv, place.path, env, options).catch(failed).finally(leave);
  };

  async function run(words: readonly string[], options: GitRun = {}): Promise<string> {
    for (let left = options.retries ?? 0; ; left--) {
      const { code, stdout, stderr } = await once(words, options);
      if (code === 0) return stdout;
      if (options.signal?.aborted) throw new WorktreeError("git", "The work on the worktree was interrupted");
      if (left <= 0 || LASTING.test(stderr))
        throw new WorktreeError("git", `git ${words.slice(0, 2).join(" ")} failed: ${lastLine(stderr)}`);
      await Bun.sleep(20 + Math.random() * 120);
    }
  }

  return {
    checkout,
    filters,
    run,
    async ask(words, options = {}) {
      const { code, stdout } = await once(words, options);
      return code === 0 ? stdout : undefined;
    },
    inside: (other) => gitIn(other, parts),
  };
}

async function execute(
  command: readonly string[],
  cwd: string,
  env: Record<string, string>,
  { signal, input }: GitRun,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdin: input === undefined ? "ignore" : new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: LIMIT_MS,
    maxBuffer: MAX_OUTPUT,
    // Git removes what it has half made on TERM.
    killSignal: "SIGTERM",
  });
  const stop = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Trying again does not help. */
const LASTING = /already exists|already checked out|already used by|missing blob|unable to read tree|invalid reference/;

/** What git says last, on one line, without control characters. */
const lastLine = (text: string) => printableLine((text.trim().split("\n").at(-1) ?? "").slice(0, 300));
