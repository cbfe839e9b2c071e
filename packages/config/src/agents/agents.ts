// Entry point for agents. Sessions use `@keelson/config/agent-set`, which loads this only if there are any.

export type { AgentOptions, AgentSet, AgentSettings } from "./agent-set.ts";
export { agentText } from "./agent-text.ts";
export { loadAgents } from "./load-agents.ts";

import type { checkAgentsAt as CheckAgentsAt } from "./check-path.ts";

/** Loaded late: only `keelson agents validate` checks other paths. */
export const checkAgentsAt: typeof CheckAgentsAt = (path) =>
  (require("./check-path.ts") as { checkAgentsAt: typeof CheckAgentsAt }).checkAgentsAt(path);
