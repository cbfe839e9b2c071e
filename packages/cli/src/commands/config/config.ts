// keelson config: what the settings are, where each comes from, and how to change one. It starts no session.

import type * as Config from "@keelson/config";
import { parseArguments, type Arguments } from "../../args/args.ts";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { nearest } from "../../args/nearest.ts";
import { loadOptions, type ProcessIO } from "../../process-io.ts";
import { CONFIG_FLAGS } from "./flags.ts";
import { hidden, isSecret, placeText, shownValue } from "./text.ts";
import { shortenFrom } from "../permissions/words.ts";

const USAGE = `Usage: keelson config <command> [options]

Settings, as this folder sees them.

Commands:
  list               Every value in force, and the file and line it comes from
  get <key>          The value in force
  set <key> <value>  Writes a value; comments and layout of the file stay
  path               The settings files, highest precedence first
  resolve            All of it as one JSON object, for programs; nothing is hidden

Options:
      --scope <scope>             set: the file to write (user, project, local); user when absent
      --json                      list, get, path: print JSON
      --settings <file-or-json>   As the program takes it
      --setting-sources <sources> As the program takes it

Examples:
  keelson config list
  keelson config set model opus
  keelson config set permissions.deny '["Read(./.env)"]' --scope project
  keelson config get permissions.defaultMode
`;

const ACTIONS: Readonly<Record<string, Action>> = { list, get, set, path, resolve };

/** Runs one of the commands and returns the exit code. */
export async function runConfig(argv: readonly string[], io: ProcessIO): Promise<number> {
  const parsed = parseArguments(argv, CONFIG_FLAGS);
  if (!parsed.ok) return fail(io, parsed.error);
  const given = parsed.arguments;
  const [name, ...words] = given.words;
  if (name === undefined || given.has("help")) {
    await io.write(USAGE);
    return 0;
  }
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) return fail(io, unknown(`command 'config ${name}'`, name, Object.keys(ACTIONS)));
  const config = await import("@keelson/config");
  try {
    return await action({ given, words, io, config, options: loadOptions(io, toFlags(given, io.cwd)) });
  } catch (error) {
    if (error instanceof UsageError) return fail(io, error.message);
    if (error instanceof config.ConfigError) return fail(io, `Error: ${error.message}`);
    throw error;
  }
}

interface Call {
  readonly given: Arguments;
  readonly words: readonly string[];
  readonly io: ProcessIO;
  readonly config: typeof Config;
  readonly options: Config.LoadSettingsOptions;
}
type Action = (call: Call) => Promise<number>;

async function list({ given, words, io, config, options }: Call): Promise<number> {
  takes(words, 0, "list");
  const { values, idle, warnings } = await config.inspect(options);
  if (given.has("json")) {
    const shown = values.map((each) => (isSecret(each) ? { ...each, value: null, hidden: true } : each));
    await io.write(`${JSON.stringify({ values: shown, idle, warnings }, null, 2)}\n`);
    return 0;
  }
  for (const { text } of warnings) io.error(`Warning: ${text}`);
  const short = shortenFrom(options.cwd, options.home);
  const rows = values.map((each) => ({
    key: each.key,
    value: isSecret(each) ? hidden : shownValue(each.value, 60),
    place: each.from.map((origin) => placeText(origin, short)).join(", "),
    note: idle.some(({ key }) => key === each.key) ? "  (no effect in this version)" : "",
  }));
  const width = (pick: (row: (typeof rows)[number]) => string) => Math.max(0, ...rows.map((row) => pick(row).length));
  const [keys, texts] = [width(({ key }) => key), width(({ value }) => value)];
  const lines = rows.map(
    ({ key, value, place, note }) => `${key.padEnd(keys)}  ${value.padEnd(texts)}  ${place}${note}`,
  );
  await io.write(`${(lines.length > 0 ? lines : ["Nothing is set"]).join("\n")}\n`);
  return 0;
}

async function get({ given, words, io, config, options }: Call): Promise<number> {
  takes(words, 1, "get <key>");
  const key = words[0]!;
  const snapshot = config.load(options);
  const value = config.valueAt(snapshot.settings, config.keyPath(key)?.path ?? key.split("."));
  if (value === undefined) return fail(io, notSet(key, config));
  const plain = typeof value === "string" && !given.has("json");
  await io.write(`${plain ? value : JSON.stringify(value, null, given.has("json") ? 2 : undefined)}\n`);
  return 0;
}

async function set({ given, words, io, config, options }: Call): Promise<number> {
  takes(words, 2, "set <key> <value>");
  const [key, value] = words as [string, string];
  const scope = (given.text("scope") ?? "user") as "user" | "project" | "local";
  // Only where the files are; a file that is to be mended with this very command must not stop it.
  const places = config.load({ ...options, flags: { settingSources: [] } });
  const done = await config.setValue({ key, value, scope }, places);
  if (!done.ok) {
    const names = config.keyPath(key) === undefined ? config.KEYS.map((each) => each.key) : [];
    return fail(io, `error: ${done.problem}${hint(key, names)}`);
  }
  const short = shortenFrom(places.cwd, places.home);
  await io.write(`${key} = ${isSecret({ key }) ? hidden : shownValue(done.value, 200)} in ${short(done.file)}\n`);
  if (done.note !== undefined) io.error(`Warning: ${done.note}`);
  if (done.known.means === undefined) io.error(`Note: ${done.known.key} has no effect in this version`);
  else await sayWhenShadowed(done, config, options, io);
  return 0;
}

/** A value that was written and does not count would otherwise look like a bug. */
async function sayWhenShadowed(
  { file, path, value }: { file: string; path: readonly string[]; value: unknown },
  config: Call["config"],
  options: Config.LoadSettingsOptions,
  io: ProcessIO,
): Promise<void> {
  const { values, warnings } = await config.inspect(options);
  const key = path.join(".");
  const effective = values.find((each) => each.key === key);
  if (Array.isArray(value) ? effective?.from.some((from) => from.file === file) : effective?.from[0]?.file === file)
    return;
  for (const { text } of warnings) if (text.startsWith(file)) io.error(`Warning: ${text}`);
  const above = effective?.from[0];
  if (above) io.error(`Note: ${placeText(above, shortenFrom(options.cwd, options.home))} says otherwise and wins`);
}

async function path({ given, words, io, config, options }: Call): Promise<number> {
  takes(words, 0, "path");
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
async function resolve({ words, io, config, options }: Call): Promise<number> {
  takes(words, 0, "resolve");
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

function takes(words: readonly string[], count: number, usage: string): void {
  if (words.length !== count) throw new UsageError(`error: usage: keelson config ${usage}`);
}

function notSet(key: string, { keyPath, KEYS }: Call["config"]): string {
  if (keyPath(key) !== undefined) return `${key} is not set`;
  return `${key} is not set, and is no known key${hint(
    key,
    KEYS.map((each) => each.key),
  )}`;
}

const unknown = (what: string, word: string, known: readonly string[]) =>
  `error: unknown ${what}${hint(word, known) || `. Commands are ${known.join(", ")}`}`;

function hint(word: string, known: readonly string[]): string {
  const close = nearest(word, known);
  return close === undefined ? "" : `\n(Did you mean ${close}?)`;
}

function fail(io: ProcessIO, message: string): number {
  io.error(message);
  return 1;
}
