// The one place that knows the sandbox library. It keeps its state in the module, so a process has one sandbox; its
// proxy runs in our event loop, so nothing here may block.

import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";

export interface SandboxLibrary {
  /** What is missing on this machine, in words; empty when nothing is. */
  missing(ripgrep: string | undefined): Promise<readonly string[]>;
  start(config: SandboxRuntimeConfig): Promise<void>;
  /** The argv that runs `script` with `shell` inside. `config` holds for this command alone. */
  wrap(command: SandboxedCommand): Promise<string[]>;
  /** What it stopped the command from doing, one line each; ends the command's part in the sandbox. */
  finish(id: string): readonly string[];
  stop(): Promise<void>;
}

export interface SandboxedCommand {
  readonly script: string;
  readonly shell: string;
  /** Random; names the command in what is reported. */
  readonly id: string;
  /** As the user wrote it. */
  readonly command: string;
  readonly config: SandboxRuntimeConfig;
}

/** About 150 ms to load the first time. */
export async function loadSandboxLibrary(): Promise<SandboxLibrary> {
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
  return {
    async missing(ripgrep) {
      if (!manager.isSupportedPlatform()) return [`there is no sandbox for ${process.platform}`];
      const { errors } = await manager.checkDependenciesAsync(ripgrep ? { command: ripgrep } : undefined);
      return errors;
    },
    start: (config) => manager.initialize(config),
    async wrap({ script, shell, id, command, config }) {
      const options = { commandId: id, commandText: command };
      const { argv } = await manager.wrapWithSandboxArgv(script, shell, config, undefined, undefined, options);
      return argv;
    },
    finish(id) {
      const lines = manager.getSandboxViolationStore().getViolationsForCommand(id);
      manager.cleanupAfterCommand();
      return [...new Set(lines.map(({ line }) => line))];
    },
    stop: () => manager.reset(),
  };
}
