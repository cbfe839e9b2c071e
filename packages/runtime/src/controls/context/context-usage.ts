// What fills the model's context. The provider counts tokens if it can. Otherwise the parts are estimated at four bytes
// each, and the messages are what the latest reply reported without the other parts. A summary is never counted, because
// clients request it often.

import { agentListing } from "@keelson/engine/agents";
import { buildRequest, compactionRules, requestParts, type ModelProvider, type ModelRequest } from "@keelson/engine";
import type { AgentSource, ModelMessage, ReplyTo, SkillSource } from "@keelson/protocol";
import { wishesOf } from "../../compaction/compaction-port.ts";
import { done, type ControlHandler } from "../reply.ts";
import type { ControlTargets } from "../targets.ts";
import { breakdownOf, estimate, sizeOfMessages } from "./breakdown.ts";

type Category = ReplyTo<"get_context_usage">["categories"][number];

export const getContextUsage: ControlHandler<"get_context_usage"> = async ({ detail }, targets, { signal }) => {
  const { profile } = targets.model();
  if (detail !== "summary") await profile.measureWindow?.();
  const max = profile.contextWindow;
  const memory = targets.memoryFiles().map(({ path, type, text }) => ({ path, type, tokens: estimate(text) }));
  const memoryTokens = memory.reduce((sum, { tokens }) => sum + tokens, 0);
  const counted = await count(targets, signal, { estimate: detail === "summary" });
  const mcpTools = toolsOf(targets).flatMap(({ name, tokens }) => {
    const origin = targets.mcp?.servers?.originOf(name);
    return origin ? [{ name, serverName: origin.server, tokens, isLoaded: true }] : [];
  });
  const mcpTokens = mcpTools.reduce((sum, { tokens }) => sum + tokens, 0);
  const agents = agentUsage(targets);
  const isListed = targets.tools().some(({ name }) => name === "Agent");
  const agentTokens = isListed ? agents.reduce((sum, { tokens }) => sum + tokens, 0) : 0;
  const skillTokens = counted.messages > 0 ? estimate(targets.toldSkills().listing) : 0;
  const messages = Math.max(0, counted.messages - memoryTokens - agentTokens - skillTokens);
  const used: Category[] = [
    category("system_prompt", "System prompt", counted.system, "promptBorder"),
    category("system_tools", "System tools", Math.max(0, counted.tools - mcpTokens), "inactive"),
    category("mcp_tools", "MCP tools", mcpTokens, "cyan_FOR_SUBAGENTS_ONLY"),
    category("custom_agents", "Custom agents", agentTokens, "permission"),
    category("memory_files", "Memory files", memoryTokens, "claude"),
    category("skills", "Skills", skillTokens, "warning"),
    category("messages", "Messages", messages, "purple_FOR_SUBAGENTS_ONLY"),
  ].filter(({ tokens }) => tokens > 0);
  const total = used.reduce((sum, { tokens }) => sum + tokens, 0);
  const { threshold } = compactionRules(max, wishesOf(targets.snapshot()));
  const reserve = threshold === undefined ? 0 : max - threshold;
  const free: Category = {
    ...category("free_space", "Free space", Math.max(0, max - total - reserve), "promptBorder"),
    kind: "free",
  };
  const buffer: Category = {
    ...category("autocompact_buffer", "Autocompact buffer", reserve, "inactive"),
    kind: "buffer",
  };
  const categories = [...used, free, ...(reserve > 0 ? [buffer] : [])];
  const usage = targets.lastUsage();
  return done({
    categories,
    totalTokens: total,
    maxTokens: max,
    rawMaxTokens: max,
    percentage: Math.round((total / max) * 100),
    gridRows: gridOf(categories, max),
    model: profile.id,
    memoryFiles: memory,
    mcpTools,
    mcpInstructions: [],
    agents,
    ...skillUsage(targets),
    ...(detail === "full" ? { systemTools: toolsOf(targets), systemPromptSections: sectionsOf(targets) } : {}),
    messageBreakdown: breakdownOf(targets.conversation()),
    isAutoCompactEnabled: threshold !== undefined,
    ...(threshold === undefined ? {} : { autoCompactThreshold: threshold }),
    apiUsage: usage && {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
      cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    },
  });
};

/** Sources as clients know them. */
const AGENT_SOURCES: Readonly<Record<AgentSource, string>> = {
  managed: "policySettings",
  flag: "flagSettings",
  project: "projectSettings",
  user: "userSettings",
  plugin: "plugin",
  "built-in": "built-in",
};

/** What each agent takes of the list of agents. Built-in ones are part of the program. */
function agentUsage({ agents }: ControlTargets) {
  return agents()
    .filter(({ source }) => source !== "built-in")
    .map((agent) => ({
      agentType: agent.name,
      source: AGENT_SOURCES[agent.source],
      ...(agent.file === undefined ? {} : { path: agent.file }),
      tokens: estimate(agentListing([agent])!.split("\n").at(-1)!),
    }));
}

const SKILL_SOURCES: Partial<Record<SkillSource, string>> = {
  managed: "policySettings",
  user: "userSettings",
  project: "projectSettings",
  nested: "projectSettings",
  directory: "projectSettings",
  bundled: "built-in",
};

/** What the list of skills takes of the conversation. */
function skillUsage({ commands, toldSkills }: ControlTargets) {
  const { listing, skills } = toldSkills();
  const total = commands().length;
  return {
    slashCommands: { totalCommands: total, includedCommands: total, tokens: 0 },
    skills: {
      totalSkills: skills.length,
      includedSkills: skills.length,
      tokens: estimate(listing),
      skillFrontmatter: skills.map(({ name, source, description, file }) => ({
        name,
        source: SKILL_SOURCES[source] ?? source,
        ...(source === "bundled" || source === "mcp" ? {} : { path: file }),
        tokens: estimate(`- ${name}: ${description}`),
      })),
    },
  };
}

const PROBE: ModelMessage = { role: "user", content: "x" };

/** Counts four requests; the difference between two is the size of a part. */
async function count(targets: ControlTargets, signal: AbortSignal, options: CountOptions) {
  const model = targets.model();
  const messages = targets.conversation();
  const ask = (system: readonly string[], tools: ReturnType<ControlTargets["tools"]>, said: readonly ModelMessage[]) =>
    tokensOf(buildRequest(requestParts(model, system, tools), said), model.provider, signal, options);
  const [bare, system, tools, all] = await Promise.all([
    ask([], [], [PROBE]),
    ask(targets.system(), [], [PROBE]),
    ask([], targets.tools(), [PROBE]),
    messages.length === 0 ? undefined : ask(targets.system(), targets.tools(), messages),
  ]);
  const [ofSystem, ofTools] = [Math.max(0, system.tokens - bare.tokens), Math.max(0, tools.tokens - bare.tokens)];
  const besides = ofSystem + ofTools;
  if (all === undefined) return { system: ofSystem, tools: ofTools, messages: 0 };
  const total = all.isCounted ? all.tokens : targets.knownTokens();
  // A server may report less than could be true.
  const ofMessages = total > besides ? total - besides : sizeOfMessages(messages);
  return { system: ofSystem, tools: ofTools, messages: ofMessages };
}

interface CountOptions {
  readonly estimate: boolean;
}

async function tokensOf(
  request: ModelRequest,
  provider: ModelProvider,
  signal: AbortSignal,
  options: CountOptions,
): Promise<{ readonly tokens: number; readonly isCounted: boolean }> {
  const counted = options.estimate ? undefined : await provider.countTokens?.(request, signal);
  const { system, tools, messages } = request;
  return counted === undefined
    ? { tokens: estimate(JSON.stringify([system, tools])) + sizeOfMessages(messages), isCounted: false }
    : { tokens: counted, isCounted: true };
}

const category = (id: Category["id"], name: string, tokens: number, color: string): Category => ({
  id,
  name,
  tokens,
  color,
  kind: "used",
});

const toolsOf = (targets: ControlTargets) =>
  targets.tools().map(({ name, description, input }) => ({
    name,
    tokens: estimate(name + description + JSON.stringify(input.json)),
  }));

const sectionsOf = (targets: ControlTargets) =>
  targets.system().map((text, index) => ({ name: index === 0 ? "Identity" : "Instructions", tokens: estimate(text) }));

const ROWS = 10;
const COLUMNS = 10;

/** A grid of a hundred squares; each category gets at least one. */
function gridOf(categories: readonly Category[], max: number) {
  const size = max / (ROWS * COLUMNS);
  const squares = categories.flatMap((each) => {
    const length = each.kind === "free" ? ROWS * COLUMNS : Math.max(1, Math.round(each.tokens / size));
    const percentage = Math.round((each.tokens / max) * 100);
    return Array.from({ length }, (_unused, index) => ({
      color: each.color,
      isFilled: each.kind !== "free",
      categoryName: each.name,
      tokens: each.tokens,
      percentage,
      squareFullness: Math.min(1, Math.max(0, each.tokens / size - index)),
    }));
  });
  return Array.from({ length: ROWS }, (_unused, row) => squares.slice(row * COLUMNS, (row + 1) * COLUMNS));
}
