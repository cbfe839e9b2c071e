// keelson config: shows and changes settings, and says where each value comes from.

import { printableLine } from "@keelson/protocol";
import type * as Config from "@keelson/config";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { loadOptions, printError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import { runGroup, type Invoked } from "../group.ts";
import { shortenFrom } from "../permissions/words.ts";
import { CONFIG_FLAGS, CONFIG_OWN_FLAGS } from "./flags.ts";
import { hidden, isSecret, placeText, shownValue } from "./text.ts";

const USAGE = `Usage: keelson config <command> [options]

Show and change settings as they apply in this folder.

Commands:
  list               List every value, where it comes from, and values that are ignored
  get <key>          Print one value
  set <key> <value>  Write a value; comments and layout of the file are kept
  path               List the settings files, highest precedence first
  resolve            Print everything as one JSON object, secrets included

Examples:
  keelson config list
  keelson config set model opus
  keelson config set permissions.deny '["Read(./.env)"]' --scope project
  keelson config get permissions.defaultMode
`;

/** Runs one of the commands and returns the exit code. */
export function runConfig(argv: readonly string[], io: ProcessIO): Promise<number> {
  const commands = {
    list: async (call: Invoked) => (await import("./list.ts")).listSettings(await open(call, 0, "list")),
    get: async (call: Invoked) => get(await open(call, 1, "get <key>")),
    set: async (call: Invoked) => set(await open(call, 2, "set <key> <value>")),
    path: async (call: Invoked) => path(await open(call, 0, "path")),
    resolve: async (call: Invoked) => resolve(await open(call, 0, "resolve")),
  };
  return runGroup({ name: "config", usage: USAGE, flags: CONFIG_FLAGS, own: CONFIG_OWN_FLAGS, commands }, argv, io);
}

/** What every config command works with. */
export type OpenedConfig = Awaited<ReturnType<typeof open>>;

async function open(call: Invoked, count: number, usage: string) {
  if (call.words.length !== count) throw new UsageError(`usage: keelson config ${usage}`);
  const { given, io } = call;
  return { ...call, config: await import("@keelson/config"), options: loadOptions(io, toFlags(given, io.cwd)) };
}

async function get({ given, words, io, config, options }: OpenedConfig): Promise<number> {
  const key = words[0]!;
  const snapshot = config.load(options);
  const value = config.valueAt(snapshot.settings, config.keyPath(key)?.path ?? key.split("."));
  if (value === undefined) return printError(io, await notSet(key, config, options));
  const plain = typeof value === "string" && !given.has("json");
  await io.write(`${plain ? value : JSON.stringify(value, null, given.has("json") ? 2 : undefined)}\n`);
  return 0;
}

async function set({ given, words, io, config, options }: OpenedConfig): Promise<number> {
  const [key, value] = words as [string, string];
  const scope = (given.text("scope") ?? "user") as "user" | "project" | "local";
  // Reads no settings file: a broken one must not stop the command that fixes it.
  const places = config.load({ ...options, flags: { settingSources: [] } });
  const done = await config.setValue({ key, value, scope }, places);
  if (!done.ok) {
    const names = config.keyPath(key) === undefined ? config.KEYS.map((each) => each.key) : [];
    return printError(io, `${done.problem}${didYouMean(key, names)}`);
  }
  const short = shortenFrom(places.cwd, places.home);
  await io.write(
    `${key} = ${isSecret({ key, value: done.value }) ? hidden : shownValue(done.value, 200)} in ${short(done.file)}\n`,
  );
  if (done.note !== undefined) printWarning(io, done.note);
  const { means, whyNot } = done.known;
  if (means === undefined)
    printWarning(io, `${done.known.key} has no effect${whyNot === undefined ? " in this version" : `: ${whyNot}`}`);
  else await warnIfOverridden(done, config, options, io);
  return 0;
}

/** Without this, a value that was written and does not apply would look like a bug. */
async function warnIfOverridden(
  { file, path: names, value }: { file: string; path: readonly string[]; value: unknown },
  config: OpenedConfig["config"],
  options: Config.LoadSettingsOptions,
  io: ProcessIO,
): Promise<void> {
  const { values, warnings } = await config.inspect(options);
  const key = names.join(".");
  const effective = values.find((each) => each.key === key);
  if (Array.isArray(value) ? effective?.from.some((from) => from.file === file) : effective?.from[0]?.file === file)
    return;
  for (const { text } of warnings) if (text.startsWith(file)) printWarning(io, text);
  const above = effective?.from[0];
  if (above) printWarning(io, `${key} is overridden by ${placeText(above, shortenFrom(options.cwd, options.home))}`);
}

async function path({ given, io, config, options }: OpenedConfig): Promise<number> {
  const files = await config.settingsFiles(options);
  if (given.has("json")) {
    await io.write(`${JSON.stringify(files, null, 2)}\n`);
    return 0;
  }
  const width = Math.max(...files.map(({ file }) => file.length));
  const lines = files.map(
    ({ scope, file, state, problem }) =>
      `${scope.padEnd(8)}  ${file.padEnd(width)}  ${state}${problem === undefined ? "" : `: ${problem}`}`,
  );
  await io.write(`${lines.join("\n")}\n`);
  return 0;
}

/** What the SDK's `resolveSettings` returns. */
async function resolve({ io, config, options }: OpenedConfig): Promise<number> {
  const { settings, values, layers, policy: machinePolicy } = await config.inspect(options);
  const place = ({ source, file }: (typeof layers)[number] | (typeof values)[number]["from"][number]) => ({
    source,
    ...(file === undefined ? {} : { path: file }),
  });
  const provenance = Object.fromEntries(values.map(({ key, from }) => [key, from.map(place)]));
  const sources = layers.map((layer) => ({ ...place(layer), settings: layer.settings }));
  await io.write(`${JSON.stringify({ effective: settings, provenance, sources, machinePolicy })}\n`);
  return 0;
}

async function notSet(
  key: string,
  { keyPath, KEYS, inspect }: OpenedConfig["config"],
  options: Config.LoadSettingsOptions,
): Promise<string> {
  const names = KEYS.map((each) => each.key);
  if (keyPath(key) === undefined) return `"${key}" is not a settings key${didYouMean(key, names)}`;
  const ignored = (await inspect(options)).ignored.find((each) => each.key === key);
  if (ignored === undefined) return `${key} is not set`;
  const place = placeText(ignored, shortenFrom(options.cwd, options.home));
  return `${key} is not set; the value in ${place} is ignored: ${printableLine(ignored.why)}`;
}
