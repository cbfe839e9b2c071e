// Runs at a terminal, without `-p`: reads the settings, asks what has to be asked before anything runs, and hands a
// session to the terminal front end. The prompt is on the screen before the runtime is loaded.

import type { Snapshot } from "@keelson/config";
import type { Arguments } from "./args/args.ts";
import { toTerminalInvocation, type TerminalInvocation } from "./interactive/choice.ts";
import { loadOptions, printError, type ProcessIO } from "./process/process-io.ts";

/** Returns the exit code. Throws UsageError. */
export async function beInteractive(given: Arguments, io: ProcessIO): Promise<number> {
  const invocation = toTerminalInvocation(given, io.cwd);
  const { flags } = invocation;
  if (flags.pluginDirs === undefined) return atTerminal(invocation, io);
  const { withUnpackedPlugins } = await import("./plugin-archives.ts");
  return withUnpackedPlugins(flags, io, (unpacked) => atTerminal({ ...invocation, flags: unpacked }, io));
}

async function atTerminal(invocation: TerminalInvocation, io: ProcessIO): Promise<number> {
  // Side by side, because the front end takes as long to load as the settings.
  const frontEnd = Promise.all([import("@keelson/tui"), import("./interactive/run.ts")]);
  const { load, ConfigError } = await import("@keelson/config");
  let snapshot: Snapshot;
  try {
    snapshot = load({ ...loadOptions(io, invocation.flags), trustFromAbove: true, quick: true });
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    throw error;
  }
  const [tui, { runAtTerminal }] = await frontEnd;
  return runAtTerminal({ tui, snapshot, invocation, io });
}
