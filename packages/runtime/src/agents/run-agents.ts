// Starts, continues and ends agents. Loaded with the first one.

import { existsSync } from "node:fs";
import { Conversation, ToolError, type ModelChoice, type Tool } from "@keelson/engine";
import { agentsLeft } from "@keelson/engine/agents";
import type { AgentDefinition, ContentBlock, NewEntry, Skill } from "@keelson/protocol";
import {
  agentOwner,
  agentPath,
  isAgentId,
  readAgentMeta,
  storedAgents,
  type AgentMeta,
  type AgentOwner,
} from "@keelson/store/agents";
import { loadSession } from "@keelson/store/past";
import type { AgentAnswer, AgentOrder } from "@keelson/tools";
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
  /** Whether an order without a type means a fork. */
  readonly forks: boolean;
  /** The tools of an agent that know which agent calls them. */
  toolsFor(agent: Spawner): readonly Tool[];
  /** This process. Found out with the first agent. */
  owner?: AgentOwner;
  /** Made with the first agent. */
  steps?: StepQueue;
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
  const { description, prompt, name } = order;
  const isFork = type === "fork" && host.find(type) === undefined;
  const definition = isFork ? FORK : host.find(type)!;
  const noBackground = /^(?:1|true|yes|on)$/i.test(
    storage.state.snapshot.env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] ?? "",
  );
  const background = !noBackground && (order.run_in_background ?? definition.background ?? false);
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

/** Does what every agent needs, before the first one. */
export function warm(host: AgentHost): void {
  host.owner ??= agentOwner();
  void import("./built-in/texts.ts");
}

/** Waits for a free place, then starts it. */
async function begin(plan: ChildPlan, signal: AbortSignal, host: AgentHost): Promise<StartedChild> {
  const { slots, stages, toolsFor } = host;
  const release = await slots.take();
  const own: ChildHost = {
    ownTools: toolsFor,
    runSkill: (order, agent) => runSkill(order, agent, host),
    owner: () => (host.owner ??= agentOwner()),
    steps: (host.steps ??= new StepQueue()),
    signal,
    ended: release,
  };
  try {
    return startChild(plan, stages, own);
  } catch (error) {
    release();
    await plan.worktree?.finish();
    throw error;
  }
}

function finished(ended: ChildEnd, plan: ChildPlan, signal: AbortSignal): AgentAnswer {
  const { id: agentId, prompt, definition, model } = plan;
  const { status, text, used, usage, kept, end } = ended;
  // The engine answers calls of a run that was interrupted.
  if (signal.aborted) throw new Error("The run was interrupted");
  if (status === "killed") throw new ToolError(`The agent was stopped before it was done (agentId: ${agentId}).`);
  if (status === "failed") throw new ToolError(`The agent failed (agentId: ${agentId}): ${text}`);
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

export interface AgentMessage {
  readonly to: string;
  readonly text: string;
  readonly from: Spawner;
  readonly toolUseId: string;
}

interface Delivery {
  readonly success: boolean;
  readonly message: string;
}

/** Undefined if no agent has this id or name. */
export async function sendToAgent(message: AgentMessage, host: AgentHost): Promise<Delivery | undefined> {
  const { to, text, from, toolUseId } = message;
  const { storage, machine } = host.stages;
  const { place, newId } = storage;
  const known = addressee(to, host);
  if (!known) return undefined;
  const { id, meta } = known;
  const inbox = machine.agentInboxes.get(id);
  if (inbox) {
    inbox.notify(messageEntry(text, from, newId()), { wakes: true });
    return { success: true, message: `Message queued for agent ${id}. It reads it at its next step.` };
  }
  const path = place.path === null ? undefined : agentPath(place.dir, place.id, id);
  const definition = meta && host.find(meta.agentType);
  if (!meta || path === undefined || !existsSync(path)) {
    return { success: false, message: `Agent ${id} is over, and its conversation was not kept; start a new agent.` };
  }
  if (!definition) {
    return { success: false, message: `Agent ${id} cannot continue: there is no agent type '${meta.agentType}'.` };
  }
  if (isDenied(definition, from)) {
    return {
      success: false,
      message: `Agent ${id} cannot continue: a rule denies agents of type '${definition.name}'.`,
    };
  }
  const past = loadSession({ path });
  const conversation = await Conversation.of(past?.entries ?? [], storage.state.instructions?.preface);
  const plan = await planChild(
    {
      definition,
      description: meta.description,
      prompt: text,
      name: meta.name,
      background: true,
      isolated: false,
      toolUseId,
      signal: NEVER,
      id,
      past: { conversation, leaf: past?.leafUuid ?? null },
    },
    from,
    host.stages,
  );
  const child = await begin(plan, NEVER, host);
  return {
    success: true,
    message: `Agent ${id} continues in the background with your message. A notice tells you when it is done. Output: ${child.outputPath()}`,
  };
}

/** An agent in the background is stopped by its task alone. */
const NEVER = new AbortController().signal;

/** For agents that no call of the Agent tool starts, which the gate would judge. */
function isDenied(definition: AgentDefinition, { gate }: Spawner): boolean {
  return agentsLeft([definition], gate.ruleBook.rules).length === 0;
}

interface Addressee {
  readonly id: string;
  readonly meta: AgentMeta | undefined;
}

/** By id or by name; of several with one name, the latest. */
function addressee(to: string, { stages }: AgentHost): Addressee | undefined {
  const { place } = stages.storage;
  if (isAgentId(to)) {
    const meta = place.path === null ? undefined : readAgentMeta(agentPath(place.dir, place.id, to));
    const isKnown = meta !== undefined || stages.machine.tasks.get(to)?.type === "local_agent";
    return isKnown ? { id: to, meta } : undefined;
  }
  const named = storedAgents(place.dir, place.id).findLast(({ meta }) => meta.name === to);
  return named && { id: named.id, meta: named.meta };
}

function messageEntry(text: string, { id }: Spawner, uuid: string): NewEntry {
  const from = id === undefined ? "The agent that started you writes" : `Agent ${id} writes`;
  return {
    type: "user",
    uuid,
    isMeta: true,
    message: { role: "user", content: [{ type: "text", text: `${from}:\n\n${text}` }] },
  };
}

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
  const type = skill.fork?.agent ?? "general-purpose";
  const definition = host.find(type);
  if (!definition) throw new Error(`skill ${skill.name} names the agent '${type}', which does not exist`);
  if (skill.fork?.agent !== undefined && isDenied(definition, parent))
    throw new Error(`skill ${skill.name} names the agent '${type}', which a rule denies`);
  if (parent.depth >= deepestSpawn(host.stages.storage.state.snapshot.env) || parent.isFork)
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
    ...(skill.model === undefined && definition.model !== undefined ? {} : { exactModel: model }),
  };
  const plan = await planChild(child, parent, host.stages);
  const ended = await (await begin(plan, signal, host)).awaited;
  if (!ended) return { agentId: plan.id, result: "The skill goes on in the background; a notice brings its result." };
  if (ended.status !== "completed") throw new Error(`The subagent of ${skill.name} ended early: ${ended.text}`);
  return { agentId: plan.id, result: ended.text };
}
