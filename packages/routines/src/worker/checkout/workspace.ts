// The files of a run on their way to another machine: what is committed and what is not, as a git bundle, each time a call has changed
// them. It is made behind bubblewrap, because the run may have put anything into its repository.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunCheckout } from "./checkout.ts";
import { GitError, lastWords, type Git, type SeenPaths } from "./git.ts";

export interface WorkspaceTools {
  readonly git: Git;
  /** For the worker alone. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

export interface WorkspaceKeeper {
  /** Undefined if nothing has changed since the last one. Throws GitError. */
  bundle(): Promise<Buffer | undefined>;
}

const MOST_BYTES = 16_000_000;
const UNCHANGED = 7;

/**
 * The repository that writes is ours, with the objects of the checkout; only reading its branches looks at its own configuration.
 * `$1` and what follows are commits that any checkout has.
 */
const SCRIPT = `
set -e
own=/snapshot/repository.git
git() { command git --no-pager "$@"; }
export GIT_INDEX_FILE=/snapshot/index
git --git-dir=$own --work-tree=/repository add -A -- /repository
tree=$(git --git-dir=$own write-tree)
unset GIT_INDEX_FILE
head=$(git -C /repository rev-parse --quiet --verify HEAD)
branch=$(git -C /repository symbolic-ref --quiet HEAD || true)
git -C /repository for-each-ref --count=1000 --format='create refs/work/%(refname:lstrip=2) %(objectname)' refs/heads >/snapshot/refs
state="$tree $head $branch $(cat /snapshot/refs)"
[ "$state" != "$(cat /snapshot/last 2>/dev/null)" ] || exit ${UNCHANGED}
git --git-dir=$own for-each-ref --format='delete %(refname)' | git --git-dir=$own update-ref --stdin
git --git-dir=$own update-ref --stdin </snapshot/refs
commit=$(git --git-dir=$own commit-tree -p "$head" -m "$branch" "$tree")
git --git-dir=$own update-ref refs/snapshot "$commit"
git --git-dir=$own bundle create --quiet - --all --not "$@"
printf %s "$state" >/snapshot/last
`;

/** Its index, so that unchanged files are not read again, and the commits of its branches. */
const BEGIN = `
set -e
cp /repository/.git/index /snapshot/index
git --no-pager -C /repository for-each-ref --format='%(objectname)' refs/heads
`;

/** For a checkout in which the agent has done nothing yet. A setup script has: it is read, too, as if it were hostile. Throws GitError. */
export async function keepWorkspace(
  checkout: RunCheckout,
  { git, scratch, signal }: WorkspaceTools,
): Promise<WorkspaceKeeper> {
  const { folder, commit } = checkout;
  const own = mkdtempSync(join(scratch, "snapshot-"));
  const repository = join(own, "repository.git");
  await git.orThrow(["init", "--quiet", "--bare", "--template=", repository], { signal });
  mkdirSync(join(repository, "objects/info"), { recursive: true });
  writeFileSync(join(repository, "objects/info/alternates"), "/repository/.git/objects\n");
  const heads = await inConfinement(git, BEGIN, {
    seen: { readOnly: { "/repository": folder }, writable: { "/snapshot": own } },
    signal,
  });
  const known = [...new Set([commit, ...heads.split("\n").filter((line) => /^[0-9a-f]{40,64}$/.test(line))])];
  const file = join(own, "bundle");
  return {
    async bundle() {
      const { code, stderr } = await git.confined(
        ["/bin/sh", "-c", SCRIPT, "sh", ...known],
        { readOnly: { "/repository": folder }, writable: { "/snapshot": own } },
        { signal, outputFile: file, timeoutMs: 60_000, env: IDENTITY },
      );
      if (code === UNCHANGED) return undefined;
      if (code !== 0) throw new GitError(lastWords(stderr) || `git failed with exit code ${code}`);
      const { size } = statSync(file);
      if (size > MOST_BYTES) throw new GitError(`they have ${size} bytes, and at most ${MOST_BYTES} are kept`);
      try {
        return readFileSync(file);
      } finally {
        rmSync(file, { force: true });
      }
    },
  };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Keelson",
  GIT_AUTHOR_EMAIL: "keelson@localhost",
  GIT_COMMITTER_NAME: "Keelson",
  GIT_COMMITTER_EMAIL: "keelson@localhost",
};

/** Into a fresh checkout. Throws GitError, and then the checkout is as fresh as before. */
export async function restoreWorkspace(
  { folder }: RunCheckout,
  bundle: Buffer,
  { git, scratch, signal }: WorkspaceTools,
): Promise<void> {
  const file = join(scratch, "restored.bundle");
  writeFileSync(file, bundle, { mode: 0o600 });
  try {
    await inConfinement(git, RESTORE, {
      seen: { readOnly: { "/restored.bundle": file }, writable: { "/repository": folder } },
      signal,
    });
  } finally {
    rmSync(file, { force: true });
  }
}

/** The files of the snapshot, and then the branch and index that the run had. */
const RESTORE = `
set -e
git() { command git --no-pager -C /repository "$@"; }
snapshot=refs/keelson/snapshot
git fetch --quiet --no-tags --update-head-ok -- /restored.bundle '+refs/work/*:refs/heads/*' "+refs/snapshot:$snapshot"
branch=$(git log -1 --format=%s "$snapshot")
head=$(git rev-parse "$snapshot^")
git checkout --quiet --force --detach "$snapshot"
case $branch in
  refs/heads/*[[:space:]~^:?*[\\\\]*) branch= ;;
  refs/heads/?*) ;;
  *) branch= ;;
esac
if [ -n "$branch" ]; then git symbolic-ref HEAD "$branch"; else git update-ref --no-deref HEAD "$head"; fi
git reset --quiet --mixed
git update-ref -d "$snapshot"
`;

/** What a setup script left in the repository may make git start programs. They find what is named here, and nothing else. */
async function inConfinement(
  git: Git,
  script: string,
  { seen, signal }: { readonly seen: SeenPaths; readonly signal: AbortSignal },
): Promise<string> {
  const { code, stdout, stderr } = await git.confined(["/bin/sh", "-c", script, "sh"], seen, {
    signal,
    timeoutMs: 60_000,
    env: IDENTITY,
  });
  if (code !== 0) throw new GitError(lastWords(stderr) || `git failed with exit code ${code}`);
  return stdout;
}
