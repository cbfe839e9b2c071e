// keelson plugin list: what is used, what is not and why, and what could be installed.

import { UsageError } from "../../args/invocation.ts";
import { printWarning } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { oneLine, paletteFor, visible } from "../permissions/words.ts";
import { catalogOf, pluginPlace, recordOf, type PluginPlace } from "./place.ts";

interface Row {
  readonly id: string;
  readonly version?: string;
  readonly scope: string;
  readonly enabled: boolean;
  readonly installPath?: string;
  readonly installedAt?: string;
  readonly lastUpdated?: string;
  readonly description?: string;
  /** Why it is not used. */
  readonly why?: string;
}

export async function listPlugins(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  if (words.length > 0) throw new UsageError("usage: keelson plugin list [--available] [--json]");
  const place = await pluginPlace(call);
  const rows = rowsOf(place);
  const available = given.has("available") ? availableIn(place) : undefined;
  if (given.has("json")) {
    const value = available === undefined ? rows : { installed: rows, available };
    await io.write(`${JSON.stringify(value, null, 2)}\n`);
    return 0;
  }
  for (const problem of place.state.problems) printWarning(io, visible(problem));
  const { dim } = paletteFor(io);
  const lines = rows.map(({ id, version, scope, why, description = "" }) => {
    const state = why === undefined ? description : `not used: ${why}`;
    return `${visible(id)}${version === undefined ? "" : ` ${visible(version)}`} ${dim(`[${scope}]`)}${state && ` ${oneLine(state, 160)}`}`;
  });
  if (lines.length === 0) lines.push(`No plugins${howToInstall(place)}`);
  if (available !== undefined) {
    const found = available.map(
      ({ pluginId, description = "" }) => `  ${visible(pluginId)} ${dim(oneLine(description))}`,
    );
    if (found.length > 0) lines.push("", "Available:", ...found);
    else if (hasMarketplace(place)) lines.push("", "Nothing else is available in the marketplaces");
  }
  await io.write(`${lines.join("\n")}\n`);
  return 0;
}

const hasMarketplace = ({ state }: PluginPlace) => Object.keys(state.marketplaces).length > 0;

function howToInstall(place: PluginPlace): string {
  return hasMarketplace(place)
    ? "; to install one, run: keelson plugin install <plugin>@<marketplace>"
    : " and no marketplaces; to add one, run: keelson plugin marketplace add <source>";
}

function rowsOf(place: PluginPlace): readonly Row[] {
  const { plugins } = place.snapshot;
  const known = new Set([...plugins.active, ...plugins.unused].map(({ id }) => id));
  const fromRecord = (id: string) => {
    const record = recordOf(id, place);
    if (record === undefined) return { scope: id.endsWith("@skills-dir") ? "skills folder" : "settings" };
    const { scope, version, installPath, installedAt, lastUpdated } = record;
    return {
      scope,
      version,
      installPath,
      ...(installedAt === undefined ? {} : { installedAt }),
      ...(lastUpdated === undefined ? {} : { lastUpdated }),
    };
  };
  return [
    ...plugins.active.map(({ id, version, description, root }) => ({
      id,
      enabled: true,
      installPath: root,
      ...fromRecord(id),
      ...(version === undefined ? {} : { version }),
      ...(description === undefined ? {} : { description }),
    })),
    ...plugins.unused.map(({ id, why }) => ({ id, enabled: false, ...fromRecord(id), why })),
    ...Object.keys(place.state.installed)
      .filter((id) => !known.has(id))
      .map((id) => ({
        id,
        enabled: false,
        ...fromRecord(id),
        why: `it is not enabled; run: keelson plugin enable ${id}`,
      })),
  ];
}

function availableIn({ state, snapshot }: PluginPlace) {
  return Object.entries(state.marketplaces).flatMap(([marketplaceName, known]) =>
    (catalogOf(known, snapshot.origin.uid)?.marketplace.plugins ?? [])
      .map(({ name, description, version }) => ({
        pluginId: `${name}@${marketplaceName}`,
        name,
        marketplaceName,
        ...(description === undefined ? {} : { description }),
        ...(version === undefined ? {} : { version }),
      }))
      .filter(({ pluginId }) => !Object.hasOwn(state.installed, pluginId)),
  );
}
