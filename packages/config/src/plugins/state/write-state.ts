// Changes `installed_plugins.json`, `known_marketplaces.json`, and the keys of settings files that are about plugins.

import { setAt, removeKey, isEditable } from "../../write/edit.ts";
import { NOT_EDITABLE, updateSettingsFile, type Change, type Updated } from "../../write/settings-file.ts";
import { keptElsewhere, writeTarget, type WritePlaces } from "../../write/write-rules.ts";
import { ignoreLocalSettings } from "../../write/git-ignore.ts";
import { standardFiles } from "../../scopes/scopes.ts";
import { valueAt } from "../../check/known.ts";
import {
  installedFile,
  marketplacesFile,
  readPluginState,
  type InstallRecord,
  type KnownMarketplace,
} from "./installed.ts";

export type Wrote = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly problem: string };

const outcome = (file: string, result: Updated): Wrote =>
  result.kind === "refused" ? { ok: false, problem: result.problem } : { ok: true, file };

const editable =
  (change: Change): Change =>
  (text, value) =>
    isEditable(text) ? change(text, value) : NOT_EDITABLE;

/** Replaces the records of one plugin; none removes it. */
export async function writeRecords(folder: string, id: string, records: readonly InstallRecord[]): Promise<Wrote> {
  const file = installedFile(folder);
  const change: Change = (text, { version }) => {
    const numbered = version === 2 ? text : setAt(text, ["version"], 2);
    if (records.length === 0) return { text: removeKey(numbered, ["plugins"], id) };
    return { text: setAt(numbered, ["plugins", id], records) };
  };
  return outcome(file, await updateSettingsFile({ file, private: true }, editable(change)));
}

/** `undefined` forgets the marketplace. */
export async function writeMarketplace(
  folder: string,
  name: string,
  known: KnownMarketplace | undefined,
): Promise<Wrote> {
  const file = marketplacesFile(folder);
  const change: Change = (text) => ({
    text: known === undefined ? removeKey(text, [], name) : setAt(text, [name], known),
  });
  return outcome(file, await updateSettingsFile({ file, private: true }, editable(change)));
}

/** Records a new installation in place of the one for the same scope and folder. */
export async function recordInstallation(folder: string, id: string, record: InstallRecord): Promise<Wrote> {
  const { installed } = readPluginState(folder);
  const others = (Object.hasOwn(installed, id) ? installed[id]! : []).filter(
    ({ scope, projectPath }) => scope !== record.scope || projectPath !== record.projectPath,
  );
  return writeRecords(folder, id, [...others, record]);
}

export type PluginScope = "user" | "project" | "local";

/** Sets or, with `undefined`, removes an entry such as `enabledPlugins["a@b"]` in the settings file of a scope. */
export async function writePluginSetting(
  path: readonly ["enabledPlugins" | "extraKnownMarketplaces" | "pluginConfigs", ...string[]],
  value: unknown,
  scope: PluginScope,
  places: WritePlaces,
): Promise<Wrote> {
  const standard = standardFiles(places).find(({ name }) => name === scope)!;
  const elsewhere = keptElsewhere(standard, places);
  if (elsewhere !== undefined) return { ok: false, problem: elsewhere };
  const change: Change = (text, settings) => {
    const name = path.at(-1)!;
    if (value !== undefined) return { text: setAt(text, path, value) };
    return { text: valueAt(settings, path) === undefined ? text : removeKey(text, path.slice(0, -1), name) };
  };
  const result = await updateSettingsFile(writeTarget(standard, places), editable(change));
  if (result.kind === "written" && scope === "local") ignoreLocalSettings(places);
  return outcome(standard.file, result);
}
