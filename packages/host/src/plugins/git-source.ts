// Gets the files of one commit of a git repository. Nothing of the repository runs: there is no work tree, so no hooks,
// filters, submodules or monitors; the files come out of `git archive`.

import { printableLine } from "@keelson/protocol";
import { makeTemporary } from "../files/private-file.ts";
import { gitMissing } from "../git/find-git.ts";
import { findHelper, helperEnvironment } from "../programs/registry/helpers.ts";
import { randomHex } from "../random.ts";
import { withMark } from "../shell/environment/child-env.ts";
import { createGuardedGroups } from "../shell/process/guarded-groups.ts";
import type { Groups } from "../shell/process/groups.ts";
import { filesBelow, LIMITS, mib, PluginFetchError, type PluginFile } from "./plugin-files.ts";
import { removeFolder } from "./place-files.ts";
import { readTar } from "./tar.ts";

export interface GitSource {
  readonly url: string;
  /** A branch or tag. */
  readonly ref?: string;
  /** A commit; it must be exactly this one. */
  readonly sha?: string;
  /** The folder inside the repository. */
  readonly path?: string;
}

export interface GitOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A repository on this machine may be used. */
  readonly local: boolean;
}

const TIMEOUT_MS = 120_000;

export async function fetchGit(
  { url, ref, sha, path = "" }: GitSource,
  options: GitOptions,
): Promise<{ readonly files: readonly PluginFile[]; readonly commit: string }> {
  checkUrl(url, options.local);
  if (ref !== undefined && !/^[A-Za-z0-9_][\w./+-]*$/.test(ref))
    throw new PluginFetchError(`"${ref}" is not a branch or tag`);
  if (sha !== undefined && !/^[0-9a-f]{40}$/.test(sha)) throw new PluginFetchError(`"${sha}" is not a full commit id`);
  const folder = makeTemporary(options.env, "git-");
  const { groups, guard, endAll, dismiss } = createGuardedGroups(randomHex(16));
  guard();
  const git = (...words: readonly string[]) => runGit(folder, words, { ...options, groups });
  try {
    await git("init", "--quiet", "--bare", "--template=", ".");
    await fetchCommit(git, url, sha ?? ref ?? "HEAD", sha !== undefined);
    const commit = (await git("rev-parse", "--verify", `${sha ?? "FETCH_HEAD"}^{commit}`)).toString().trim();
    if (sha !== undefined && commit !== sha) throw new PluginFetchError(`${url} does not have the commit ${sha}`);
    const files = filesBelow(readTar(await git("archive", "--format=tar", commit)), path);
    if (files.length === 0) throw new PluginFetchError(`${url} has no files${path === "" ? "" : ` in "${path}"`}`);
    return { files, commit };
  } finally {
    await endAll();
    await dismiss();
    removeFolder(folder);
  }
}

type Git = (...words: readonly string[]) => Promise<Buffer>;

async function fetchCommit(git: Git, url: string, what: string, isCommit: boolean): Promise<void> {
  const fetch = (...words: readonly string[]) =>
    git("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", ...words);
  try {
    await fetch("--depth=1", "--", url, what);
  } catch (error) {
    // Some servers give no single commit; then everything is fetched.
    if (!isCommit) throw error;
    await fetch("--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
  }
}

/** Addresses that someone on the way could change are refused, and so is everything that runs a program. */
function checkUrl(url: string, local: boolean): void {
  // Programs differ about the server that such an address names, and policies are about servers.
  if (/^\w+:\/\/[^/]*[\\?#\s\p{Cc}]/u.test(url))
    throw new PluginFetchError(`"${printableLine(url)}" is not an address for git; write it as https://host/path`);
  if (/^(?:https|ssh):\/\//.test(url) || /^[\w.-]+@[\w.-]+:[^:]/.test(url)) return;
  if (/^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(url)) return;
  const isHere = url.startsWith("file:///") || url.startsWith("/");
  if (isHere && local) return;
  if (isHere)
    throw new PluginFetchError(`${url} is on this machine, which only a marketplace on this machine may name`);
  throw new PluginFetchError(`"${url}" is not an address for git; use https:// or ssh://`);
}

/** Of git's own variables only these are passed on: others would make it use another repository, or run something. */
const KEPT_GIT = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|HTTP_\w+)$/;

async function runGit(
  cwd: string,
  words: readonly string[],
  { env, groups }: GitOptions & { readonly groups: Groups },
): Promise<Buffer> {
  const wanted = Number(env["CLAUDE_CODE_PLUGIN_GIT_TIMEOUT_MS"]);
  const timeoutMs = wanted > 0 ? wanted : TIMEOUT_MS;
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith("GIT_") || KEPT_GIT.test(entry[0])),
  );
  const off = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
  ];
  const options = off.flatMap((setting) => ["-c", setting]);
  // Reading our own copy needs no settings of the user; reaching a server needs their credentials and proxies.
  const isolated: Record<string, string> =
    words[0] === "fetch" ? {} : { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const own = {
    ...Object.fromEntries(passed),
    ...isolated,
    GIT_TERMINAL_PROMPT: "0",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_DIR: cwd,
  };
  const started = groups.start((mark) => spawnGit([...options, ...words], cwd, withMark(own, mark)));
  const { pid } = started;
  let stopped: string | undefined;
  // With its children, such as ssh.
  const stop = (why: string) => {
    stopped ??= why;
    void groups.end(pid);
  };
  const timer = setTimeout(() => stop(`git did not finish within ${timeoutMs / 1_000} s`), timeoutMs);
  try {
    const [output, problem, code] = await Promise.all([
      bounded(started.stdout, () => stop(`It is larger than ${mib(LIMITS.totalBytes)}`)),
      new Response(started.stderr).text(),
      started.exited,
    ]);
    if (stopped !== undefined) throw new PluginFetchError(stopped);
    if (code === 0) return output;
    throw new PluginFetchError(`git ${words[0]} failed: ${reasonIn(problem)}`);
  } finally {
    clearTimeout(timer);
    groups.leaderEnded(pid);
  }
}

function spawnGit(words: readonly string[], cwd: string, env: Record<string, string>) {
  const git = findHelper("git", env["PATH"]);
  if (git === null) throw new PluginFetchError(gitMissing({ env }));
  return Bun.spawn([git, ...words], {
    cwd,
    env: helperEnvironment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
}

/** Reads on when it is too much, without keeping it, until the process has ended. */
async function bounded(stream: ReadableStream<Uint8Array>, stop: () => void): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size <= LIMITS.totalBytes) chunks.push(chunk);
    else stop();
  }
  return Buffer.concat(chunks);
}

/** What git says is wrong, on one line, without control characters. Advice may follow it. */
function reasonIn(text: string): string {
  const lines = text.trim().split("\n");
  const reason = lines.find((line) => line.startsWith("fatal: ")) ?? lines.at(-1) ?? "";
  return printableLine(reason.slice(0, 300));
}
