// What a command without subcommands does first: reads its arguments, and answers mistakes and --help.

import { parseArguments, type Arguments } from "../args/args.ts";
import type { Flag } from "../args/flags.ts";
import { asPrompt } from "../args/nearest.ts";
import { printError, type ProcessIO } from "../process/process-io.ts";

export interface SingleCommand {
  readonly name: string;
  readonly flags: readonly Flag[];
  /** For --help. */
  readonly usage: string;
  /** One line, for mistakes. */
  readonly synopsis: string;
  /** How many words it takes. */
  readonly words: number;
}

/** The exit code, if there is nothing left to do. */
export async function readSingleCommand(
  { name, flags, usage, synopsis, words }: SingleCommand,
  argv: readonly string[],
  io: ProcessIO,
): Promise<Arguments | number> {
  const parsed = parseArguments(argv, flags);
  if (!parsed.ok) return printError(io, parsed.error);
  const given = parsed.arguments;
  if (given.has("help")) {
    await io.write(usage);
    return 0;
  }
  if (given.words.length > words) return printError(io, `${synopsis}\n${asPrompt([name, ...given.words])}`);
  return given;
}
