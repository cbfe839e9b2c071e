// /agents: the agents that can be started, and where each comes from.

import { expectNoArguments, points, type RunCommand } from "../command.ts";

export const agentsCommand: RunCommand = (args, { targets: { agents } }) => {
  expectNoArguments("agents", args);
  const all = agents();
  if (all.length === 0) return "No agents";
  const lines = all.map(({ name, description, source, model, untrusted }) => {
    const facts = [source, ...(model === undefined ? [] : [model]), ...(untrusted ? ["not trusted"] : [])];
    return `${name} (${facts.join(", ")}): ${description}`;
  });
  return `Agents:\n\n${points(lines)}`;
};
