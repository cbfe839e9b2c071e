// keelson plugin configure: shows and sets the options of a plugin. Sensitive values go to the secret store.

import { ownEnvironment, valueAt } from "@keelson/config";
import {
  installedRoot,
  optionKind,
  optionText,
  parsePluginId,
  readPluginFolder,
  writePluginSetting,
} from "@keelson/config/plugins";
import { isObject } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { createLines } from "../mcp/sign-in/typed-lines.ts";
import { visible } from "../permissions/words.ts";
import { installedId, pluginPlace, recordOf, type PluginPlace } from "./place.ts";

export async function configurePlugin(call: Invoked): Promise<number> {
  const { words, io } = call;
  const [typed, key, given, ...more] = words;
  if (typed === undefined || more.length > 0)
    throw new UsageError("usage: keelson plugin configure <plugin> [<key> [<value>]]");
  const place = await pluginPlace(call);
  // One of `--plugin-dir` is not installed, but may have options too.
  const id = parsePluginId(typed)?.marketplace === "inline" ? typed : installedId(typed, place);
  const options = optionsIn(id, place);
  if (key === undefined) return show(id, options, place, call);
  const option = Object.hasOwn(options, key) ? options[key] : undefined;
  if (option === undefined && !id.endsWith("@inline")) {
    return printError(io, `"${visible(id)}" has no option "${visible(key)}"${didYouMean(key, Object.keys(options))}`);
  }
  const { openSecretStore, pluginSecretKey } = await import("@keelson/host/secrets");
  // Nothing says whether an option of a plugin whose folder is not known is a secret, so it is kept as one.
  const isSecret = option === undefined || option.sensitive === true;
  const text = given ?? (await typedValue(key, isSecret, call));
  if (text === undefined) return printError(io, `no value for "${visible(key)}"`);
  const path = ["pluginConfigs", id, "options", key] as const;
  if (isSecret) {
    const { configDir, origin } = place.snapshot;
    const store = openSecretStore({ configDir, env: ownEnvironment(place.snapshot), platform: origin.platform });
    await store.write(pluginSecretKey(id, key), text);
    // An earlier value may be there in the clear.
    const isInClear = valueAt(place.snapshot.settings, path) !== undefined;
    const cleared = isInClear ? await writePluginSetting(path, undefined, "user", place.snapshot) : undefined;
    if (cleared?.ok === false) return printError(io, cleared.problem);
    await io.write(`Saved ${visible(key)} of ${visible(id)} in the secret store\n`);
    if (option === undefined)
      await io.write("If it has a default or is no secret, name the plugin's folder as well: --plugin-dir FOLDER\n");
    return 0;
  }
  const value = option.type === "number" ? Number(text) : option.type === "boolean" ? text === "true" : text;
  if (optionText(value, option) === undefined || (option.type === "boolean" && !/^(?:true|false)$/.test(text))) {
    return printError(io, `"${visible(key)}" should be ${optionKind(option)}, not "${visible(text)}"`);
  }
  const wrote = await writePluginSetting(path, value, "user", place.snapshot);
  if (!wrote.ok) return printError(io, wrote.problem);
  await io.write(`Set ${visible(key)} of ${visible(id)}\nFile modified: ${visible(wrote.file)}\n`);
  return 0;
}

function optionsIn(id: string, place: PluginPlace) {
  const { snapshot, folder } = place;
  const record = recordOf(id, place);
  const root =
    snapshot.plugins.active.find((each) => each.id === id)?.root ?? (record && installedRoot(folder, id, record));
  const reading = root === undefined ? undefined : readPluginFolder(root, { uid: snapshot.origin.uid });
  return reading?.plugin?.manifest.userConfig ?? {};
}

async function show(
  id: string,
  options: ReturnType<typeof optionsIn>,
  { snapshot }: PluginPlace,
  { io }: Invoked,
): Promise<number> {
  const config = snapshot.settings.pluginConfigs?.[id];
  const set = isObject(config) && isObject(config["options"]) ? config["options"] : {};
  const lines = Object.entries(options).map(([key, option]) => {
    const { title, description, sensitive } = option;
    const value = sensitive ? "in the secret store" : JSON.stringify(set[key] ?? option.default);
    return `${visible(key)} = ${visible(value ?? "not set")}\n  ${visible(`${title}: ${description}`)} (${optionKind(option)})`;
  });
  await io.write(lines.length > 0 ? `${lines.join("\n")}\n` : `${visible(id)} has no options\n`);
  return 0;
}

async function typedValue(key: string, isSecret: boolean, { io }: Invoked): Promise<string | undefined> {
  const { hideInput } = await import("@keelson/host/secrets");
  if (io.terminal.stdin) await io.write(`${visible(key)}: `);
  using _hidden = isSecret && io.terminal.stdin ? hideInput() : undefined;
  using lines = createLines(io);
  const line = await lines.next();
  if (isSecret && io.terminal.stdin) await io.write("\n");
  return line === "" ? undefined : line;
}
