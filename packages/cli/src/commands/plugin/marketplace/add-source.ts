// Fetches a marketplace, checks its catalog, and records it.

import { join } from "node:path";
import {
  CATALOG,
  isLocalSource,
  marketplaceRefusal,
  pluginProblemText,
  readCatalog,
  reservedName,
  sourceText,
  writeMarketplace,
  writtenSource,
  type Catalog,
  type KnownMarketplace,
  type MarketplaceSource,
} from "@keelson/config/plugins";
import {
  download,
  fetchGit,
  moveFolder,
  placeFiles,
  PluginFetchError,
  removeFolder,
  type PluginFile,
} from "@keelson/host/plugins";
import { networkFetch } from "@keelson/model";
import { UsageError } from "../../../args/invocation.ts";
import { printWarning, type ProcessIO } from "../../../process/process-io.ts";
import { visible } from "../../permissions/words.ts";
import { catalogOf, declaredMarketplaces, type PluginPlace } from "../place.ts";

/** Fetches the catalog again. Throws UsageError if the marketplace is not known. */
export async function refreshMarketplace(name: string, place: PluginPlace, io: ProcessIO): Promise<Catalog> {
  const known = Object.hasOwn(place.state.marketplaces, name) ? place.state.marketplaces[name] : undefined;
  const source = known === undefined ? declaredMarketplaces(place.snapshot).get(name) : writtenSource(known.source);
  if (source === undefined) {
    const isNamed = known !== undefined || Object.hasOwn(place.snapshot.settings.extraKnownMarketplaces ?? {}, name);
    throw new UsageError(
      isNamed
        ? `the source of marketplace "${visible(name)}" cannot be used; it should be a directory, file, github, git or url`
        : `no marketplace "${visible(name)}"; to add it, run: keelson plugin marketplace add <source>`,
    );
  }
  const added = await addSource(source, place, io);
  if (added.name !== name) throw new UsageError(`the marketplace is called "${added.name}" now; add it again`);
  return added.catalog;
}

/** Fetches a marketplace and records it. Throws PluginFetchError or UsageError. */
export async function addSource(
  source: MarketplaceSource,
  place: PluginPlace,
  io: ProcessIO,
): Promise<{ readonly name: string; readonly catalog: Catalog }> {
  const { snapshot, folder, state } = place;
  const refusal = marketplaceRefusal(source, snapshot.settings);
  if (refusal !== undefined) throw new UsageError(`cannot use ${visible(sourceText(source))}: ${refusal}`);
  const fetched = await fetchMarketplace(source, place, io);
  const { name } = fetched.catalog.marketplace;
  const before = Object.hasOwn(state.marketplaces, name) ? state.marketplaces[name] : undefined;
  const known = before && writtenSource(before.source);
  try {
    const reserved = reservedName(name, source);
    if (reserved !== undefined) throw new UsageError(reserved);
    if (known !== undefined && sourceText(known).split("#")[0] !== sourceText(source).split("#")[0]) {
      throw new UsageError(
        `marketplace "${name}" is already known, from ${visible(sourceText(known))}; ` +
          `to replace it, first run: keelson plugin marketplace remove ${name}`,
      );
    }
  } catch (error) {
    fetched.discard();
    throw error;
  }
  const record: KnownMarketplace = {
    source,
    installLocation: fetched.keep(name),
    lastUpdated: new Date().toISOString(),
    ...(fetched.commit === undefined ? {} : { gitCommitSha: fetched.commit }),
  };
  const wrote = await writeMarketplace(folder, name, record);
  if (!wrote.ok) throw new UsageError(wrote.problem);
  const catalog = catalogOf(record, snapshot.origin.uid);
  if (catalog === undefined) throw new UsageError(`the catalog of "${name}" can no longer be read; try again`);
  return { name, catalog };
}

interface Fetched {
  readonly catalog: Catalog;
  readonly commit?: string;
  /** Moves it to its place; returns where its catalog is. */
  keep(name: string): string;
  discard(): void;
}

async function fetchMarketplace(
  source: MarketplaceSource,
  { folder, snapshot }: PluginPlace,
  io: ProcessIO,
): Promise<Fetched> {
  const { uid, env } = snapshot.origin;
  if (source.source === "directory" || source.source === "file") {
    return { catalog: checkedCatalog(source.path, uid, io), keep: () => source.path, discard: () => undefined };
  }
  const parent = join(folder, "marketplaces");
  let files: readonly PluginFile[];
  let commit: string | undefined;
  let catalogPath = "";
  if (source.source === "url") {
    const bytes = await download(source.url, { fetch: networkFetch(snapshot.env), maxBytes: 4 * 1024 * 1024 });
    files = [{ path: CATALOG, executable: false, bytes: () => bytes }];
  } else {
    const url = source.source === "github" ? `https://github.com/${source.repo}.git` : source.url;
    const pinned = source.ref === undefined ? {} : { ref: source.ref };
    ({ files, commit } = await fetchGit({ url, ...pinned }, { env, local: isLocalSource(source) }));
    catalogPath = source.path ?? "";
  }
  const staged = placeFiles(files, parent);
  try {
    const catalog = checkedCatalog(join(staged, catalogPath), uid, io, staged);
    return {
      catalog,
      ...(commit === undefined ? {} : { commit }),
      keep(name) {
        moveFolder(staged, join(parent, name));
        return join(parent, name, catalogPath);
      },
      discard: () => removeFolder(staged),
    };
  } catch (error) {
    removeFolder(staged);
    throw error;
  }
}

function checkedCatalog(location: string, uid: number | undefined, io: ProcessIO, staged?: string): Catalog {
  const { catalog, problems } = readCatalog(location, uid);
  const shown = problems.map((problem) => {
    const text = pluginProblemText(problem);
    return visible(staged === undefined ? text : text.replace(`${staged}/`, ""));
  });
  if (catalog === undefined) throw new PluginFetchError(`This is not a marketplace: ${shown[0]}`);
  for (const text of shown.slice(0, 10)) printWarning(io, text);
  return catalog;
}
