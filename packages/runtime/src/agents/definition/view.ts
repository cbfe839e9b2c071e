// Entry point `@keelson/runtime/agents`: what a session would offer and tell the model, without opening one.

import type { Snapshot } from "@keelson/config";
import { agentListing, agentListingLimits, agentsLeft } from "@keelson/engine/agents";
import type { AgentDefinition } from "@keelson/protocol";
import { windowFor } from "../../model/window.ts";
import { builtInAgents, withBuiltIn } from "../built-in/built-in.ts";

export { toolsInWords } from "@keelson/engine/agents";
export { findAgentRuns, type AgentRun, type AgentState } from "@keelson/store/agent-runs";
export { builtInText } from "../built-in/texts.ts";

export interface AgentView {
  /** Every agent, built-in ones last. */
  readonly agents: readonly AgentDefinition[];
  /** Those that no rule denies. */
  readonly offered: readonly AgentDefinition[];
  /** What the model sees in every conversation with the Agent tool; empty if there is nothing. */
  readonly listing: string;
}

/** `found` are the agents of files and flags. */
export function viewAgents(found: readonly AgentDefinition[], snapshot: Snapshot): AgentView {
  const agents = withBuiltIn(found, builtInAgents(snapshot.env));
  const offered = agentsLeft(agents, snapshot.rules);
  return { agents, offered, listing: agentListing(offered, agentListingLimits(windowFor(snapshot))) ?? "" };
}

/** The line of an agent in the listing, as if it were the only one. */
export const lineFor = (agent: AgentDefinition): string => agentListing([agent])!.split("\n").at(-1)!;
