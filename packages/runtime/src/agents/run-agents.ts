// Starts and ends agents. Loaded with the first one.

import { ToolError, type ModelChoice, type Tool } from "@keelson/engine";
import { agentsLeft } from "@keelson/engine/agent-listing";
import type { AgentDefinition, ContentBlock, Skill } from "@keelson/protocol";
import { agentOwner, type AgentOwner } from "@keelson/store/agents";
import type { AgentAnswer, AgentOrder } from "@keelson/tools";
import { isVariableOn } from "@keelson/protocol";
import type { Slots } from "../mcp/servers/slots.ts";
import { startChild, type StartedChild, type ChildEnd, type ChildHost, type ChildPlan } from "./child/child.ts";
import { StepQueue } from "./child/step-queue.ts";
import { isForked } from "./fork.ts";
import { planChild, planFork, type ChildOrder } from "./plan-child.ts";
import { deepestSpawn, type AgentStages, type Spawner } from "./spawner.ts";

export interface AgentHost {
  readonly stages: AgentStages;
  readonly slots: Slots;
  find(name: string): AgentDefinition | undefined;
  /** Whether the agent that the session runs as may start agents of this type. */
  mayStart(type: string): boolean;
  /** Whether an order without a type means a fork. */
  readonly forks: boolean;
  /** The tools of an agent that know which agent calls them. */
  toolsFor(agent: Spawner): readonly Tool[];
  /** This process. Found out with the first agent. */
  owner?: AgentOwner;
  /** Made with the first agent. */
  steps?: StepQueue;
  /** Ids by name, the latest of each name. What is on disk follows a little later. */
  names?: Map<string, string>;
  /** By agent: the messages under way to it, one after the other. */
  deliveries?: Map<string, Promise<unknown>>;
}

interface Start {
  readonly order: AgentOrder;
  readonly type: string;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
}

/** The Agent tool. Throws ToolError if the agent cannot be started, or fails. */
export async function startAgent(start: Start, parent: Spawner, host: AgentHost): Promise<AgentAnswer> {
  const { order, type, toolUseId, signal } = start;
  const { storage } = host.stages;
  if (parent.isFork || isForked(parent.conversation().messages)) {
    throw new ToolError("A fork cannot start agents. Do the work yourself, with your tools.");
  }
  if (!maySpawn(parent, host)) throw new ToolError(`${NO_DEEPER} Do the work yourself, with your tools.`);
  const { description, prompt, name } = order;
  const isFork = type === "fork" && host.find(type) === undefined;
  const definition = isFork ? FORK : host.find(type)!;
  const noBackground = isVariableOn(storage.state.snapshot.env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"]);
  const background = !noBackground && (order.run_in_background === true || definition.background === true);
  const common = { definition, description, prompt, name, background, toolUseId, signal };
  const isolated = (order.isolation ?? definition.isolation) === "worktree";
  const { model, effort } = order;
  const plan = isFork
    ? planFork(common, parent, host.stages)
    : await planChild({ ...common, model, effort, isolated }, parent, host.stages);
  const child = await begin(plan, signal, host);
  const ended = background ? undefined : await child.awaited;
  return ended ? finished(ended, plan, signal) : launched(child, plan);
}

const NO_DEEPER = "This agent may not start agents.";

export const maySpawn = ({ depth }: Spawner, { stages }: AgentHost) =>
  depth < deepestSpawn(stages.storage.state.snapshot.env);

/** Whether a rule denies agents of this type. */
export const isTypeDenied = (type: string, { gate }: Spawner) =>
  agentsLeft([{ name: type }], gate.ruleBook.rules).length === 0;

/** An agent in the background is stopped by its task alone. */
export const NEVER = new AbortController().signal;

/** Does what every agent needs, while the model writes to the first one. */
export function warm(host: AgentHost): void {
  host.owner ??= agentOwner();
  void import("./built-in/texts.ts");
}

/** Takes a free place and starts it. */
export async function begin(plan: ChildPlan, signal: AbortSignal, host: AgentHost): Promise<StartedChild> {
  const { stages, toolsFor } = host;
  const release = await placeFor(plan, signal, host).catch(async (error: Error) => {
    await plan.worktree?.finish();
    throw error;
  });
  const own: ChildHost = {
    ownTools: toolsFor,
    runSkill: (order, agent) => runSkill(order, agent, host),
    owner: () => (host.owner ??= agentOwner()),
    steps: (host.steps ??= new StepQueue()),
    signal,
    ended: release,
  };
  if (plan.name !== undefined) (host.names ??= new Map()).set(plan.name, plan.id);
  try {
    return startChild(plan, stages, own);
  } catch (error) {
    release();
    await plan.worktree?.finish();
    throw error;
  }
}

/** Only the session's own agent waits for one: a subagent has one itself, and all others could be waiting too. */
async function placeFor({ parent }: ChildPlan, signal: AbortSignal, { slots }: AgentHost): Promise<() => void> {
  if (parent.id === undefined && signal !== NEVER) return slots.take(signal);
  const release = slots.takeNow();
  if (!release) throw new ToolError("Too many agents work at the same time. Do the work yourself, or try again later.");
  return release;
}

function finished(ended: ChildEnd, plan: ChildPlan, signal: AbortSignal): AgentAnswer {
  const { id: agentId, prompt, definition, model } = plan;
  const { status, text, unfinished, used, toolStats, usage, kept, end } = ended;
  // The engine answers calls of a run that was interrupted.
  if (signal.aborted) throw new Error("The run was interrupted");
  const before = unfinished === undefined ? "" : `\n\nWhat it said before that, which is not finished:\n${unfinished}`;
  if (status === "killed")
    throw new ToolError(`The agent was stopped before it was done (agentId: ${agentId}).${before}`);
  if (status === "failed") throw new ToolError(`The agent failed (agentId: ${agentId}): ${text}${before}`);
  const turns = end.maxTurns;
  return {
    output: {
      status: "completed",
      prompt,
      agentId,
      agentType: definition.name,
      content: [{ type: "text", text }],
      resolvedModel: model.profile.id,
      totalDurationMs: used.durationMs,
      totalTokens: used.totalTokens,
      totalToolUseCount: used.toolUses,
      toolStats,
      usage,
      ...(kept ? { worktreePath: kept.path, ...(kept.branch ? { worktreeBranch: kept.branch } : {}) } : {}),
    },
    ...(definition.oneShot ? { oneShot: true } : {}),
    ...(turns === undefined ? {} : { notes: [`The agent stopped at its limit of ${turns} turns.`] }),
  };
}

function launched(child: StartedChild, { id: agentId, description, prompt, model }: ChildPlan): AgentAnswer {
  return {
    output: {
      isAsync: true,
      status: "async_launched",
      agentId,
      description,
      prompt,
      resolvedModel: model.profile.id,
      outputFile: child.outputPath(),
      canReadOutputFile: true,
    },
  };
}

/** Names a fork in hooks, messages and files. */
const FORK: AgentDefinition = {
  name: "fork",
  description: "",
  source: "built-in",
  disallowedTools: [],
  skills: [],
  mcpServers: [],
  hooks: [],
};

/** In a plugin, a name without a prefix is first that of one of its own agents. A skill whose agent is missing still runs. */
function agentOf({ name, fork, plugin }: Skill, host: AgentHost): AgentDefinition {
  const wanted = fork?.agent ?? ANY_TASK;
  const found = (plugin && host.find(`${plugin.name}:${wanted}`)) ?? host.find(wanted);
  if (found) return found;
  const usual = host.find(ANY_TASK);
  if (!usual) throw new Error(`skill ${name} names the agent '${wanted}', which does not exist`);
  host.stages.storage.options.warn(
    `Skill ${name} names the agent '${wanted}', which does not exist; it runs in ${ANY_TASK}`,
  );
  return usual;
}

const ANY_TASK = "general-purpose";

/** A skill with `context: fork`: its text is the prompt of a subagent, which sees nothing of the conversation. */
export async function runSkill(
  order: {
    readonly skill: Skill;
    readonly text: string;
    readonly attached: readonly ContentBlock[];
    readonly model: ModelChoice;
    readonly toolUseId: string;
    readonly signal: AbortSignal;
  },
  parent: Spawner,
  host: AgentHost,
): Promise<{ readonly agentId: string; readonly result: string }> {
  const { skill, text, attached, model, toolUseId, signal } = order;
  const definition = agentOf(skill, host);
  const type = definition.name;
  if (isTypeDenied(type, parent))
    throw new Error(`skill ${skill.name} runs in the agent '${type}', which a rule denies`);
  if (!maySpawn(parent, host) || parent.isFork)
    throw new Error(`skill ${skill.name} runs in a subagent, and this agent may not start one`);
  const child: ChildOrder = {
    definition,
    description: `/${skill.name}`,
    prompt: text,
    attached,
    background: false,
    isolated: definition.isolation === "worktree",
    toolUseId,
    signal,
    isSkill: true,
    isChosenByOthers: skill.untrusted === true || skill.plugin !== undefined,
    // The agent that an untrusted skill chooses does not choose the model either.
    ...(skill.model === undefined && definition.model !== undefined && !skill.untrusted ? {} : { exactModel: model }),
  };
  const plan = await planChild(child, parent, host.stages);
  const ended = await (await begin(plan, signal, host)).awaited;
  if (!ended)
    return { agentId: plan.id, result: "The skill continues in the background; a notice will tell you its result." };
  if (ended.status !== "completed") throw new Error(`The subagent of ${skill.name} ended early: ${ended.text}`);
  return { agentId: plan.id, result: ended.text };
}
