// keelson plugin enable and disable: one entry of `enabledPlugins` in the settings file of a scope.

import { writePluginSetting } from "@keelson/config/plugins";
import { UsageError } from "../../args/invocation.ts";
import { printError, printWarning } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { installedId, pluginPlace, scopeOfCall, type PluginPlace } from "./place.ts";

export async function enablePlugin(call: Invoked): Promise<number> {
  const { words } = call;
  if (words.length === 0) throw new UsageError("usage: keelson plugin enable <plugin> [-s <scope>]");
  const place = await pluginPlace(call);
  const ids = words.map((typed) => installedId(typed, place));
  const code = await write(ids, true, place, call);
  if (code !== 0) return code;
  const { reload } = await import("@keelson/config");
  for (const { id, why } of reload(place.snapshot).plugins.unused) {
    if (ids.includes(id)) printWarning(call.io, `"${visible(id)}" is not used here: ${visible(why)}`);
  }
  return 0;
}

export async function disablePlugin(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  if ((words.length === 0) !== given.has("all")) {
    throw new UsageError("usage: keelson plugin disable <plugin> [-s <scope>], or keelson plugin disable -a");
  }
  const place = await pluginPlace(call);
  const { active } = place.snapshot.plugins;
  const ids = given.has("all") ? active.map(({ id }) => id) : words.map((typed) => installedId(typed, place));
  if (ids.length > 0) return write(ids, false, place, call);
  await io.write("No plugins are enabled\n");
  return 0;
}

async function write(
  ids: readonly string[],
  enabled: boolean,
  { snapshot }: PluginPlace,
  call: Invoked,
): Promise<number> {
  const scope = scopeOfCall(call);
  for (const id of ids) {
    const wrote = await writePluginSetting(["enabledPlugins", id], enabled, scope, snapshot);
    if (!wrote.ok) return printError(call.io, wrote.problem);
    await call.io.write(`${enabled ? "Enabled" : "Disabled"} ${visible(id)} (${scope})\n`);
  }
  return 0;
}
