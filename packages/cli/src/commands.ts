// The words that are commands when they come first; anything else is a prompt. Each is loaded when it is called.

import type { ProcessIO } from "./process-io.ts";

export interface ProgramCommand {
  readonly name: string;
  readonly help: string;
  /** Returns the exit code. */
  run(argv: readonly string[], io: ProcessIO): Promise<number>;
}

export const COMMANDS: readonly ProgramCommand[] = [
  {
    name: "config",
    help: "Show and change settings, and say where each comes from",
    run: async (argv, io) => (await import("./commands/config/config.ts")).runConfig(argv, io),
  },
  {
    name: "permissions",
    help: "Explain what the rules say about a call, and why",
    run: async (argv, io) => (await import("./commands/permissions/permissions.ts")).runPermissions(argv, io),
  },
  {
    name: "instructions",
    help: "Show what files like CLAUDE.md tell the agent, in order and size",
    run: async (argv, io) => (await import("./commands/instructions/instructions.ts")).runInstructions(argv, io),
  },
  {
    name: "hooks",
    help: "List hooks, try them on an event, see what they did in a session",
    run: async (argv, io) => (await import("./commands/hooks/hooks.ts")).runHooks(argv, io),
  },
  {
    name: "doctor",
    help: "Check the installation and the settings",
    run: async (argv, io) => (await import("./commands/doctor/doctor.ts")).runDoctor(argv, io),
  },
];

export function commandIn([first]: readonly string[]): ProgramCommand | undefined {
  return COMMANDS.find(({ name }) => name === first);
}

/** `keelson help` and `keelson help config`; with anything else after it, help is the first word of a prompt. */
export function helpAsked(argv: readonly string[]): { readonly command?: ProgramCommand | undefined } | undefined {
  if (argv[0] !== "help" || argv.length > 2) return undefined;
  if (argv.length === 1) return {};
  const command = commandIn(argv.slice(1));
  return command && { command };
}
