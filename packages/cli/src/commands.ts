// The commands: a first argument that is none of these is a prompt. Each is loaded when it is called.

import type { ProcessIO } from "./process/process-io.ts";

export interface ProgramCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly help: string;
  /** Returns the exit code. */
  run(argv: readonly string[], io: ProcessIO): Promise<number>;
}

export const COMMANDS: readonly ProgramCommand[] = [
  {
    name: "config",
    help: "Show and change settings",
    run: async (argv, io) => (await import("./commands/config/config.ts")).runConfig(argv, io),
  },
  {
    name: "trust",
    help: "Trust a folder, so that all of its settings apply",
    run: async (argv, io) => (await import("./commands/trust/trust.ts")).runTrust(argv, io),
  },
  {
    name: "permissions",
    help: "Explain, test and list permission rules",
    run: async (argv, io) => (await import("./commands/permissions/permissions.ts")).runPermissions(argv, io),
  },
  {
    name: "instructions",
    help: "Show which instruction files (CLAUDE.md) the model reads",
    run: async (argv, io) => (await import("./commands/instructions/instructions.ts")).runInstructions(argv, io),
  },
  {
    name: "skills",
    help: "List, show, check and create skills and slash commands",
    run: async (argv, io) => (await import("./commands/skills/skills.ts")).runSkills(argv, io),
  },
  {
    name: "agents",
    help: "List, show, check and create agents",
    run: async (argv, io) => (await import("./commands/agents/agents.ts")).runAgents(argv, io),
  },
  {
    name: "hooks",
    help: "List, test and trace hooks",
    run: async (argv, io) => (await import("./commands/hooks/hooks.ts")).runHooks(argv, io),
  },
  {
    name: "mcp",
    help: "Add, list, test and remove MCP servers; offer the built-in tools to others",
    run: async (argv, io) => (await import("./commands/mcp/mcp.ts")).runMcp(argv, io),
  },
  {
    name: "acp",
    help: "Serve an editor by the Agent Client Protocol",
    run: async (argv, io) => (await import("./commands/acp/acp.ts")).runAcp(argv, io),
  },
  {
    name: "web",
    help: "Serve a page in the browser with all sessions",
    run: async (argv, io) => (await import("./commands/web/web.ts")).runWeb(argv, io),
  },
  {
    name: "serve",
    help: "Serve routines: prompts on a schedule, by HTTP, or by events on GitHub",
    run: async (argv, io) => (await import("./commands/serve/serve.ts")).runServe(argv, io),
  },
  {
    name: "routines",
    help: "List, create, run, export and import routines of a server",
    run: async (argv, io) => (await import("./commands/routines/routines.ts")).runRoutines(argv, io),
  },
  {
    name: "models",
    help: "List the models that can be used, with their limits and prices",
    run: async (argv, io) => (await import("./commands/models/models.ts")).runModels(argv, io),
  },
  {
    name: "auth",
    help: "Store, show and remove the keys of model providers",
    run: async (argv, io) => (await import("./commands/auth/auth.ts")).runAuth(argv, io),
  },
  {
    name: "plugin",
    aliases: ["plugins"],
    help: "Install, list, check and remove plugins and marketplaces",
    run: async (argv, io) => (await import("./commands/plugin/plugin.ts")).runPlugin(argv, io),
  },
  {
    name: "sessions",
    aliases: ["session"],
    help: "List, show, rename and delete sessions",
    run: async (argv, io) => (await import("./commands/sessions/sessions.ts")).runSessions(argv, io),
  },
  {
    name: "export",
    help: "Write a session as Markdown, HTML or JSON",
    run: async (argv, io) => (await import("./commands/export/export.ts")).runExport(argv, io),
  },
  {
    name: "trace",
    help: "Write a session as a timeline for Perfetto",
    run: async (argv, io) => (await import("./commands/trace/trace.ts")).runTrace(argv, io),
  },
  {
    name: "doctor",
    help: "Check the installation and the settings",
    run: async (argv, io) => (await import("./commands/doctor/doctor.ts")).runDoctor(argv, io),
  },
];

export function commandIn([first]: readonly string[]): ProgramCommand | undefined {
  return COMMANDS.find(({ name, aliases }) => first !== undefined && (name === first || aliases?.includes(first)));
}

/** `keelson help` and `keelson help config`; `keelson help me with this` is a prompt. */
export function helpAsked(argv: readonly string[]): { readonly command?: ProgramCommand | undefined } | undefined {
  if (argv[0] !== "help" || argv.length > 2) return undefined;
  if (argv.length === 1) return {};
  const command = commandIn(argv.slice(1));
  return command && { command };
}
