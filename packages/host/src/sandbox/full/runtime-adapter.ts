// The only file that uses the sandbox library. The library has module state, so a process has one sandbox, and its proxy
// runs in our event loop, so nothing here may block.

import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { helperEnvironment } from "../../programs/registry/helpers.ts";

export interface SandboxLibrary {
  /** What this machine lacks, as text. */
  missing(ripgrep: string | undefined): Promise<readonly string[]>;
  start(config: SandboxRuntimeConfig): Promise<void>;
  /** The argv that runs `script` with `shell` in the sandbox. `config` applies only to this command. */
  wrap(command: SandboxedCommand): Promise<string[]>;
  /** Cleans up after the command and returns what was blocked, one line each. */
  finish(id: string): readonly string[];
  stop(): Promise<void>;
}

export interface SandboxedCommand {
  readonly script: string;
  readonly shell: string;
  /** A random id for the command's violations. */
  readonly id: string;
  /** The original command. */
  readonly command: string;
  readonly config: SandboxRuntimeConfig;
}

export async function loadSandboxLibrary(): Promise<SandboxLibrary> {
  // About 150 ms.
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
  return {
    async missing(ripgrep) {
      if (!manager.isSupportedPlatform()) return [`the sandbox does not support ${process.platform}`];
      const check = () => manager.checkDependenciesAsync(ripgrep ? { command: ripgrep } : undefined);
      return (await asHelper(check)).errors;
    },
    start: (config) => asHelper(() => manager.initialize(config)),
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

/** The library looks up programs by name, and runs them, before it has a configuration. They get the environment of helpers. */
async function asHelper<T>(work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  const own = helperEnvironment(before);
  const changed = Object.keys(before).filter((name) => !Object.hasOwn(own, name));
  for (const name of changed) delete process.env[name];
  process.env["PATH"] = own["PATH"];
  try {
    return await work();
  } finally {
    for (const name of [...changed, "PATH"])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  }
}
