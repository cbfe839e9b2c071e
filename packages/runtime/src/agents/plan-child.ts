// Turns an order into a plan: which agent, which model, where it works, and what it is told. Loaded with the first agent.

import type { Snapshot } from "@keelson/config";
import { agentText } from "@keelson/config/agents";
import { ToolError, type ModelChoice } from "@keelson/engine";
import { agentModel, renderAgentPrompt, widensMode } from "@keelson/engine/agents";
import { gitBranch } from "@keelson/host";
import { OFFLINE_ID } from "@keelson/model";
import { NO_USAGE, type AgentDefinition } from "@keelson/protocol";
import { release } from "node:os";
import type { Cost } from "../model/cost.ts";
import { limitsOf } from "../session/agent-ports.ts";
import { shellOf } from "../session/facts.ts";
import type { ChildPlan, ChildWorktree } from "./child/child.ts";
import { forkedConversation } from "./fork.ts";
import { deepestSpawn, type AgentStages, type Spawner } from "./spawner.ts";
import { isLowerEffort } from "../skills/turn-effects.ts";

export interface ChildOrder {
  readonly definition: AgentDefinition;
  readonly description: string;
  readonly prompt: string;
  readonly name?: string | undefined;
  /** Instead of the model that its definition names. */
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly background: boolean;
  readonly isolated: boolean;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  /** Of an agent that continues. */
  readonly id?: string;
  readonly startedBy?: string | undefined;
  readonly past?: ChildPlan["past"];
  readonly attached?: ChildPlan["attached"];
  /** The prompt is the text of a skill, which cannot use skills again. */
  readonly isSkill?: boolean;
  /** What is not trusted chose this agent, so its definition may not widen the mode. */
  readonly isChosenByOthers?: boolean;
  /** Instead of every other choice of a model. */
  readonly exactModel?: ModelChoice;
}

/** Throws ToolError if the agent cannot be started. */
export async function planChild(order: ChildOrder, parent: Spawner, stages: AgentStages): Promise<ChildPlan> {
  const { storage } = stages;
  const { snapshot } = storage.state;
  const { prompt, isSkill } = order;
  const definition = without([...parent.refuses, ...(isSkill ? ["Skill"] : [])], order.definition);
  const id = order.id ?? newAgentId();
  const model = order.exactModel ?? (await modelFor(order, parent, stages));
  checkBudget(definition, model, storage.cost);
  const text = await textOf(definition);
  const worktree = order.isolated ? await isolated(id, order, parent, stages) : undefined;
  const { maxBudgetUsd, maxTurns } = limitsOf(snapshot);
  const { agentMemoryFolder } = definition.memory ? await import("./definition/memory.ts") : {};
  return {
    id,
    definition,
    // Of a folder that is not trusted, it asks before it writes.
    ...(agentMemoryFolder && !definition.untrusted ? { memory: agentMemoryFolder(definition, snapshot) } : {}),
    description: order.description,
    ...(order.name === undefined ? {} : { name: order.name }),
    prompt,
    ...(order.attached ? { attached: order.attached } : {}),
    toolUseId: order.toolUseId,
    startedBy: order.startedBy ?? order.toolUseId,
    parent,
    background: order.background,
    mayWiden: widensMode(definition) && order.isChosenByOthers !== true,
    model,
    system: await systemOf(definition, text, { model, worktree, parent }, stages),
    limits: { maxTurns: definition.maxTurns ?? (isSkill ? maxTurns : undefined), maxBudgetUsd },
    maySpawn: parent.depth + 1 < deepestSpawn(snapshot.env),
    ...(worktree ? { worktree } : {}),
    ...(order.past ? { past: order.past } : {}),
  };
}

/** Without a price, no budget can be held. */
function checkBudget({ name, maxBudgetUsd }: AgentDefinition, { profile }: ModelChoice, cost: Cost): void {
  if (maxBudgetUsd === 0) {
    throw new ToolError(
      `Agent '${name}' cannot be started: its budget (maxBudgetUsd) is not an amount above zero; correct it in its definition`,
    );
  }
  if (maxBudgetUsd === undefined || cost.costOf(profile.id, NO_USAGE) !== null) return;
  throw new ToolError(
    `Agent '${name}' cannot be started: it has a budget (maxBudgetUsd), and the price of '${profile.id}' is unknown; add it to "modelPrices" in the settings`,
  );
}

function isolated(agentId: string, { signal }: ChildOrder, parent: Spawner, { worktrees }: AgentStages) {
  if (parent.gate.mode === "plan") {
    throw new ToolError(
      "Plan mode makes no worktree, because it changes nothing. Start the agent without isolation, or leave plan mode first.",
    );
  }
  const { cwd } = parent.machine.tools.workspace;
  return worktrees.isolate({ agentId, parent: cwd, signal }).catch((error: Error) => {
    throw new ToolError(`The agent cannot get a worktree: ${error.message}`);
  });
}

function without(tools: readonly string[], definition: AgentDefinition): AgentDefinition {
  if (tools.length === 0) return definition;
  return { ...definition, disallowedTools: [...new Set([...definition.disallowedTools, ...tools])] };
}

/** A fork has the conversation, the tools and the model of its parent. */
export function planFork(
  order: Pick<ChildOrder, "definition" | "description" | "prompt" | "name" | "toolUseId" | "background">,
  parent: Spawner,
  stages: AgentStages,
): ChildPlan {
  const { maxBudgetUsd } = limitsOf(stages.storage.state.snapshot);
  return {
    id: newAgentId(),
    definition: order.definition,
    description: order.description,
    ...(order.name === undefined ? {} : { name: order.name }),
    prompt: order.prompt,
    toolUseId: order.toolUseId,
    startedBy: order.toolUseId,
    parent,
    background: order.background,
    mayWiden: false,
    model: parent.model(),
    system: parent.system(),
    limits: { maxBudgetUsd },
    maySpawn: false,
    past: { conversation: forkedConversation(parent, order.toolUseId), leaf: null },
    isFork: true,
  };
}

export function newAgentId(): string {
  return `a${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}

async function textOf(definition: AgentDefinition): Promise<string> {
  try {
    if (definition.source !== "built-in") return await agentText(definition);
    const { builtInText } = await import("./built-in/texts.ts");
    return builtInText(definition.name);
  } catch (error) {
    throw new ToolError(`Agent '${definition.name}' cannot be started: ${(error as Error).message}`);
  }
}

async function modelFor(
  { definition, model: call, effort }: ChildOrder,
  parent: Spawner,
  { storage }: AgentStages,
): Promise<ModelChoice> {
  const { state } = storage;
  const { snapshot } = state;
  // A folder that is not trusted changes nothing that the user chose.
  const fixed = definition.untrusted ? snapshot.flags : {};
  const own = fixed.model === undefined ? modelOf(definition, snapshot) : undefined;
  const name = agentModel({ env: snapshot.env, call, agent: own });
  // The offline model stands in for every other model.
  const inherits = name === "inherit" || state.model.profile.id === OFFLINE_ID;
  const chosen = inherits
    ? parent.model()
    : await storage.chooseModel(name).catch((error: Error) => {
        throw new ToolError(`Agent '${definition.name}' cannot be started: ${error.message}`);
      });
  const inherited = parent.model().effort;
  const mayChoose = !definition.untrusted || isLowerEffort(definition.effort ?? "", inherited);
  const wanted = effort ?? (fixed.effort === undefined && mayChoose ? definition.effort : undefined) ?? inherited;
  return wanted === undefined ? chosen : { ...chosen, effort: wanted };
}

/** The user may want another model for searches than the smallest. */
function modelOf({ name, source, model }: AgentDefinition, { settings }: Snapshot): string | undefined {
  const chosen = source === "built-in" && name === "Explore" ? settings["exploreModel"] : undefined;
  return typeof chosen === "string" && chosen !== "" ? chosen : model;
}

async function systemOf(
  definition: AgentDefinition,
  text: string,
  { model, worktree, parent }: { model: ModelChoice; worktree: ChildWorktree | undefined; parent: Spawner },
  { storage }: AgentStages,
): Promise<readonly string[]> {
  const { state } = storage;
  const { snapshot } = state;
  const { workspace } = parent.machine.tools;
  const cwd = worktree?.cwd ?? workspace.cwd;
  const { agentMemory } = definition.memory ? await import("./definition/memory.ts") : {};
  return renderAgentPrompt({
    text: [text, definition.criticalReminder].filter(Boolean).join("\n\n"),
    ...(agentMemory ? { memory: agentMemory(definition, snapshot) } : {}),
    ...(definition.omitsInstructions || worktree || !state.git ? {} : { git: state.git }),
    cwd,
    directories: worktree ? [] : workspace.directories.slice(1),
    platform: process.platform,
    osVersion: release(),
    shell: shellOf(snapshot.env, snapshot.cwd),
    gitBranch: gitBranch(cwd),
    model: model.profile.id,
  });
}
