// Bash: runs one command. The host provides the shell, enforces the timeout, and kills processes.

import type { Tool } from "@keelson/engine";
import description from "./bash.md" with { type: "text" };
import type * as Guidance from "./git-guidance.ts";
import { commandTool, type BashInput, type BashOutput } from "./command-tool.ts";

export interface BashOptions {
  /** Whether a command may run in parallel with others. Defaults to the engine's check. */
  readonly parallelSafe?: (command: string) => boolean | Promise<boolean>;
  /** Whether commands may run in the background. Defaults to true. */
  readonly background?: boolean;
  /** What the model is told about commits and pull requests; false: nothing. */
  readonly git?: GitGuidance | false;
}

export interface GitGuidance {
  /** The text that ends commit messages. */
  readonly commit?: string;
  /** The text that ends the description of pull requests. */
  readonly pr?: string;
}

export function bashTool({ parallelSafe = isParallelSafe, background = true, git = {} }: BashOptions = {}): Tool<
  BashInput,
  BashOutput
> {
  return commandTool({ kind: { tool: "Bash" }, description: describe(git), background, parallelSafe });
}

/** Most settings change nothing about it. */
function describe(git: GitGuidance | false): string {
  if (git !== false && !git.commit && !git.pr) return description;
  return (require("./git-guidance.ts") as typeof Guidance).withGuidance(description, git);
}

/** For those who are not there to commit. */
export function withoutGitGuidance<T extends Pick<Tool, "description">>(bash: T): T {
  const { withGuidance } = require("./git-guidance.ts") as typeof Guidance;
  return { ...bash, description: withGuidance(bash.description, false) };
}

async function isParallelSafe(command: string): Promise<boolean> {
  // The shell parser, 18 ms unbundled, is not needed before the first command.
  const { isParallelSafeCommand } = await import("@keelson/engine/command");
  return isParallelSafeCommand(command);
}
