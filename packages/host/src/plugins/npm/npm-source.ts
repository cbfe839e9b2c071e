// Gets a package from an npm registry: the list of its versions, then the archive of one, compared with the digest that the
// registry gives. npm itself is not used, so nothing of the package runs, and the packages it depends on are not fetched.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { readArchive } from "../archive.ts";
import { download } from "../download.ts";
import { PluginFetchError, type PluginFile } from "../plugin-files.ts";
import { readNpmrc } from "./npmrc.ts";

export interface NpmSource {
  readonly package: string;
  /** An exact one, a range, or a tag; without it, the one tagged `latest`. */
  readonly version?: string;
  /** Instead of the registry that the user's npm configuration names. */
  readonly registry?: string;
}

export interface NpmContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Knows the proxies and certificates of the user. */
  readonly fetch: (url: string, options: RequestInit) => Promise<Response>;
}

const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** The short form of the list, without readme files. */
const LIST_TYPE = "application/vnd.npm.install-v1+json, application/json;q=0.8";

export async function fetchNpm(
  source: NpmSource,
  { env, home, fetch }: NpmContext,
): Promise<{ readonly files: readonly PluginFile[]; readonly version: string }> {
  const name = source.package;
  const config = readNpmrc(userNpmrc(env, home), env);
  const registry = source.registry?.replace(/\/+$/, "") ?? config.registryOf(name);
  const list = await download(`${registry}/${name.replace("/", "%2f")}`, {
    fetch,
    headers: (url) => ({ accept: LIST_TYPE, ...config.headersFor(url) }),
    maxBytes: MAX_LIST_BYTES,
  }).catch((error: unknown) => {
    throw refused(error, name, registry);
  });
  const { version, dist } = chosenVersion(name, source.version, parsedList(list, name, registry));
  const { tarball } = dist;
  if (typeof tarball !== "string") throw new PluginFetchError(`npm package "${name}" ${version} has no archive`);
  const bytes = await download(tarball, { fetch, headers: (url) => config.headersFor(url) });
  checkDigest(bytes, dist, `npm package "${name}" ${version}`);
  return { files: readArchive(bytes), version };
}

function refused(error: unknown, name: string, registry: string): unknown {
  if (!(error instanceof PluginFetchError)) return error;
  if (error.status === 404) return new PluginFetchError(`${registry} has no npm package "${name}"; check its name`);
  if (error.status === 401 || error.status === 403) {
    const place = registry.replace(/^https?:/, "");
    return new PluginFetchError(
      `${registry} refused access to npm package "${name}" (${error.status}); add a token to your .npmrc: ${place}/:_authToken=…`,
    );
  }
  return error;
}

function userNpmrc(env: NpmContext["env"], home: string): string {
  const named = env["npm_config_userconfig"] || env["NPM_CONFIG_USERCONFIG"];
  try {
    return readFileSync(named || join(home, ".npmrc"), "utf8");
  } catch {
    return "";
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface VersionList {
  readonly versions: Fields;
  readonly tags: Fields;
}

function parsedList(bytes: Uint8Array, name: string, registry: string): VersionList {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    // Reported below.
  }
  if (!isObject(value) || !isObject(value["versions"])) {
    throw new PluginFetchError(`${registry} does not answer like an npm registry for "${name}"; check its address`);
  }
  return { versions: value["versions"], tags: isObject(value["dist-tags"]) ? value["dist-tags"] : {} };
}

/** As npm chooses: the version itself, a tag, or of a range the tagged `latest` if it fits and otherwise the highest. */
function chosenVersion(name: string, wanted: string | undefined, { versions, tags }: VersionList) {
  const range = wanted?.trim() || "latest";
  const { latest } = tags;
  const tagged = Object.hasOwn(tags, range) ? tags[range] : undefined;
  const fits = (version: string) => Bun.semver.satisfies(version, range);
  const known = Object.keys(versions).toSorted((a, b) => Bun.semver.order(a, b));
  const version =
    known.find((each) => each === range.replace(/^[v=]\s*(?=\d)/, "")) ??
    (typeof tagged === "string" ? tagged : undefined) ??
    (typeof latest === "string" && fits(latest) ? latest : known.findLast(fits));
  const found = version !== undefined && Object.hasOwn(versions, version) ? versions[version] : undefined;
  if (version === undefined || !isObject(found)) {
    const last = known.slice(-3).toReversed().join(", ");
    throw new PluginFetchError(
      `npm package "${name}" has no version "${range}"; ${last === "" ? "it has none" : `its newest are ${last}`}`,
    );
  }
  return { version, dist: isObject(found["dist"]) ? found["dist"] : {} };
}

const ALGORITHMS = ["sha512", "sha384", "sha256"] as const;

/** The strongest digest that is given decides; old packages have only `shasum`. */
function checkDigest(bytes: Uint8Array, { integrity, shasum }: Fields, what: string): void {
  const given = typeof integrity === "string" ? integrity.trim().split(/\s+/) : [];
  const algorithm = ALGORITHMS.find((each) => given.some((one) => one.startsWith(`${each}-`)));
  if (algorithm !== undefined) {
    const found = `${algorithm}-${new Bun.CryptoHasher(algorithm).update(bytes).digest("base64")}`;
    if (given.some((one) => one.split("?")[0] === found)) return;
  } else if (typeof shasum === "string") {
    if (new Bun.CryptoHasher("sha1").update(bytes).digest("hex") === shasum.toLowerCase()) return;
  } else throw new PluginFetchError(`${what} has no digest at its registry, so its archive cannot be checked`);
  throw new PluginFetchError(`The archive of ${what} does not match the digest in its registry`);
}

/** Packages that it names in package.json and does not bring along. */
export function missingPackages(files: readonly PluginFile[]): readonly string[] {
  const own = files.find(({ path }) => path === "package.json");
  if (own === undefined) return [];
  try {
    const value: unknown = JSON.parse(Buffer.from(own.bytes()).toString("utf8"));
    const { dependencies } = isObject(value) ? value : {};
    return Object.keys(isObject(dependencies) ? dependencies : {}).filter(
      (name) => !files.some(({ path }) => path.startsWith(`node_modules/${name}/`)),
    );
  } catch {
    return [];
  }
}
