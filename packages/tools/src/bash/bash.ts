// Bash: runs one command. The host provides the shell, enforces the timeout, and kills processes.

import type { Tool } from "@keelson/engine";
import description from "./bash.md" with { type: "text" };
import { commandTool, type BashInput, type BashOutput } from "./command-tool.ts";

export interface BashOptions {
  /** Whether a command may run in parallel with others. Defaults to the engine's check. */
  readonly parallelSafe?: (command: string) => boolean | Promise<boolean>;
  /** Whether commands may run in the background. Defaults to true. */
  readonly background?: boolean;
}

export function bashTool({ parallelSafe = isParallelSafe, background = true }: BashOptions = {}): Tool<
  BashInput,
  BashOutput
> {
  return commandTool({ kind: { tool: "Bash" }, description, background, parallelSafe });
}

async function isParallelSafe(command: string): Promise<boolean> {
  // The shell parser, 18 ms unbundled, is not needed before the first command.
  const { isParallelSafeCommand } = await import("@keelson/engine/command");
  return isParallelSafeCommand(command);
}
