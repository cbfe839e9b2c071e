// The agents that come with Keelson. Loaded at every start, so it holds only what is listed; the texts are in texts.ts.

import type { AgentDefinition } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";

type Listed = Pick<AgentDefinition, "name" | "description"> &
  Partial<Omit<AgentDefinition, "name" | "description" | "source">>;

/** They look and report, with what that needs. */
const LOOKING = {
  tools: ["Bash", "Glob", "Grep", "LSP", "Read", "mcp__*"],
  omitsInstructions: true,
  oneShot: true,
} as const;

/** In the order in which they are listed. Descriptions are part of every request, so each is short. */
const BUILT_IN: readonly Listed[] = [
  {
    name: "claude",
    description: "Any task that no other agent fits. Give it the goal and what it needs to know",
  },
  {
    name: "Explore",
    description:
      "Finds things in a code base, fast and read-only: where something is defined, which files matter, how a part works. Say how thorough to be: quick, medium or very thorough",
    model: "haiku",
    ...LOOKING,
  },
  {
    name: "general-purpose",
    description:
      "Works on a task of several steps by itself: research a question, search where the first search may miss, or make a self-contained change",
  },
  {
    name: "Plan",
    description:
      "Designs how to implement a change before any code is written: reads the code and returns the steps, the files to change and the decisions to make",
    model: "inherit",
    ...LOOKING,
  },
  {
    name: "statusline-setup",
    description: "Sets up the user's status line: the statusLine setting and the script it runs",
    model: "sonnet",
    tools: ["Read", "Edit"],
  },
  {
    name: "Bash",
    description:
      "Runs shell commands and reports what matters of their output: builds, tests, git, anything that prints more than you need to read",
    tools: ["Bash"],
  },
];

/** Explore and Plan can be turned off. */
export function builtInAgents(env: Readonly<Record<string, string | undefined>>): readonly AgentDefinition[] {
  const withoutLooking = isVariableOn(env["CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS"]);
  return BUILT_IN.filter(({ name }) => !withoutLooking || (name !== "Explore" && name !== "Plan")).map((listed) => ({
    source: "built-in",
    disallowedTools: [],
    skills: [],
    mcpServers: [],
    hooks: [],
    ...listed,
  }));
}

/** These and the built-in ones. A folder that is not trusted takes no name that comes with Keelson. */
export function withBuiltIn(
  own: readonly AgentDefinition[],
  builtIn: readonly AgentDefinition[],
): readonly AgentDefinition[] {
  const reserved = new Set(["fork", ...BUILT_IN.map(({ name }) => name)]);
  const kept: AgentDefinition[] = [];
  const names = new Set<string>();
  for (const agent of own) {
    if (agent.untrusted && reserved.has(agent.name)) continue;
    kept.push(agent);
    names.add(agent.name);
  }
  return [...kept, ...builtIn.filter(({ name }) => !names.has(name))];
}
