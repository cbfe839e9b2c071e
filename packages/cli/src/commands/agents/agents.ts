// keelson agents: shows, checks and creates agents, and shows what they did.

import type { ProcessIO } from "../../process/process-io.ts";
import { runGroup, type Invoked } from "../group.ts";
import { AGENTS_FLAGS, AGENTS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson agents <command> [options]

Show, check and create agents: separate runs with their own instructions, tools and model.

Commands:
  list             List the agents of this folder, and why some are not used
  show <name>      Show one with its text
  validate [path]  Check the files: one line for each problem; exit code 1 if one does not load
  new <name>       Create an agent to start from
  runs [session]   Show the agents that ran in a session (default: the most recent one)

Examples:
  keelson agents list
  keelson agents show Explore
  keelson agents validate .claude/agents --strict
  keelson agents new reviewer --user
  keelson -p --agent reviewer "Review the last commit"
`;

/** One row for each subcommand, loaded when it is called. */
const COMMANDS: Readonly<Record<string, (call: Invoked) => Promise<number>>> = {
  list: async (call) => (await import("./list.ts")).listAgents(call),
  show: async (call) => (await import("./show.ts")).showAgent(call),
  validate: async (call) => (await import("./validate.ts")).validateAgents(call),
  new: async (call) => (await import("./new.ts")).newAgent(call),
  runs: async (call) => (await import("./runs.ts")).showAgentRuns(call),
};

/** Runs one of the commands and returns the exit code. */
export async function runAgents(argv: readonly string[], io: ProcessIO): Promise<number> {
  const group = { name: "agents", usage: USAGE, flags: AGENTS_FLAGS, own: AGENTS_OWN_FLAGS, commands: COMMANDS };
  return runGroup(group, argv, io);
}
