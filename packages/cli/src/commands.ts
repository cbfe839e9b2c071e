// The words that are commands when they come first; anything else is a prompt. Each is loaded when it is called.

import type { World } from "./world.ts";

export interface Command {
  readonly name: string;
  readonly help: string;
  load(): Promise<{ run(argv: readonly string[], world: World): Promise<number> }>;
}

export const COMMANDS: readonly Command[] = [
  {
    name: "config",
    help: "Show and change settings, and say where each comes from",
    load: () => import("./commands/config/config.ts"),
  },
  {
    name: "permissions",
    help: "Explain what the rules say about a call, and why",
    load: () => import("./commands/permissions/permissions.ts"),
  },
  {
    name: "instructions",
    help: "Show what files like CLAUDE.md tell the agent, in order and size",
    load: () => import("./commands/instructions/instructions.ts"),
  },
  {
    name: "hooks",
    help: "List hooks, try them on an event, see what they did in a session",
    load: () => import("./commands/hooks/hooks.ts"),
  },
  {
    name: "doctor",
    help: "Check the installation and the settings",
    load: () => import("./commands/doctor/doctor.ts"),
  },
];

export function commandIn([first]: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name === first);
}

/** `keelson help` and `keelson help config`; with anything else after it, help is the first word of a prompt. */
export function helpAsked(argv: readonly string[]): { readonly command?: Command | undefined } | undefined {
  if (argv[0] !== "help" || argv.length > 2) return undefined;
  if (argv.length === 1) return {};
  const command = commandIn(argv.slice(1));
  return command && { command };
}
