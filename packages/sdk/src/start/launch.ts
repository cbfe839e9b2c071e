// Starts the program from options.

import { toArguments } from "../options/arguments.ts";
import { toEnvironment } from "../options/environment.ts";
import type { Options } from "../options/options.ts";
import type { Launch } from "../process/child.ts";
import { findCommand } from "../process/program.ts";
import { spawnProgram } from "../process/spawn.ts";

export interface LaunchChanges {
  /** Flags that replace those from the options. */
  readonly args?: readonly string[];
  /** Variables that override those from the options. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the program. Throws CLINotFoundError, or whatever the caller's own spawn function throws. */
export function launch(options: Options, changes: LaunchChanges = {}): Launch {
  const { command, args: first } = findCommand(options);
  const { cwd, spawnClaudeCodeProcess = spawnProgram } = options;
  const force = new AbortController();
  const process = spawnClaudeCodeProcess({
    command,
    args: [...first, ...(changes.args ?? toArguments(options))],
    env: { ...toEnvironment(options), ...changes.env },
    signal: force.signal,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { process, command, cwd, force };
}
