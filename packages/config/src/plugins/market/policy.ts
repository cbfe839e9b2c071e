// `strictKnownMarketplaces` and `blockedMarketplaces`: which marketplaces an administrator allows. Pure.

import { normalize } from "node:path";
import { isObject, type Settings } from "@keelson/protocol";

type SourceFields = Readonly<Record<string, unknown>>;

/** Why plugins of this source may not be used; undefined if they may. One clause. */
export function marketplaceRefusal(
  source: SourceFields | undefined,
  { strictKnownMarketplaces: allowed, blockedMarketplaces: blocked }: Settings,
): string | undefined {
  if (blocked !== undefined) {
    // A list that cannot be read blocks everything: the administrator meant to block something.
    const hits = !Array.isArray(blocked) || blocked.some((entry) => source !== undefined && blocks(entry, source));
    if (hits) return "managed settings block its marketplace (blockedMarketplaces); ask your administrator";
  }
  if (allowed === undefined) return undefined;
  const isAllowed = Array.isArray(allowed) && source !== undefined && allowed.some((entry) => allows(entry, source));
  return isAllowed
    ? undefined
    : "managed settings do not allow its marketplace (strictKnownMarketplaces); ask your administrator";
}

const COMPARED = ["source", "repo", "url", "ref", "path", "package"];

/** Allow matches exactly; a host as a whole, so that no longer name gets in. */
function allows(entry: unknown, source: SourceFields): boolean {
  if (!isObject(entry)) return false;
  const { source: kind, hostPattern, pathPattern } = entry;
  if (kind === "hostPattern") return matches(`^(?:${String(hostPattern)})$`, hostOf(source));
  if (kind === "pathPattern") return matches(String(pathPattern), localPath(source));
  return COMPARED.every((key) => entry[key] === source[key]);
}

/** Block is read broadly: any ref, and every spelling of the same address. */
function blocks(entry: unknown, source: SourceFields): boolean {
  if (!isObject(entry)) return false;
  const { source: kind, hostPattern, pathPattern } = entry;
  if (kind === "hostPattern") return matches(String(hostPattern), hostOf(source));
  if (kind === "pathPattern") return matches(String(pathPattern), localPath(source));
  const address = addressOf(entry);
  if (address !== undefined) {
    const own = addressOf(source);
    // An address that two programs read in two ways may be the one.
    return own === address || (own === undefined && "url" in source);
  }
  return kind === source["source"] && COMPARED.every((key) => entry[key] === undefined || entry[key] === source[key]);
}

function matches(pattern: string, text: string | undefined): boolean {
  try {
    return text !== undefined && new RegExp(pattern, "i").test(text);
  } catch {
    return false;
  }
}

const localPath = ({ source, path }: SourceFields) =>
  (source === "directory" || source === "file") && typeof path === "string" ? normalize(path) : undefined;

const hostOf = (source: SourceFields) => addressOf(source)?.split("/")[0] || undefined;

/** `user@host:path`, as ssh takes it. */
const SHORT = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([^\\\s]*)$/;
/** Only what a browser, git and curl read in the same way: in `https://a\@b/` and `ssh://a?@b/` they differ about the host. */
const LONG = /^(https?|ssh):\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?(\[[\da-f:.]+\]|[\w.-]+)(?::(\d*))?(?:\/([^\\\s]*))?$/i;
const LOCAL = /^(?:file:\/\/)?(\/.*)$/;
const PORTS: Readonly<Record<string, string>> = { http: "80", https: "443", ssh: "22" };

/**
 * `host/path` in lower case, without user, usual port and `.git`; the same for every way to write a git address. A path on
 * this machine begins with `/`. Undefined if it is not clear which server would be asked.
 */
export function addressOf({ repo, url }: SourceFields): string | undefined {
  if (typeof repo === "string") return address("github.com", repo);
  if (typeof url !== "string") return undefined;
  const [, path] = LOCAL.exec(url) ?? [];
  if (path !== undefined) return address("", path);
  const [, scheme = "", host, port = "", below = ""] = LONG.exec(url) ?? [];
  if (host !== undefined) {
    const isUsual = port === "" || Number(port) === Number(PORTS[scheme.toLowerCase()]);
    return address(isUsual ? host : `${host}:${Number(port)}`, below);
  }
  const [, server, inHome = ""] = SHORT.exec(url) ?? [];
  return server === undefined ? undefined : address(server, inHome);
}

function address(host: string, path: string): string {
  const { pathname } = new URL(`http://x/${path.replace(/^\/+/, "")}`);
  const clean = decoded(pathname)
    .replace(/\/{2,}/g, "/")
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "");
  return `${host.replace(/\.$/, "")}${clean}`.toLowerCase();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
