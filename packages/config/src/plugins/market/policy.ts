// `strictKnownMarketplaces` and `blockedMarketplaces`: which marketplaces an administrator allows. Pure.

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
  if (address !== undefined) return address === addressOf(source);
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
  (source === "directory" || source === "file") && typeof path === "string" ? path : undefined;

const hostOf = (source: SourceFields) => addressOf(source)?.split("/")[0];

/** `host/path` in lower case, without user and `.git`; the same for every way to write a git address. */
export function addressOf({ repo, url }: SourceFields): string | undefined {
  if (typeof repo === "string") return `github.com/${repo}`.toLowerCase().replace(/\.git$/, "");
  if (typeof url !== "string") return undefined;
  const [, host = "", path = ""] = /^(?:[^@/:]+@)?([^:/]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  const parsed = host === "" ? URL.parse(url) : undefined;
  const address = parsed ? `${parsed.host}${parsed.pathname}` : `${host}/${path}`;
  return address
    .toLowerCase()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
}
