// A fresh checkout for each run, from a mirror that stays on this machine. The worker reads and writes remote repositories, never
// the agent: what the agent committed is taken over as objects, and only to branches that it may push.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileLockedError, withFileLock } from "@keelson/disk/lock";
import { GitError, lastWords, type Git, type GitCredential, type GitOperation, type OriginCredential } from "./git.ts";
import { isRef, type RepositorySource } from "./source.ts";

/** There is no access, or not what was asked for: trying again does not help. The text is the reason for skipping the run. */
export class GitAccessError extends Error {
  override readonly name = "GitAccessError";
}

export interface CheckoutTools {
  readonly git: Git;
  /** Where mirrors are kept; other workers of this machine may use the same folder. */
  readonly mirrors: string;
  /** For what only this run needs; the agent cannot read it. */
  readonly scratch: string;
  readonly signal: AbortSignal;
  /** Asked before each operation. Rejects if the run is not held any more. */
  credential(url: string, operation: "read" | "write"): Promise<GitCredential | undefined>;
}

export interface RunCheckout {
  readonly source: RepositorySource;
  readonly folder: string;
  /** Where its objects came from. */
  readonly mirror: string;
  readonly defaultBranch: string | undefined;
  /** What was checked out. */
  readonly commit: string;
  /** Whether the branch of the run was there, from an attempt before. */
  readonly isContinued: boolean;
}

/** In the sandbox, devices stand for what commands may not create there; without this, \`git add -A\` fails on them. */
const STAND_INS = [
  ...[
    ".gitconfig",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".zshrc",
    ".zprofile",
    ".profile",
    ".ripgreprc",
    ".mcp.json",
  ],
  ...[".vscode", ".idea", ".claude", ".npmrc", ".envrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".husky/_"],
];
const LOCK_PATIENCE_MS = 20_000;
const IDENTITY = { "user.name": "Keelson", "user.email": "keelson@localhost" };

/** Throws GitAccessError and GitError. */
export async function checkOut(
  source: RepositorySource,
  folder: string,
  branch: string,
  tools: CheckoutTools,
): Promise<RunCheckout> {
  const fetched = await freshMirror(source, branch, tools);
  const { git } = tools;
  const { mirror, commit, isContinued } = fetched;
  const options: GitOperation = { signal: tools.signal };
  // Copied, not linked: the agent can write to the files of its checkout.
  const clone = ["clone", "--quiet", "--no-hardlinks", "--no-checkout", "--template=", "--origin=origin"];
  await git.orThrow([...clone, "--", mirror, folder], options);
  const inside = (...args: string[]) => git.orThrow(["-C", folder, ...args], options);
  await inside("remote", "set-url", "origin", source.url);
  for (const [key, value] of Object.entries(IDENTITY)) await inside("config", key, value);
  await inside("checkout", "--quiet", "--no-track", "-B", branch, commit);
  mkdirSync(join(folder, ".git/info"), { recursive: true });
  writeFileSync(join(folder, ".git/info/exclude"), STAND_INS.map((name) => `/${name}\n`).join(""));
  return { source, folder, mirror, defaultBranch: fetched.defaultBranch, commit, isContinued };
}

interface FetchedMirror {
  readonly mirror: string;
  readonly defaultBranch: string | undefined;
  readonly commit: string;
  readonly isContinued: boolean;
}

async function freshMirror(source: RepositorySource, branch: string, tools: CheckoutTools): Promise<FetchedMirror> {
  const name = createHash("sha256").update(source.url).digest("hex").slice(0, 32);
  mkdirSync(tools.mirrors, { recursive: true, mode: 0o700 });
  const mirror = join(tools.mirrors, `${name}.git`);
  try {
    return await withFileLock(`${mirror}.lock`, () => fetchInto(mirror, source, branch, tools), {
      patienceMs: LOCK_PATIENCE_MS,
    });
  } catch (error) {
    if (!(error instanceof FileLockedError)) throw error;
    // Another worker fetches for long, or is frozen while it does.
    return fetchInto(join(tools.scratch, `${name}.git`), source, branch, tools);
  }
}

async function fetchInto(
  mirror: string,
  source: RepositorySource,
  branch: string,
  tools: CheckoutTools,
): Promise<FetchedMirror> {
  const { git, signal } = tools;
  const remote: GitOperation = { signal, credential: await credentialFor(source, "read", tools) };
  const head = await readRemote(git, ["ls-remote", "--symref", "--", source.url, "HEAD"], source, remote);
  const defaultBranch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head)?.[1];
  const isOther = source.ref?.startsWith("refs/") && !/^refs\/(?:heads|tags)\//.test(source.ref);
  const refspecs = [
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    ...(isOther ? [`+${source.ref}:refs/asked/${source.ref!.slice("refs/".length)}`] : []),
  ];
  const fetch = async () => {
    if (!existsSync(join(mirror, "HEAD")))
      await git.orThrow(["init", "--quiet", "--bare", "--template=", mirror], { signal });
    const args = [
      "-C",
      mirror,
      "fetch",
      "--quiet",
      "--prune",
      "--no-tags",
      "--no-write-fetch-head",
      "--no-auto-maintenance",
    ];
    await readRemote(git, [...args, "--", source.url, ...refspecs], source, remote);
  };
  try {
    await fetch();
  } catch (error) {
    if (
      !(error instanceof GitError) ||
      !/corrupt|bad object|missing (?:blob|tree|commit)|not a git repository|unable to (?:read|lock)/i.test(
        error.message,
      )
    ) {
      throw error;
    }
    // A worker was killed while it wrote. The mirror is only a copy.
    rmSync(mirror, { recursive: true, force: true });
    await fetch();
  }
  // So that a checkout has this branch, and `origin/HEAD`.
  if (defaultBranch !== undefined && isRef(defaultBranch)) {
    await git.orThrow(["-C", mirror, "symbolic-ref", "HEAD", `refs/heads/${defaultBranch}`], { signal });
  }
  const continued = await commitOf(tools, mirror, `refs/heads/${branch}`);
  if (continued !== undefined) return { mirror, defaultBranch, commit: continued, isContinued: true };
  const wanted = source.ref ?? defaultBranch;
  if (wanted === undefined) throw new GitAccessError(`${source.url} has no commits, or no default branch; name a ref`);
  const names = wanted.startsWith("refs/")
    ? [wanted, wanted.replace(/^refs\//, "refs/asked/")]
    : [`refs/heads/${wanted}`, `refs/tags/${wanted}`, ...(/^[0-9a-f]{7,64}$/.test(wanted) ? [wanted] : [])];
  for (const each of names) {
    const commit = await commitOf(tools, mirror, each);
    if (commit !== undefined) return { mirror, defaultBranch, commit, isContinued: false };
  }
  throw new GitAccessError(`${source.url} has no branch, tag or commit "${wanted}"`);
}

async function credentialFor(
  { url }: RepositorySource,
  operation: "read" | "write",
  { credential }: CheckoutTools,
): Promise<OriginCredential | undefined> {
  const given = await credential(url, operation);
  return given && { ...given, origin: new URL(url).origin };
}

async function commitOf({ git, signal }: CheckoutTools, mirror: string, name: string): Promise<string | undefined> {
  const args = ["-C", mirror, "rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`];
  const { code, stdout } = await git.run(args, { signal });
  return code === 0 ? stdout.trim() : undefined;
}

const NO_ACCESS =
  /authentication failed|could not read (?:username|password)|permission denied|access denied|not found|does not exist|does not appear to be a git repo|no such file|returned error: 40[134]|host key verification failed|could not read from remote|couldn't find remote ref|dubious ownership|not allowed/i;

/** Of the network. What the server itself says begins with `remote:`. */
const MAY_PASS =
  /^(?!remote:).*(?:could not resolve|temporary failure in name resolution|timed out|connection (?:refused|reset|closed)|network is unreachable|no route to host)/im;

async function readRemote(
  git: Git,
  args: readonly string[],
  source: RepositorySource,
  options: GitOperation,
): Promise<string> {
  const { code, stdout, stderr } = await git.run(args, options);
  if (code === 0) return stdout;
  const why = lastWords(stderr) || `git failed with exit code ${code}`;
  // Over ssh, git says after all of them that it could not read from the remote, and asks for the right to do so.
  const passing = firstLine(stderr, MAY_PASS);
  if (passing === undefined && NO_ACCESS.test(stderr))
    throw new GitAccessError(`No access to ${source.url}: ${firstLine(stderr, NO_ACCESS) ?? why}`);
  throw new GitError(`${source.url} could not be fetched: ${passing ?? why}`);
}

/** Git ends with advice after the line that matters. */
function firstLine(stderr: string, about: RegExp): string | undefined {
  return stderr
    .split("\n")
    .find((line) => about.test(line))
    ?.replace(/^(?:fatal|error|remote): /, "")
    .trim()
    .slice(0, 300);
}

export interface PushWanted {
  /** The branch of the run. */
  readonly branch: string;
  /** Where its commits go if that branch has others now. */
  readonly otherwise: string;
  /** Further branches that the routine may push. */
  readonly listed: readonly string[];
  /** That no run may push, besides the default branch. */
  readonly protectedBranches: readonly string[];
}

export interface Pushed {
  readonly branch: string;
  readonly commit: string;
  /** Absent: it was pushed, or was there. */
  readonly refused?: string;
}

const ALWAYS_PROTECTED = ["main", "master"];
const MAX_BUNDLE_BYTES = 2_000_000_000;

/** Pushes what the run committed on branches that it may push. Says for the others that it made commits on them in vain. */
export async function pushWork(
  checkout: RunCheckout,
  wanted: PushWanted,
  tools: CheckoutTools,
): Promise<readonly Pushed[]> {
  const { git, signal } = tools;
  const { code, stdout } = await git.inUntrusted(
    checkout.folder,
    ["for-each-ref", "--count=1000", "--format=%(objectname) %(refname)", "refs/heads"],
    { signal, timeoutMs: 60_000 },
  );
  if (code !== 0) return [{ branch: wanted.branch, commit: "", refused: "the checkout is no git repository any more" }];
  const pushed: Pushed[] = [];
  for (const line of stdout.split("\n")) {
    const [, commit, branch] = /^([0-9a-f]{40,64}) refs\/heads\/(.+)$/.exec(line) ?? [];
    if (commit === undefined || branch === undefined) continue;
    // What was there before the run is in the mirror.
    if ((await commitOf(tools, checkout.mirror, commit)) !== undefined) continue;
    const why = refusal(branch, checkout, wanted);
    pushed.push(
      why === undefined ? await pushBranch(branch, commit, checkout, wanted, tools) : { branch, commit, refused: why },
    );
  }
  return pushed;
}

function refusal(branch: string, { defaultBranch }: RunCheckout, wanted: PushWanted): string | undefined {
  if (!isRef(branch)) return "the name cannot be used";
  const isProtected = [...ALWAYS_PROTECTED, ...wanted.protectedBranches, defaultBranch].includes(branch);
  if (isProtected) return "the branch is protected";
  if (branch === wanted.branch || wanted.listed.includes(branch)) return undefined;
  return "the routine may not push this branch";
}

async function pushBranch(
  branch: string,
  commit: string,
  { source, folder, mirror }: RunCheckout,
  wanted: PushWanted,
  tools: CheckoutTools,
): Promise<Pushed> {
  const { git, scratch, signal } = tools;
  const bundle = join(scratch, "commits.bundle");
  const clean = join(scratch, "push.git");
  rmSync(clean, { recursive: true, force: true });
  const created = await git.inUntrusted(
    folder,
    ["bundle", "create", "--quiet", "-", `refs/heads/${branch}`, "--not", "--remotes=origin"],
    { signal, outputFile: bundle },
  );
  if (created.code !== 0) return { branch, commit, refused: lastWords(created.stderr) };
  if (Bun.file(bundle).size > MAX_BUNDLE_BYTES) return { branch, commit, refused: "the commits are too large" };
  await git.orThrow(["init", "--quiet", "--bare", "--template=", clean], { signal });
  mkdirSync(join(clean, "objects/info"), { recursive: true });
  writeFileSync(join(clean, "objects/info/alternates"), `${join(mirror, "objects")}\n`);
  const inside = ["-C", clean];
  const taken = await git.run(
    [...inside, "fetch", "--quiet", "--no-tags", "--", bundle, `+refs/heads/${branch}:refs/heads/work`],
    { signal },
  );
  rmSync(bundle, { force: true });
  if (taken.code !== 0) return { branch, commit, refused: lastWords(taken.stderr) };

  const push = async (to: string) => {
    const credential = await credentialFor(source, "write", tools);
    const receiving = source.url.startsWith("file:") ? git.receiving(fileURLToPath(source.url)) : [];
    return git.run(
      [...inside, "push", "--quiet", "--no-verify", ...receiving, "--", source.url, `refs/heads/work:refs/heads/${to}`],
      { signal, credential },
    );
  };
  const first = await push(branch);
  if (first.code === 0) return { branch, commit };
  const isBehind = /non-fast-forward|fetch first|stale info|failed to update ref|cannot lock ref/i.test(first.stderr);
  if (isBehind && branch === wanted.branch) {
    const second = await push(wanted.otherwise);
    if (second.code === 0) return { branch: wanted.otherwise, commit };
  }
  return { branch, commit, refused: isBehind ? "others pushed to it meanwhile" : lastWords(first.stderr) };
}
