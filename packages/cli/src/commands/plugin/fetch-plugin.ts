// Gets the files of a plugin of a marketplace, with the manifest that is in force, and puts them into the cache.

import { join } from "node:path";
import {
  activeDigest,
  folderInCatalog,
  isLocalSource,
  MANIFEST,
  pluginProblemText,
  readPluginFolder,
  writtenSource,
  type Catalog,
  type InstallRecord,
  type KnownMarketplace,
  type MarketplaceEntry,
  type PluginFolder,
} from "@keelson/config/plugins";
import {
  contentHash,
  download,
  fetchGit,
  fetchNpm,
  missingPackages,
  moveFolder,
  placeFiles,
  PluginFetchError,
  readArchive,
  readFolder,
  removeFolder,
  type PluginFile,
} from "@keelson/host/plugins";
import { networkFetch } from "@keelson/model";
import { isObject } from "@keelson/protocol";
import { printWarning, type ProcessIO } from "../../process/process-io.ts";
import { visible } from "../permissions/words.ts";
import type { PluginPlace } from "./place.ts";

/** A plugin in a temporary folder, checked. */
export interface StagedPlugin {
  readonly id: string;
  readonly entry: MarketplaceEntry;
  readonly files: readonly PluginFile[];
  readonly plugin: PluginFolder;
  readonly version: string;
  readonly commit?: string;
  readonly contentHash: string;
  /** Names of npm packages that it needs and that do not come with it. */
  readonly missing: readonly string[];
  /** Moves it to the cache; what to record about it. */
  keep(): Pick<InstallRecord, "installPath" | "version" | "contentHash" | "activeHash" | "gitCommitSha">;
  discard(): void;
}

export async function stagePlugin(
  id: string,
  entry: MarketplaceEntry,
  { catalog, known }: { readonly catalog: Catalog; readonly known: KnownMarketplace },
  { folder, snapshot }: PluginPlace,
): Promise<StagedPlugin> {
  const got = await fetchEntry(entry, catalog, known, snapshot);
  const files = withManifest(got.files, entry);
  const hash = contentHash(files);
  const cache = join(folder, "cache");
  const staged = placeFiles(files, cache);
  const discard = () => removeFolder(staged);
  const reading = readPluginFolder(staged, { uid: snapshot.origin.uid, name: entry.name });
  const { plugin } = reading;
  if (plugin === undefined) {
    discard();
    const [fatal] = reading.problems.filter((problem) => problem.fatal).map(pluginProblemText);
    throw new PluginFetchError(
      `"${entry.name}" is not a plugin: ${(fatal ?? "it cannot be read").replace(`${staged}/`, "")}`,
    );
  }
  const version = (plugin.manifest.version ?? got.version ?? got.commit?.slice(0, 12) ?? hash.slice(7, 19)).replaceAll(
    /[^\w.+-]|^\W/g,
    "-",
  );
  return {
    id,
    entry,
    files,
    plugin,
    version,
    ...(got.commit === undefined ? {} : { commit: got.commit }),
    contentHash: hash,
    missing: entry.source.source === "npm" ? missingPackages(files) : [],
    keep() {
      const installPath = join(cache, catalog.marketplace.name, entry.name, version);
      moveFolder(staged, installPath);
      const placed = readPluginFolder(installPath, { uid: snapshot.origin.uid, name: entry.name });
      return {
        installPath,
        version,
        contentHash: hash,
        ...(placed.plugin === undefined ? {} : { activeHash: activeDigest(placed.plugin, placed.sources) }),
        ...(got.commit === undefined ? {} : { gitCommitSha: got.commit }),
      };
    },
    discard,
  };
}

/** npm would fetch and run other packages; that is for the user to decide. */
export function warnOfMissing({ id, missing }: StagedPlugin, installPath: string, io: ProcessIO): void {
  if (missing.length === 0) return;
  const shown = missing.slice(0, 5).map(visible).join(", ");
  printWarning(
    io,
    `"${id}" needs npm packages that do not come with it: ${shown}${missing.length > 5 ? ` and ${missing.length - 5} more` : ""}; ` +
      `to add them, run: npm install --omit=dev --ignore-scripts --prefix ${visible(installPath)}`,
  );
}

async function fetchEntry(
  { name, source }: MarketplaceEntry,
  catalog: Catalog,
  known: KnownMarketplace,
  { env, home, origin }: PluginPlace["snapshot"],
): Promise<{ readonly files: readonly PluginFile[]; readonly commit?: string; readonly version?: string }> {
  const from = writtenSource(known.source);
  switch (source.source) {
    case "folder": {
      if (from?.source === "url")
        throw new PluginFetchError(
          `"${name}" is in the folder of the marketplace, but only its catalog is known; add the marketplace from git`,
        );
      const folder = folderInCatalog(catalog, source.path);
      if (typeof folder !== "string") throw new PluginFetchError(`"${name}": ${folder.problem}`);
      const commit = known.gitCommitSha;
      return { files: readFolder(folder), ...(commit === undefined ? {} : { commit }) };
    }
    case "git":
      return fetchGit(source, { env: origin.env, local: from !== undefined && isLocalSource(from) });
    case "archive":
      return { files: readArchive(await download(source.url, { fetch: networkFetch(env) }), source.sha256) };
    case "npm":
      return fetchNpm(source, { env: origin.env, home, fetch: networkFetch(env) });
    case "refused":
      throw new PluginFetchError(`"${name}" cannot be installed: ${source.why}`);
  }
}

/** The manifest in force: the plugin's own before the entry, or, if the entry is not strict, the other way round. */
function withManifest(files: readonly PluginFile[], entry: MarketplaceEntry): readonly PluginFile[] {
  const own = files.find(({ path }) => path === MANIFEST);
  const fields = own === undefined ? {} : parsed(own);
  // A manifest that is wrong is reported as it is.
  if (fields === undefined) return files;
  const merged = entry.strict ? { ...entry.manifest, ...fields } : { ...fields, ...entry.manifest };
  const text = Buffer.from(`${JSON.stringify(merged, null, 2)}\n`);
  const isSame = own !== undefined && JSON.stringify(merged) === JSON.stringify(fields);
  const others = files.filter((file) => file !== own && !isLeftOut(file, entry));
  return isSame ? [...others, own] : [...others, { path: MANIFEST, executable: false, bytes: () => text }];
}

/** Several plugins may share a folder of skills; each takes those that its entry lists. */
function isLeftOut({ path }: PluginFile, { strict, manifest }: MarketplaceEntry): boolean {
  const { skills } = manifest;
  if (strict || !Array.isArray(skills) || !path.startsWith("skills/")) return false;
  return !skills.some(
    (skill) =>
      typeof skill === "string" && path.startsWith(`${skill.replace(/^\.\//, "").replace(/\/(?:SKILL\.md)?$/, "")}/`),
  );
}

function parsed(file: PluginFile): Record<string, unknown> | undefined {
  try {
    const value: unknown = Bun.JSONC.parse(Buffer.from(file.bytes()).toString("utf8"));
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
