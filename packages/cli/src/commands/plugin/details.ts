// keelson plugin details: one plugin, its parts, what it may run, and whether its files are those that were installed.

import { relative } from "node:path";
import { installedRoot, readPluginFolder, type InstallRecord } from "@keelson/config/plugins";
import { contentHash, readFolder } from "@keelson/host/plugins";
import type { Plugin } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { mayRun, shortLines } from "./may-run.ts";
import { installedId, pluginPlace, recordOf } from "./place.ts";

export async function pluginDetails(call: Invoked): Promise<number> {
  const { words, io } = call;
  const [typed, ...more] = words;
  if (typed === undefined || more.length > 0) throw new UsageError("usage: keelson plugin details <plugin>");
  const place = await pluginPlace(call);
  const id = installedId(typed, place);
  const { plugins, origin } = place.snapshot;
  const active = plugins.active.find((each) => each.id === id);
  const unused = plugins.unused.find((each) => each.id === id);
  const record = recordOf(id, place);
  const root = active?.root ?? (record && installedRoot(place.folder, id, record)) ?? unused?.root;
  if (root === undefined)
    return printError(io, `the files of "${visible(id)}" are missing; run: keelson plugin update ${id}`);
  const { plugin, problems } = readPluginFolder(root, { uid: origin.uid });
  if (plugin === undefined) return printError(io, `${problems[0]?.file}: ${problems[0]?.text}`);
  const files = readFolder(root);
  const { version = record?.version, description, homepage, license } = plugin.manifest;
  const line = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`  ${label}: ${visible(value)}`];
  const lines = shortLines(mayRun(plugin, files));
  await io.write(
    [
      `${visible(id)}:`,
      ...line("Description", description),
      ...line("Version", version),
      ...line("Commit", record?.gitCommitSha),
      ...line("Status", active ? "used" : `not used: ${unused?.why ?? "it is not enabled"}`),
      ...line("Scope", record?.scope),
      ...line("Folder", root),
      ...line("Homepage", homepage),
      ...line("License", license),
      ...line("Files", record && integrity(record, contentHash(files), files.length)),
      ...(active ? partsOf(active) : []),
      ...optionsText(plugin.manifest.userConfig, id),
      ...(lines.length > 0 ? ["  May run:", ...lines.map((each) => `    ${each}`)] : []),
      "",
    ].join("\n"),
  );
  return 0;
}

function integrity({ contentHash: wanted }: InstallRecord, found: string, count: number): string {
  if (wanted === undefined) return `${count}, installed by another program`;
  return wanted === found ? `${count}, as they were installed` : `${count}, changed after they were installed`;
}

function partsOf(plugin: Plugin): readonly string[] {
  const { root, skills, skillFolders, commandFiles, commandFolders, agents, outputStyles, themes, bin } = plugin;
  const parts = {
    Skills: [...skillFolders, ...skills],
    Commands: [...commandFolders, ...commandFiles],
    Agents: agents,
    "Output styles": outputStyles,
    Themes: themes,
    Programs: bin === undefined ? [] : [bin],
  };
  return Object.entries(parts).flatMap(([label, paths]) =>
    paths.length === 0 ? [] : [`  ${label}: ${paths.map((path) => visible(relative(root, path) || ".")).join(", ")}`],
  );
}

function optionsText(options: PluginOptionsText = {}, id: string): readonly string[] {
  const keys = Object.keys(options);
  return keys.length === 0
    ? []
    : [`  Options: ${keys.map(visible).join(", ")} (keelson plugin configure ${visible(id)})`];
}

type PluginOptionsText = Readonly<Record<string, unknown>>;
