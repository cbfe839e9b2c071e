// A command with commands of its own (`keelson hooks list`): reads the arguments, shows the page, runs the one asked for.

import { resolve } from "node:path";
import type { Snapshot } from "@keelson/config";
import { parseArguments, spelling, type Arguments } from "../args/args.ts";
import type { Flag } from "../args/flags.ts";
import { toFlags, UsageError } from "../args/invocation.ts";
import { loadOptions, type ProcessIO } from "../process-io.ts";

export interface CommandGroup {
  readonly name: string;
  readonly usage: string;
  readonly flags: readonly Flag[];
  /** Those of them that only this group knows. */
  readonly own: readonly Flag[];
  readonly commands: Readonly<Record<string, (call: Invoked) => Promise<number>>>;
}

export interface Invoked {
  readonly given: Arguments;
  /** What follows the command's name. */
  readonly words: readonly string[];
  readonly io: ProcessIO;
}

/** Runs one command of a group and returns the exit code. */
export async function runGroup(group: CommandGroup, argv: readonly string[], io: ProcessIO): Promise<number> {
  const parsed = parseArguments(argv, group.flags);
  if (!parsed.ok) return printError(io, parsed.error);
  const given = parsed.arguments;
  const [name, ...words] = given.words;
  if (name === undefined || given.has("help")) {
    await io.write(help(group));
    return 0;
  }
  const { ConfigError } = await import("@keelson/config");
  try {
    const command = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
    if (!command) throw new UsageError(`error: unknown command '${group.name} ${name}'. ${known(group)}`);
    return await command({ given, words, io });
  } catch (error) {
    if (error instanceof UsageError) return printError(io, error.message);
    if (error instanceof ConfigError) return printError(io, `Error: ${error.message}`);
    throw error;
  }
}

/** The settings as a session would see them, in this folder or the one `--cwd` names. */
export async function snapshotFor({ given, io }: Invoked): Promise<Snapshot> {
  const { load } = await import("@keelson/config");
  const cwd = resolve(io.cwd, given.text("cwd") ?? ".");
  return load(loadOptions({ ...io, cwd }, toFlags(given, cwd)));
}

export function printError(io: ProcessIO, message: string): number {
  io.error(message);
  return 1;
}

function known({ commands }: CommandGroup): string {
  const names = Object.keys(commands);
  return `Commands are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function help({ usage, flags, own }: CommandGroup): string {
  const width = Math.max(...own.map((flag) => spelling(flag).length));
  const lines = own.map((flag) => `  ${spelling(flag).padEnd(width)}  ${flag.help}`);
  const shared = flags.filter((flag) => !own.includes(flag)).map(({ name }) => `--${name}`);
  return `${usage}\nOptions:\n${lines.join("\n")}\n\nAs in the program itself: ${shared.join(", ")}\n`;
}
