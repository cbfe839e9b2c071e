// keelson plugin marketplace: adds, lists, updates and forgets marketplaces.

import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  CATALOG,
  isLocalSource,
  marketplaceRefusal,
  pluginProblemText,
  readCatalog,
  reservedName,
  sourceText,
  typedSource,
  writeMarketplace,
  writePluginSetting,
  writtenSource,
  type Catalog,
  type KnownMarketplace,
  type MarketplaceSource,
} from "@keelson/config/plugins";
import { download, fetchGit, moveFolder, placeFiles, PluginFetchError, removeFolder } from "@keelson/host/plugins";
import { networkFetch } from "@keelson/model";
import type { PluginFile } from "@keelson/host/plugins";
import { UsageError } from "../../args/invocation.ts";
import { printError, printWarning, type ProcessIO } from "../../process-io.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { catalogOf, declaredMarketplaces, pluginPlace, scopeOfCall, type PluginPlace } from "./place.ts";

export async function addMarketplace(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [typed, ...more] = words;
  if (typed === undefined || more.length > 0)
    throw new UsageError("usage: keelson plugin marketplace add <source> [-s <scope>]");
  const place = await pluginPlace(call);
  const source = typedSource(typed, place.snapshot);
  if (source === undefined) {
    return printError(io, `"${visible(typed)}" does not exist; use a folder, owner/repo, or an address`);
  }
  const { name, catalog } = await addSource(source, place, io);
  if (given.has("scope")) {
    const wrote = await writePluginSetting(
      ["extraKnownMarketplaces", name],
      { source },
      scopeOfCall(call),
      place.snapshot,
    );
    if (!wrote.ok) return printError(io, wrote.problem);
    await io.write(`File modified: ${visible(wrote.file)}\n`);
  }
  const count = catalog.marketplace.plugins.length;
  await io.write(
    `Added marketplace ${name} (${visible(sourceText(source))}) with ${count} ${count === 1 ? "plugin" : "plugins"}\n`,
  );
  return 0;
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
  if (catalog === undefined) throw new UsageError(`the catalog of "${name}" cannot be read any more; try again`);
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
  if (catalog === undefined) throw new PluginFetchError(`It is not a marketplace: ${shown[0]}`);
  for (const text of shown.slice(0, 10)) printWarning(io, text);
  return catalog;
}

export async function listMarketplaces(call: Invoked): Promise<number> {
  const { given, io } = call;
  const { state, snapshot } = await pluginPlace(call);
  const declared = [...declaredMarketplaces(snapshot)].filter(([name]) => !Object.hasOwn(state.marketplaces, name));
  const rows = Object.entries(state.marketplaces).map(([name, known]) => ({
    name,
    source: known.source,
    ...(known.lastUpdated === undefined ? {} : { lastUpdated: known.lastUpdated }),
    plugins: catalogOf(known, snapshot.origin.uid)?.marketplace.plugins.length,
  }));
  if (given.has("json")) {
    await io.write(`${JSON.stringify(rows, null, 2)}\n`);
    return 0;
  }
  const lines = [
    ...rows.map(({ name, source, plugins }) => {
      const written = writtenSource(source);
      const where = written === undefined ? "a source that is not supported" : sourceText(written);
      const count = plugins === undefined ? "its catalog cannot be read" : `${plugins} plugins`;
      return `${visible(name)}: ${visible(where)} (${count})`;
    }),
    ...declared.map(
      ([name, source]) =>
        `${visible(name)}: ${visible(sourceText(source))} (in settings; added when a plugin is installed)`,
    ),
  ];
  const none = "No marketplaces; to add one, run: keelson plugin marketplace add <source>";
  await io.write(`${lines.length > 0 ? lines.join("\n") : none}\n`);
  return 0;
}

export async function updateMarketplaces(call: Invoked): Promise<number> {
  const { words, io } = call;
  const place = await pluginPlace(call);
  const names = words.length > 0 ? words : Object.keys(place.state.marketplaces);
  let failed = false;
  for (const name of names) {
    try {
      await refreshMarketplace(name, place, io);
      await io.write(`Updated marketplace ${visible(name)}\n`);
    } catch (error) {
      if (!(error instanceof PluginFetchError) && !(error instanceof UsageError)) throw error;
      failed = true;
      printError(io, `marketplace "${visible(name)}": ${error.message}`);
    }
  }
  return failed ? 1 : 0;
}

/** Fetches the catalog again. Throws UsageError if the marketplace is not known. */
export async function refreshMarketplace(name: string, place: PluginPlace, io: ProcessIO): Promise<Catalog> {
  const known = Object.hasOwn(place.state.marketplaces, name) ? place.state.marketplaces[name] : undefined;
  const source = known === undefined ? declaredMarketplaces(place.snapshot).get(name) : writtenSource(known.source);
  if (source === undefined) {
    throw new UsageError(`no marketplace "${visible(name)}"; to add it, run: keelson plugin marketplace add <source>`);
  }
  const added = await addSource(source, place, io);
  if (added.name !== name) throw new UsageError(`the marketplace is called "${added.name}" now; add it again`);
  return added.catalog;
}

export async function removeMarketplace(call: Invoked): Promise<number> {
  const { words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson plugin marketplace remove <name>");
  const { folder, state, snapshot } = await pluginPlace(call);
  if (!Object.hasOwn(state.marketplaces, name)) return printError(io, `no marketplace "${visible(name)}"`);
  const wrote = await writeMarketplace(folder, name, undefined);
  if (!wrote.ok) return printError(io, wrote.problem);
  // Only copies of ours; a folder of the user stays.
  if (/^[\w.-]+$/.test(name)) rmSync(join(folder, "marketplaces", name), { recursive: true, force: true });
  const setting = await writePluginSetting(["extraKnownMarketplaces", name], undefined, scopeOfCall(call), snapshot);
  if (!setting.ok) return printError(io, setting.problem);
  const left = Object.keys(state.installed).filter((id) => id.endsWith(`@${name}`));
  await io.write(`Removed marketplace ${visible(name)}\n`);
  if (left.length > 0) printWarning(io, `its plugins stay installed: ${left.map(visible).join(", ")}`);
  return 0;
}
