// keelson plugin marketplace: adds, lists, updates and forgets marketplaces.

import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  pluginNameProblem,
  sourceText,
  typedSource,
  writeMarketplace,
  writePluginSetting,
  writtenSource,
} from "@keelson/config/plugins";
import { PluginFetchError } from "@keelson/host/plugins";
import { UsageError } from "../../../args/invocation.ts";
import { printError, printWarning } from "../../../process/process-io.ts";
import type { Invoked } from "../../group.ts";
import { visible } from "../../permissions/words.ts";
import { catalogOf, declaredMarketplaces, pluginPlace, scopeOfCall } from "../place.ts";
import { addSource, refreshMarketplace } from "./add-source.ts";

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
      const isKnown = Object.hasOwn(place.state.marketplaces, name);
      printError(io, isKnown ? `marketplace "${visible(name)}": ${error.message}` : error.message);
    }
  }
  return failed ? 1 : 0;
}

export async function removeMarketplace(call: Invoked): Promise<number> {
  const { words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson plugin marketplace remove <name>");
  const { folder, state, snapshot } = await pluginPlace(call);
  if (!Object.hasOwn(state.marketplaces, name)) {
    return printError(io, `no marketplace "${visible(name)}"; to list them, run: keelson plugin marketplace list`);
  }
  const wrote = await writeMarketplace(folder, name, undefined);
  if (!wrote.ok) return printError(io, wrote.problem);
  // Only copies of ours; a folder of the user stays.
  if (pluginNameProblem(name) === undefined)
    rmSync(join(folder, "marketplaces", name), { recursive: true, force: true });
  const setting = await writePluginSetting(["extraKnownMarketplaces", name], undefined, scopeOfCall(call), snapshot);
  if (!setting.ok) return printError(io, setting.problem);
  const left = Object.keys(state.installed).filter((id) => id.endsWith(`@${name}`));
  await io.write(`Removed marketplace ${visible(name)}\n`);
  if (left.length > 0) printWarning(io, `its plugins stay installed: ${left.map(visible).join(", ")}`);
  return 0;
}
