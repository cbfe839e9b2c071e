// Runs at a terminal, without `-p`: asks whether to trust the folder. There is nothing after that yet.

import { ConfigError, load } from "@keelson/config";
import type { Arguments } from "./args/args.ts";
import { toFlags } from "./args/invocation.ts";
import { loadOptions, printError, type ProcessIO } from "./process-io.ts";
import { shellWord } from "./commands/permissions/words.ts";
import { askTrust } from "./trust-question.ts";

/** Returns the exit code. */
export async function beInteractive(given: Arguments, io: ProcessIO): Promise<number> {
  try {
    if (!(await askTrust(load(loadOptions(io, toFlags(given, io.cwd))), io))) return 1;
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    throw error;
  }
  const { prompt = "What does this project do?" } = given;
  return printError(io, `there is no interactive mode yet; pass the prompt with -p: keelson -p ${shellWord(prompt)}`);
}
