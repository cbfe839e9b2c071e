// keelson agents validate: one line for each problem in the files of agents, with file, line and fix.

import { resolve } from "node:path";
import { agentText, checkAgentsAt, type AgentSet } from "@keelson/config/agents";
import type { AgentDefinition, AgentProblem } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import { countOf, reportProblems } from "../checked-files.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { findAgents } from "./open.ts";

export async function validateAgents(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [path, ...more] = words;
  if (more.length > 0) throw new UsageError("usage: keelson agents validate [path] [--strict] [--json]");
  const cwd = resolve(io.cwd, given.text("cwd") ?? ".");
  const checked = path === undefined ? allOf((await findAgents(call)).set) : checkAgentsAt(resolve(cwd, path));
  if (checked === undefined) return printError(io, `no file or folder "${visible(path!)}"`);

  const { agents } = checked;
  if (path !== undefined && agents.length === 0 && checked.problems.length === 0) {
    return printError(io, `no agents in "${visible(path)}"; name a Markdown file, or a folder with agents/`);
  }
  const ofTexts = await Promise.all(agents.map(textProblems));
  const problems = [...checked.problems.filter(({ kind }) => kind !== "off"), ...ofTexts.flat()];
  return reportProblems(call, { files: agents.length, counted: countOf(agents.length, "agent"), problems, cwd });
}

const allOf = (set: AgentSet) => ({ agents: set.list(), problems: set.problems });

const LONGEST_DESCRIPTION = 1_536;

/** Problems that only matter to people who check their files. */
async function textProblems(agent: AgentDefinition): Promise<readonly AgentProblem[]> {
  const { file, description, tools } = agent;
  if (file === undefined) return [];
  const problem = (why: string): AgentProblem => ({ file, line: 1, kind: "odd", why });
  let text: string;
  try {
    text = await agentText(agent);
  } catch (error) {
    return [{ file, kind: "unused", why: (error as Error).message }];
  }
  return [
    ...(description.length > LONGEST_DESCRIPTION
      ? [problem(`the description is longer than ${LONGEST_DESCRIPTION} characters, so the list cuts it; shorten it`)]
      : []),
    ...(tools?.length === 0 ? [problem("`tools` is empty, so it has no tools; name some, or remove the field")] : []),
    ...(text.trim() === "" ? [problem("it has no text below the frontmatter; add instructions")] : []),
  ];
}
