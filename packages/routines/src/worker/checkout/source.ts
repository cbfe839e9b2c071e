// What may be given as a source of a routine. Git understands much more than addresses: options, programs, files of the worker.
// Pure.

import type { RoutineSource } from "../../records/routine.ts";
import type { RunOrigin } from "../../records/run.ts";

export interface RepositorySource {
  /** As git gets it. */
  readonly url: string;
  readonly ref: string | undefined;
  /** The name of its folder. */
  readonly name: string;
}

/** The text is the reason for which the run is skipped. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const SCP = /^(?:([A-Za-z0-9_][\w.-]*)@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)([A-Za-z0-9_~/][\w./~+-]*)$/;
/** Of what git allows in names, what shells, rules and our own texts can carry without a second thought. */
const REF = /^[A-Za-z0-9_][A-Za-z0-9_./+@=,-]*$/;

/** Throws SourceError. */
export function readSource({ url, ref }: RoutineSource): RepositorySource {
  const address = readAddress(url);
  if (ref !== undefined && !isRef(ref)) {
    throw new SourceError(`"${ref}" cannot be used as a git ref; name a branch, a tag or a commit`);
  }
  return { url: address, ref, name: folderName(address) };
}

/** A branch, tag or commit that git cannot take for an option or an expression. */
export function isRef(ref: string): boolean {
  return (
    ref.length <= 250 &&
    REF.test(ref) &&
    !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(ref) &&
    ref !== "HEAD" &&
    ref !== "@"
  );
}

function readAddress(url: string): string {
  const scp = SCP.exec(url);
  if (scp !== null) return `ssh://${scp[1] ?? "git"}@${scp[2]}/${scp[3]!.replace(/^\//, "")}`;
  // Control characters and spaces would be dropped by the URL parser, and mean something to git.
  const parsed = /^[\x21-\x7e]+$/.test(url) ? URL.parse(url) : null;
  const fix = "use https://HOST/PATH, ssh://USER@HOST/PATH or file:///PATH";
  if (parsed === null || url.includes("\\"))
    throw new SourceError(`"${shown(url)}" is not an address of a repository; ${fix}`);
  const { protocol, hostname, username, password, pathname, search, hash } = parsed;
  const isPlain = protocol === "http:" && LOOPBACK.has(hostname);
  if (protocol !== "https:" && protocol !== "ssh:" && protocol !== "file:" && !isPlain) {
    throw new SourceError(`Repositories are not fetched over "${protocol.slice(0, -1)}"; ${fix}`);
  }
  if (password !== "" || (username !== "" && protocol !== "ssh:")) {
    throw new SourceError(`The address of ${hostname} has a password or token in it; give it to the worker instead`);
  }
  if (search !== "" || hash !== "") throw new SourceError(`"${shown(url)}" has a query or fragment; ${fix}`);
  // ssh would take such a user or host for an option.
  if (hostname.startsWith("-") || username.startsWith("-")) throw new SourceError(`"${shown(url)}" is refused; ${fix}`);
  if (protocol === "file:" ? hostname !== "" : hostname === "")
    throw new SourceError(`"${shown(url)}" has no usable host; ${fix}`);
  if (pathname.length < 2) throw new SourceError(`"${shown(url)}" names no repository; ${fix}`);
  return parsed.href;
}

function folderName(url: string): string {
  const last = url
    .replace(/\/+$/, "")
    .split("/")
    .at(-1)!
    .replace(/\.git$/, "");
  const name = decodeURIComponentSafely(last)
    .replace(/[^A-Za-z0-9_.-]/g, "-")
    .replace(/^[.-]+/, "");
  return name === "" ? "repository" : name.slice(0, 100);
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Where GitHub takes comments on what started a run. Whoever made a webhook can sign any body, and a comment is sent with a token of the
 * worker: so host and repository are those of a source of the routine, and only the number is the event's.
 */
export function commentsUrl(sources: readonly RoutineSource[], { repository, number }: RunOrigin): string | undefined {
  if (typeof repository !== "string" || !Number.isSafeInteger(number) || number! < 1) return undefined;
  for (const { url } of sources) {
    // `https://HOST/OWNER/NAME.git`, or `git@HOST:OWNER/NAME`.
    const { protocol, host, hostname, pathname } = URL.parse(addressOrNothing(url)) ?? {};
    const path = pathname?.replace(/^\/|(?:\.git)?\/*$/g, "");
    if (path === undefined || !/^[\w-][\w.-]*\/[\w.-]*[\w-][\w.-]*$/.test(path) || !isSameText(path, repository))
      continue;
    const issue = `repos/${path}/issues/${number}/comments`;
    if (protocol === "http:") return `http://${host}/api/v3/${issue}`;
    const name = protocol === "https:" ? host! : hostname!.toLowerCase().replace(/^ssh\.github\.com$/, "github.com");
    if (protocol !== "https:" && protocol !== "ssh:") continue;
    const hasApiHost = name === "github.com" || name.endsWith(".ghe.com");
    return hasApiHost ? `https://api.${name}/${issue}` : `https://${name}/api/v3/${issue}`;
  }
  return undefined;
}

const isSameText = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function addressOrNothing(url: string): string {
  try {
    return readAddress(url);
  } catch (error) {
    if (error instanceof SourceError) return "";
    throw error;
  }
}

/** It may be anything, even a password in a wrong place: only as much as helps to recognize it. */
const shown = (url: string) => url.replace(/\/\/[^/@]*@/, "//…@").slice(0, 200);
