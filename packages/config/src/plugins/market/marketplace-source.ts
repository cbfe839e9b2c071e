// Where a marketplace comes from: what people type, and the form that files keep. Pure, except that a path is looked up.

import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isObject } from "@keelson/protocol";
import { atHome } from "../../scopes/scopes.ts";
import { addressOf } from "./policy.ts";

/** As in `known_marketplaces.json` and `extraKnownMarketplaces`. */
export type MarketplaceSource =
  | { readonly source: "directory"; readonly path: string }
  | { readonly source: "file"; readonly path: string }
  | { readonly source: "github"; readonly repo: string; readonly ref?: string; readonly path?: string }
  | { readonly source: "git"; readonly url: string; readonly ref?: string; readonly path?: string }
  | { readonly source: "url"; readonly url: string };

/** `./folder`, `owner/name`, `owner/name@ref`, an address for git with or without `#ref`, or the address of a catalog. */
export function typedSource(typed: string, places: { home: string; cwd: string }): MarketplaceSource | undefined {
  const [address = "", ref] = typed.split("#");
  const pinned = ref ? { ref } : {};
  if (/^\.{0,2}\/|^~\/|^\.{1,2}$/.test(typed) || isAbsolute(typed))
    return localSource(atHome(typed, places.home, places.cwd));
  if (/^(?:ssh|file):\/\//.test(address) || /^[\w.-]+@[\w.-]+:/.test(address))
    return { source: "git", url: address, ...pinned };
  if (/^https?:\/\//.test(address)) {
    const [, repo] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(address) ?? [];
    if (repo !== undefined) return { source: "github", repo, ...pinned };
    return address.endsWith(".git") || ref
      ? { source: "git", url: address, ...pinned }
      : { source: "url", url: address };
  }
  const [, repo, tag = ref] = /^([\w.-]+\/[\w.-]+?)(?:@([\w./-]+))?$/.exec(address) ?? [];
  if (repo !== undefined) return { source: "github", repo, ...(tag ? { ref: tag } : {}) };
  return localSource(atHome(typed, places.home, places.cwd));
}

function localSource(path: string): MarketplaceSource | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  return { source: stat.isDirectory() ? "directory" : "file", path };
}

/** A source as written in a file; undefined if it is of a kind that cannot be used. */
export function writtenSource(value: unknown): MarketplaceSource | undefined {
  if (!isObject(value)) return undefined;
  const { source, path, repo, url } = value;
  const text = (key: "ref" | "path") => (typeof value[key] === "string" ? { [key]: value[key] } : {});
  if ((source === "directory" || source === "file") && typeof path === "string" && isAbsolute(path))
    return { source, path };
  if (source === "github" && typeof repo === "string" && /^[\w.-]+\/[\w.-]+$/.test(repo)) {
    return { source, repo, ...text("ref"), ...text("path") };
  }
  if (source === "git" && typeof url === "string") return { source, url, ...text("ref"), ...text("path") };
  return source === "url" && typeof url === "string" ? { source, url } : undefined;
}

/** Whether it is on this machine. */
export const isLocalSource = (source: MarketplaceSource) =>
  source.source === "directory" ||
  source.source === "file" ||
  (source.source === "git" && (source.url.startsWith("file://") || source.url.startsWith("/")));

/** `acme/tools`, `git@…`, `/path`: for people. */
export function sourceText(source: MarketplaceSource): string {
  const where = "path" in source && !("repo" in source) && !("url" in source) ? source.path : "";
  const address = "repo" in source ? source.repo : "url" in source ? source.url : where;
  return "ref" in source && source.ref !== undefined ? `${address}#${source.ref}` : address;
}

/** Names that stand for plugins without a marketplace. */
const TAKEN = new Set(["inline", "skills-dir", "builtin"]);
/** Names of the vendor's own marketplaces. */
const VENDOR =
  /^(?:claude-code-(?:marketplace|plugins)|claude-plugins-official|anthropic-(?:marketplace|plugins)|agent-skills|life-sciences)$/;

/** Why a marketplace of this source cannot have this name. */
export function reservedName(name: string, source: MarketplaceSource): string | undefined {
  if (TAKEN.has(name)) return `the name "${name}" has another meaning; the marketplace must use a different one`;
  if (!VENDOR.test(name)) return undefined;
  const isVendor = addressOf(source)?.startsWith("github.com/anthropics/") ?? false;
  return isVendor ? undefined : `the name "${name}" is reserved; the marketplace must use a different one`;
}
