// A command with subcommands (`keelson hooks list`): parses the arguments, shows the help, runs the subcommand.

import { resolve } from "node:path";
import type { Snapshot } from "@keelson/config";
import { parseArguments, spelling, type Arguments } from "../args/args.ts";
import type { Flag } from "../args/flags.ts";
import { toFlags, UsageError } from "../args/invocation.ts";
import { asPrompt, eitherOf, nearest } from "../args/nearest.ts";
import { loadOptions, printError, type ProcessIO } from "../process/process-io.ts";
import { sharedFlags } from "./group-flags.ts";

export interface CommandGroup {
  readonly name: string;
  readonly usage: string;
  readonly flags: readonly Flag[];
  /** The flags that only this group has. */
  readonly own: readonly Flag[];
  readonly commands: Readonly<Record<string, (call: Invoked) => Promise<number>>>;
}

export interface Invoked {
  readonly given: Arguments;
  /** The words after the name of the subcommand. */
  readonly words: readonly string[];
  readonly io: ProcessIO;
}

/** Runs one subcommand and returns the exit code. */
export async function runGroup(group: CommandGroup, argv: readonly string[], io: ProcessIO): Promise<number> {
  const parsed = parseArguments(argv, group.flags);
  if (!parsed.ok) return printError(io, parsed.error);
  const given = parsed.arguments;
  const [name, ...words] = given.words;
  if (name === undefined || given.has("help") || (name === "help" && words.length < 2)) {
    await io.write(help(group));
    return 0;
  }
  const { ConfigError } = await import("@keelson/config");
  try {
    const command = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
    if (!command) throw new UsageError(unknownSubcommand(group.name, Object.keys(group.commands), given.words));
    return await command({ given, words, io });
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    if (error instanceof UsageError) return printError(io, `${error.message}${promptHint(error, group, given.words)}`);
    throw error;
  }
}

/** The settings a session would get, in this folder or the one given with `--cwd`. */
export async function snapshotFor({ given, io }: Invoked): Promise<Snapshot> {
  const { load } = await import("@keelson/config");
  const cwd = resolve(io.cwd, given.text("cwd") ?? ".");
  return load(loadOptions({ ...io, cwd }, toFlags(given, cwd)));
}

/** What to say of words that begin with no subcommand of the group. */
export function unknownSubcommand(group: string, names: readonly string[], words: readonly string[]): string {
  const [name = ""] = words;
  const close = nearest(name, names, 2);
  const unknown = `unknown command "${group} ${name}"`;
  if (close === undefined) return `${unknown}; use ${eitherOf(names)}\n${asPrompt([group, ...words])}`;
  const hint = words.length > 1 ? `\n${asPrompt([group, ...words])}` : "";
  return `${unknown}; did you mean "${group} ${close}"?${hint}`;
}

/** `keelson config list the files` is probably a prompt. Other words are not repeated: one may be a key. */
function promptHint({ message }: UsageError, { name }: CommandGroup, words: readonly string[]): string {
  const isPrompt =
    message.startsWith("usage: ") && words.length > 2 && words.every((word) => /^[a-z]{1,15}$/i.test(word));
  return isPrompt ? `\n${asPrompt([name, ...words])}` : "";
}

function help({ usage, flags, own }: CommandGroup): string {
  const width = Math.max(...own.map((flag) => spelling(flag).length));
  const lines = own.map((flag) => `  ${spelling(flag).padEnd(width)}  ${flag.help}`);
  return `${[usage, "Options:", ...lines, "", sharedFlags(flags, own)].join("\n")}\n`;
}
