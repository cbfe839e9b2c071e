// Temporary folders with agents, and the set that a session would get there.

import type { AgentProblem } from "@keelson/protocol";
import { skillWorld, type SkillWorld, type SnapshotOptions } from "../skills/world.test-support.ts";
import type { AgentOptions, AgentSet } from "./agent-set.ts";
import { openAgentSet } from "./open-set.ts";

export interface AgentWorld extends SkillWorld {
  /** An agent file with this name and description; more lines of frontmatter may follow. */
  agent(file: string, name: string, description?: string, more?: string): string;
  agents(options?: AgentOptions & SnapshotOptions): AgentSet;
}

/** With `home`, `project` (a repository) and `managed` inside. */
export function agentWorld(): AgentWorld {
  const world = skillWorld();
  return {
    ...world,
    agent: (file, name, description = `Does ${name}`, more = "") =>
      world.put(file, `---\nname: ${name}\ndescription: ${description}\n${more}---\nText of ${file}\n`),
    agents({ cwd, flags, env, plugins, ...options } = {}) {
      return openAgentSet(world.snapshot({ cwd, flags, env, plugins }), options);
    },
    [Symbol.dispose]: () => world[Symbol.dispose](),
  };
}

/** `kind path:line why`, with paths relative to the root. */
export const agentProblems = ({ root }: AgentWorld, problems: readonly AgentProblem[]) =>
  problems.map(({ kind, file, line, why }) =>
    `${kind} ${file}${line === undefined ? "" : `:${line}`} ${why}`.replaceAll(`${root}/`, ""),
  );
