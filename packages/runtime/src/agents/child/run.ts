// The run of one subagent: what it works with, what it reads first, and what its end means.

import {
  Conversation,
  PLAN_MODE_OF_AGENTS,
  reminder,
  run,
  type End,
  type Limits,
  type ModelChoice,
  type Workspace,
} from "@keelson/engine";
import { agentMode } from "@keelson/engine/agents";
import {
  withoutReminderTags,
  stricterMode,
  type AgentDefinition,
  type ContentBlock,
  type HookRegistration,
  type NewEntry,
  type PromptMessage,
} from "@keelson/protocol";
import type { AgentServers } from "../../mcp/servers/agent-servers.ts";
import type { SessionInstructions } from "../../instructions/instructions.ts";
import type { AgentSkills } from "../../skills/agent-skills.ts";
import type { Outbox } from "../../stream/outbox.ts";
import type { ChildEnd, ChildHost, ChildPlan } from "./child.ts";
import { surround } from "./ports.ts";
import { childBudget, guardedBy } from "./budget.ts";
import { childTools, maySearch, type ChildTools } from "./tools.ts";
import { FORK_RULES, forkTools } from "../fork.ts";
import type { Meter } from "./meter.ts";
import { preload } from "../definition/preload.ts";
import type { AgentStages, Spawner } from "../spawner.ts";

export interface ChildLife extends ChildHost {
  readonly workspace: Workspace;
  readonly outbox: Outbox;
  /** What others want it to read at its next safe boundary. */
  readonly waiting: NewEntry[];
  takeWaiting(): readonly NewEntry[];
  readonly meter: Meter;
  /** It calls tools. */
  working(): void;
  /** The meter counted something. */
  counted(): void;
  interrupt(): void;
  /** The servers that only this agent uses; undefined if it has none. */
  openServers(definition: AgentDefinition): Promise<AgentServers | undefined>;
  /** True if nothing that waits is worth another request; then nothing more will wait. */
  isDone(): boolean;
}

export async function runChild(plan: ChildPlan, stages: AgentStages, life: ChildLife): Promise<ChildEnd> {
  const { definition, parent, id } = plan;
  const { meter, working, counted } = life;
  const conversation = plan.past?.conversation ?? new Conversation(prefaceOf(plan, stages));
  let skillHooks: readonly HookRegistration[] = [];
  let turns = 0;
  let offered: () => ChildTools = () => ({ tools: [], deferred: [] });
  const tools = () => offered().tools;
  let servers: AgentServers | undefined = undefined;
  const { cost } = stages.storage;
  const { maxBudgetUsd: limit } = definition;
  const own = limit === undefined ? [] : [childBudget(limit, meter, cost)];
  const budgets = [...parent.budgets, ...own];
  let chosen: { readonly from: ModelChoice; readonly free: ModelChoice; readonly guarded: ModelChoice } | undefined;
  /** The same objects until another model is chosen, so that the parts of a request are built once. */
  const choice = () => {
    const from = skills.effects.model;
    if (chosen?.from === from) return chosen;
    const provider = guardedBy(budgets, from.provider);
    const free = { ...from, agent: id };
    return (chosen = { from, free, guarded: budgets.length === 0 ? free : { ...free, provider } });
  };
  let nested: Pick<SessionInstructions, "touched"> | undefined;
  const instructions = () => {
    if (definition.omitsInstructions) return undefined;
    const place = { cwd: plan.worktree?.cwd, isFork: plan.isFork === true };
    return (nested ??= stages.storage.state.instructions?.forAgent(place));
  };
  const { permissionMode: wanted } = definition;
  // An agent of a job may outlive the job's run.
  const { most } = parent.gate.ruleBook;
  const mode = () => {
    const own = agentMode(parent.gate.mode, wanted, plan);
    // One that cannot be used here allows nothing.
    const usable = own === parent.gate.mode || parent.gate.ruleBook.refusal(own) === undefined ? own : "default";
    return most === undefined ? usable : stricterMode(usable, most);
  };
  const { machine, gate, ports, firing } = surround(
    {
      id,
      toolUseId: plan.startedBy,
      definition,
      parentGate: parent.gate,
      copyOf: plan.worktree?.copyOf,
      workspace: life.workspace,
      memory: plan.memory,
      seen: stages.machine.newLedger(plan.isFork && parent.machine.tools.seen),
      mode,
      neverAsks: () => parent.gate.neverAsks || wanted === "dontAsk",
      model: () => choice().guarded,
      system: plan.system,
      tools,
      deferredTools: () => offered().deferred,
      toolBetas: () => (plan.isFork ? stages.storage.state.toolBetas : []),
      servers: () => servers,
      conversation: () => conversation,
      hooks: () => [...definition.hooks, ...skillHooks].map(scoped),
      signal: life.signal,
      isInBackground: plan.background,
      outbox: life.outbox,
      interrupt: life.interrupt,
      preface: () => prefaceOf(plan, stages),
      instructions,
      step: () => life.steps.step(),
      steering: () => life.takeWaiting(),
      recording: (entries) => {
        if (meter.record(entries)) working();
      },
      charged: (usage, name, durationMs) => {
        turns++;
        meter.charge(usage, name, durationMs);
        for (const budget of parent.budgets) budget.charge(usage, name, durationMs);
        counted();
      },
      budgets,
    },
    stages,
  );
  const self: Spawner = {
    id,
    depth: parent.depth + 1,
    isFork: plan.isFork === true || parent.isFork,
    refuses: definition.disallowedTools.filter((word) => !word.includes("(")),
    budgets,
    machine,
    gate,
    model: () => choice().free,
    system: () => plan.system,
    tools,
    deferredTools: () => offered().deferred,
    conversation: () => conversation,
    interrupt: life.interrupt,
  };
  const skills: AgentSkills = stages.skills.forAgent({
    permit: (request, signal) => ports.permit(request, signal),
    machine,
    gate,
    setHooks: (registrations) => (skillHooks = registrations),
    model: () => plan.model,
    ports: () => ports,
    runSkill: (order) => life.runSkill(order, self),
  });
  const ownTools = [skills.tool, ...life.ownTools(self)];
  servers = await life.openServers(definition);
  const offer =
    plan.isFork || definition.tools ? undefined : await offerOf(plan, stages, { model: choice, conversation });
  offered = plan.isFork ? forkTools(parent, ownTools) : childTools({ ...plan, own: ownTools, servers, offer }, stages);

  const about = { agent_id: id, agent_type: definition.name };
  const { context } = await stages.hooks.fire("SubagentStart", about, life.signal, firing);
  const listing = !plan.past && tools().some(({ name }) => name === "Skill") ? skills.listing() : undefined;
  // Its ToolSearch does not know its own servers, so they are named as to an agent that cannot search.
  const connecting = servers?.takeNotice(
    tools().filter(({ name }) => name !== "ToolSearch"),
    gate.ruleBook.rules,
  );
  const said = [
    ...(plan.isFork ? [FORK_RULES] : []),
    ...(plan.worktree ? [plan.worktree.notice] : []),
    // A fork has read it, and an agent that goes on too.
    ...(gate.mode === "plan" && !plan.past ? [PLAN_MODE_OF_AGENTS] : []),
    ...context,
    ...(connecting === undefined ? [] : [connecting]),
  ];
  // Beside the prompt, which clients see as it was given.
  const { newId } = stages.storage;
  life.waiting.unshift(...(listing ? [listing] : []), ...said.map((text) => reminder(text, newId())));
  const preloaded = plan.past ? [] : await preload(definition, skills, stages.storage.options.warn);
  const texts = [plan.prompt, ...preloaded];
  const content: ContentBlock[] = [
    ...texts.map((text) => ({ type: "text" as const, text: withoutReminderTags(text) })),
    ...(plan.attached ?? []),
  ];
  /** What it was denied is part of the session's next result. */
  const going = async (prompt: PromptMessage | undefined, limits: Limits): Promise<End> => {
    const ended = await run(prompt, gate.mode, conversation, ports, limits);
    const { agents } = stages.storage;
    agents.denials = [...agents.denials, ...ended.denials];
    return ended;
  };
  let end = await going(
    { type: "user", message: { role: "user", content }, parent_tool_use_id: null, client_composed: true },
    plan.limits,
  );
  // Someone wrote to it while it gave its last answer.
  const { maxTurns = Infinity } = plan.limits;
  while (end.reason === "completed" && turns < maxTurns && !life.isDone()) {
    const limits = maxTurns === Infinity ? plan.limits : { ...plan.limits, maxTurns: maxTurns - turns };
    end = await going(undefined, limits);
  }
  return endOf(end, life, budgets.find(({ hasRefused }) => hasRefused)?.limitUsd ?? plan.limits.maxBudgetUsd);
}

async function offerOf(
  plan: ChildPlan,
  { storage }: AgentStages,
  own: { model(): { readonly free: ModelChoice }; readonly conversation: Conversation },
) {
  // The session's own offer has loaded it.
  const { agentOffer } = await import("../../mcp/offer/open-offer.ts");
  return agentOffer(storage, {
    maySearch: maySearch(plan),
    model: () => own.model().free,
    messages: () => own.conversation.messages,
  });
}

/** The end of a subagent is not that of the session. */
const scoped = (hook: HookRegistration): HookRegistration =>
  hook.event === "Stop" ? { ...hook, event: "SubagentStop" } : hook;

/** An agent reads the user's instructions, unless it leaves them out. Those of an administrator stay. */
export function prefaceOf({ definition }: Pick<ChildPlan, "definition">, { storage }: AgentStages): string | undefined {
  const { instructions } = storage.state;
  return definition.omitsInstructions ? instructions?.managedPreface : instructions?.preface;
}

const NO_OUTPUT = "(Subagent completed but returned no output.)";

function endOf(end: End, { signal, meter }: ChildLife, budgetUsd: number | undefined): ChildEnd {
  const status = signal.aborted ? "killed" : ENDS[end.reason];
  const text = status === "completed" ? end.text || end.summary || NO_OUTPUT : whyOf(end, budgetUsd);
  const unfinished = status === "completed" || meter.said === "" ? {} : { unfinished: meter.said };
  return { end, status, text, ...unfinished, usage: meter.last, used: meter.usage(), toolStats: meter.toolStats };
}

/** What its parent is told, unless the agent was stopped. */
const ENDS: Readonly<Record<End["reason"], "completed" | "failed">> = {
  completed: "completed",
  max_turns: "completed",
  structured_output_retry_exhausted: "completed",
  aborted_streaming: "completed",
  aborted_tools: "completed",
  stop_hook_prevented: "completed",
  budget_exhausted: "failed",
  api_error: "failed",
  model_error: "failed",
  prompt_too_long: "failed",
  blocking_limit: "failed",
  rapid_refill_breaker: "failed",
  hook_stopped: "failed",
  tool_deferred: "failed",
  turn_setup_failed: "failed",
};

function whyOf({ reason, text, deferred }: End, budgetUsd: number | undefined): string {
  // Only a session ends with a call that its client can answer later.
  if (deferred)
    return `A hook deferred its ${deferred.name} call, which has not run. A message to the agent makes it try the call again.`;
  if (reason === "budget_exhausted") return `The budget of $${budgetUsd} is used up`;
  if (text !== "") return text;
  return reason.startsWith("aborted") ? "It was stopped" : `It ended early (${reason})`;
}
