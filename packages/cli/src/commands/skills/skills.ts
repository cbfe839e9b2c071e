// keelson skills: shows, checks and creates skills and slash commands.

import type { ProcessIO } from "../../process/process-io.ts";
import { runGroup, type Invoked } from "../group.ts";
import { SKILLS_FLAGS, SKILLS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson skills <command> [options]

Show, check and create skills and slash commands.

Commands:
  list             List the skills and commands of this folder, what each costs in every request,
                   and why some are not used
  show <name>      Show one with its text
  validate [path]  Check the files: one line for each problem; exit code 1 if one does not load
  new <name>       Create a skill to start from

Examples:
  keelson skills list
  keelson skills list --for src/api/server.ts
  keelson skills show review
  keelson skills validate .claude/skills --strict
  keelson skills new tidy-up --user
`;

/** One row for each subcommand, loaded when it is called. */
const COMMANDS: Readonly<Record<string, (call: Invoked) => Promise<number>>> = {
  list: async (call) => (await import("./list.ts")).listSkills(call),
  show: async (call) => (await import("./show.ts")).showSkill(call),
  validate: async (call) => (await import("./validate.ts")).validateSkills(call),
  new: async (call) => (await import("./new.ts")).newSkill(call),
};

/** Runs one of the commands and returns the exit code. */
export async function runSkills(argv: readonly string[], io: ProcessIO): Promise<number> {
  const group = { name: "skills", usage: USAGE, flags: SKILLS_FLAGS, own: SKILLS_OWN_FLAGS, commands: COMMANDS };
  return runGroup(group, argv, io);
}
