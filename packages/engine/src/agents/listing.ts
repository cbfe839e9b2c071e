// How agents reach the model: one line each, within a budget. Their text is read only when one is started.

import type { AgentDefinition } from "@keelson/protocol";
import { listLines, type ListedSkill, type ListingLimits } from "../context/skill-listing.ts";
import type * as MatchName from "../permission/match/match-name.ts";
import { coversTool } from "../permission/match/match.ts";
import { parseRule, type Rule } from "../permission/rules/rule.ts";

type Listed = Pick<AgentDefinition, "name" | "description" | "source" | "tools" | "disallowedTools">;

const HEADER = "The Agent tool can start these agents (`subagent_type`):";

const LONGEST = 1_536;
/** In characters: a fiftieth of the context window, at four characters for a token. */
const BUDGET_PER_TOKEN = 4 / 50;
const USUAL_WINDOW = 200_000;

export const agentListingLimits = (contextWindow: number): ListingLimits => ({
  budget: Math.floor(contextWindow * BUDGET_PER_TOKEN),
  longest: LONGEST,
});

/** Undefined if there are none. */
export function agentListing(
  agents: readonly Listed[],
  limits: ListingLimits = agentListingLimits(USUAL_WINDOW),
): string | undefined {
  if (agents.length === 0) return undefined;
  const all = agents.map(listed);
  const names: string[] = [];
  const bundled: ListedSkill[] = [];
  for (const agent of all) {
    if (agent.source === "bundled") bundled.push(agent);
    else names.push(agent.name);
  }
  const lines = listLines({ names, bundled, whole: () => all }, limits);
  const left = agents.length - lines.length;
  if (left > 0) lines.push(`(${left} more ${left === 1 ? "agent is" : "agents are"} not listed for lack of room.)`);
  return `${HEADER}\n\n${lines.join("\n")}`;
}

function listed(agent: Listed): ListedSkill {
  const { name, description, source } = agent;
  const suffix = ` (Tools: ${toolsInWords(agent)})`;
  return { name, description, source: source === "built-in" ? "bundled" : source, suffix };
}

const MOST_TOOLS = 20;
const LONGEST_NAME = 100;

/** `All tools`, `All tools except Edit, Write`, `Read, Grep`, `None`. Words that cannot be names are left out. */
export function toolsInWords({ tools, disallowedTools }: Pick<Listed, "tools" | "disallowedTools">): string {
  // Most agents say nothing about tools, and there may be hundreds before the first request.
  if (tools === undefined && disallowedTools.length === 0) return "All tools";
  const refused = disallowedTools.flatMap((word) => nameIn(word, { whole: true }));
  if (tools === undefined || tools.includes("*")) {
    return refused.length === 0 ? "All tools" : `All tools except ${few(refused)}`;
  }
  const left = tools.flatMap((word) => nameIn(word)).filter((name) => !refused.includes(name));
  return left.length === 0 ? "None" : few([...new Set(left)]);
}

/** `Bash` for `Bash(git *)`, unless it must be the whole tool. */
function nameIn(word: string, { whole = false } = {}): readonly string[] {
  const parsed = parseRule(word);
  if (parsed === undefined || (whole && parsed.content !== undefined)) return [];
  return [parsed.tool === "Task" ? "Agent" : parsed.tool.slice(0, LONGEST_NAME)];
}

function few(names: readonly string[]): string {
  const more = names.length - MOST_TOOLS;
  return names.slice(0, MOST_TOOLS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Those that deny rules leave: `Agent`, `Agent(name)`, `Agent(prefix*)`. */
export function agentsLeft<A extends { readonly name: string }>(
  agents: readonly A[],
  rules: readonly Rule[],
): readonly A[] {
  const denying = rules.filter(({ behavior, tool }) => behavior === "deny" && /^(?:Agent|Task)$|\*/.test(tool));
  if (denying.length === 0) return agents;
  // Loaded late: most sessions have no such rule.
  const { matchesName } = require("../permission/match/match-name.ts") as typeof MatchName;
  return agents.filter(
    ({ name }) =>
      !denying.some(
        (rule) => coversTool(rule, "Agent") || matchesName(rule, "Agent", { kind: "agent", agent: name }, {}),
      ),
  );
}
