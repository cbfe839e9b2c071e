// The built-in slash commands: one row each, for every front end. Only names and descriptions are loaded with a session;
// the command itself is loaded when it is typed.

import type { Snapshot } from "@keelson/config";
import type { ListedCommand } from "@keelson/protocol";
import { mayCompact } from "../compaction/compaction-port.ts";
import type { RunCommand } from "./command.ts";

export interface BuiltInCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly argumentHint?: string;
  load(): Promise<RunCommand>;
}

const COMMANDS: readonly BuiltInCommand[] = [
  {
    name: "add-dir",
    description: "Add a working directory",
    argumentHint: "<path>",
    load: async () => (await import("./change/add-dir.ts")).addDirCommand,
  },
  {
    name: "agents",
    aliases: ["list-agents"],
    description: "List the agents",
    load: async () => (await import("./show/agents.ts")).agentsCommand,
  },
  {
    name: "cd",
    description: "Work in another folder",
    argumentHint: "[path]",
    load: async () => (await import("./change/cd.ts")).cdCommand,
  },
  {
    name: "clear",
    aliases: ["reset", "new"],
    description: "Start a new conversation",
    load: async () => (await import("./change/clear.ts")).clearCommand,
  },
  {
    name: "compact",
    description: "Replace the conversation so far with a summary",
    argumentHint: "[what to keep]",
    load: async () => (await import("./change/compact.ts")).compactCommand,
  },
  {
    name: "config",
    description: "Show settings, or change a preference",
    argumentHint: "[key [value]]",
    load: async () => (await import("./change/config.ts")).configCommand,
  },
  {
    name: "context",
    description: "Show what fills the context window",
    load: async () => (await import("./show/context.ts")).contextCommand,
  },
  {
    name: "effort",
    description: "Show or set how much effort the model spends",
    argumentHint: "[level]",
    load: async () => (await import("./change/model.ts")).effortCommand,
  },
  {
    name: "export",
    description: "Print the conversation as Markdown, or write it to a file",
    argumentHint: "[file]",
    load: async () => (await import("./change/export.ts")).exportCommand,
  },
  {
    name: "goal",
    description: "Work until something holds",
    argumentHint: "[condition|clear]",
    load: async () => (await import("./change/goal.ts")).goalCommand,
  },
  { name: "help", description: "List the commands", load: async () => (await import("./show/help.ts")).helpCommand },
  { name: "hooks", description: "List the hooks", load: async () => (await import("./show/hooks.ts")).hooksCommand },
  {
    name: "mcp",
    description: "List MCP servers, or reconnect, enable or disable one",
    argumentHint: "[action server]",
    load: async () => (await import("./change/mcp.ts")).mcpCommand,
  },
  {
    name: "memory",
    description: "List the instruction files in the conversation",
    load: async () => (await import("./show/memory.ts")).memoryCommand,
  },
  {
    name: "model",
    description: "Show or switch the model",
    argumentHint: "[model]",
    load: async () => (await import("./change/model.ts")).modelCommand,
  },
  {
    name: "permissions",
    aliases: ["allowed-tools"],
    description: "List the permission rules",
    load: async () => (await import("./show/permissions.ts")).permissionsCommand,
  },
  {
    name: "plan",
    description: "Switch to plan mode",
    load: async () => (await import("./change/plan.ts")).planCommand,
  },
  {
    name: "reload-plugins",
    description: "Reload plugins",
    load: async () => (await import("./change/reload.ts")).reloadPluginsCommand,
  },
  {
    name: "reload-skills",
    description: "Reload skills and commands",
    load: async () => (await import("./change/reload.ts")).reloadSkillsCommand,
  },
  {
    name: "rename",
    description: "Name the session",
    argumentHint: "<name>",
    load: async () => (await import("./change/rename.ts")).renameCommand,
  },
  {
    name: "skills",
    description: "List the skills",
    load: async () => (await import("./change/reload.ts")).skillsCommand,
  },
  {
    name: "status",
    description: "Show version, session, model and settings files",
    load: async () => (await import("./show/status.ts")).statusCommand,
  },
  {
    name: "usage",
    aliases: ["cost", "stats"],
    description: "Show the cost and usage of this session",
    load: async () => (await import("./show/usage.ts")).usageCommand,
  },
];

export function builtInCommands(): readonly ListedCommand[] {
  return COMMANDS.map(({ name, description, argumentHint = "", aliases }) => ({
    name,
    description,
    argumentHint,
    ...(aliases ? { aliases } : {}),
    builtin: true,
  }));
}

/** All commands of a session, for lists. `others` are skills and prompts of servers; they replace built-in commands. */
export function sessionCommands(snapshot: Snapshot, others: readonly ListedCommand[]): readonly ListedCommand[] {
  if (snapshot.flags.disableSlashCommands) return [];
  const replaced = new Set(others.map(({ name }) => name));
  const own = builtInCommands().filter(({ name }) => isUsable(name, replaced, snapshot));
  return [...others, ...own.map((command) => withoutAliases(command, replaced))];
}

function withoutAliases({ aliases, ...command }: ListedCommand, replaced: ReadonlySet<string>): ListedCommand {
  const left = aliases?.filter((alias) => !replaced.has(alias)) ?? [];
  return left.length === 0 ? command : { ...command, aliases: left };
}

/** The same as names alone. */
export function sessionCommandNames(snapshot: Snapshot, others: readonly string[]): readonly string[] {
  if (snapshot.flags.disableSlashCommands) return [];
  const replaced = new Set(others);
  const builtIn = COMMANDS.map(({ name }) => name).filter((name) => isUsable(name, replaced, snapshot));
  return [...others, ...builtIn];
}

const isUsable = (name: string, replaced: ReadonlySet<string>, snapshot: Snapshot) =>
  !replaced.has(name) && (name !== "compact" || mayCompact(snapshot));

const BY_NAME: ReadonlyMap<string, BuiltInCommand> = new Map(
  COMMANDS.flatMap((each) => [each.name, ...(each.aliases ?? [])].map((name) => [name, each] as const)),
);

/** Aliases too. */
export const builtInNames: ReadonlySetLike<string> = BY_NAME;

/** How a person types what is called like a built-in command and does not replace it. */
export const besideBuiltIn = (name: string): string => `project:${name}`;

/** By name or alias. */
export function findBuiltInCommand(name: string): BuiltInCommand | undefined {
  return BY_NAME.get(name);
}
