// The ports of a subagent: narrower than those of the session, and never a way around them. Its calls go through the
// session's hooks and rules, its requests count against the session's budget.

import { whyNotOffered } from "../../optional-tools/optional-tools.ts";
import type { Conversation, ModelChoice, Ports, ReadLedger, Tool, ToolContext, Workspace } from "@keelson/engine";
import {
  NOTHING_SAID,
  type AgentDefinition,
  type HookEvent,
  type HookRegistration,
  type NewEntry,
  type PermissionMode,
} from "@keelson/protocol";
import type { Gate } from "../../gate/gate.ts";
import type { FiringAgent } from "../../hooks/dispatcher.ts";
import type { SessionInstructions } from "../../instructions/instructions.ts";
import { compactionPort } from "../../compaction/compaction-port.ts";
import { conditionCalls } from "../../hooks/open-hooks.ts";
import type { Machine } from "../../machine/machine.ts";
import type { AgentServers } from "../../mcp/servers/agent-servers.ts";
import { agentPorts } from "../../session/agent-ports.ts";
import type { Outbox } from "../../stream/outbox.ts";
import { guardedBy, type ChildBudget } from "./budget.ts";
import { AgentRuleBook, deniedRules } from "./rules.ts";
import { shownSignals } from "./shown.ts";
import { agentPath as agentTranscriptPath } from "@keelson/store/agents";
import { taskHookFields } from "../../tasks/tasks.lazy.ts";
import type { AgentStages } from "../spawner.ts";

export interface ChildParts {
  readonly id: string;
  /** The call that started it. */
  readonly toolUseId: string;
  readonly definition: Pick<AgentDefinition, "name" | "disallowedTools" | "autoCompactWindow">;
  /** The gate of the agent that started it. */
  readonly parentGate: Gate;
  /** The folders that its own is a copy of; undefined if it has none of its own. */
  readonly copyOf?: readonly string[] | undefined;
  readonly workspace: Workspace;
  readonly seen: ReadLedger;
  /** The folder it keeps between sessions. */
  readonly memory?: string | undefined;
  /** At each call: the session's mode may change while the agent works. */
  mode(): PermissionMode;
  /** What would need approval is denied, whatever the mode. */
  neverAsks(): boolean;
  model(): ModelChoice;
  readonly system: readonly string[];
  tools(): readonly Tool[];
  /** Those that it can call although its requests do not describe them. */
  deferredTools(): readonly Tool[];
  toolBetas(): readonly string[];
  /** The servers that only it uses, once they are open. */
  servers(): AgentServers | undefined;
  conversation(): Conversation;
  hooks(): readonly HookRegistration[];
  readonly signal: AbortSignal;
  /** No one waits for it. */
  readonly isInBackground: boolean;
  readonly outbox: Outbox;
  interrupt(): void;
  steering(): readonly NewEntry[];
  /** Its entries, before they are recorded. */
  recording(entries: readonly NewEntry[]): void;
  charged: Ports["charge"];
  /** Its own budget and those of the agents it works for. */
  readonly budgets: readonly ChildBudget[];
  /** The instructions it began with, if it did. */
  preface(): string | undefined;
  /** Those of the files it touches. Undefined if it leaves all of them out. */
  instructions(): Pick<SessionInstructions, "touched"> | undefined;
  /** Before each request and each call: others may have to go first. */
  step(): Promise<void> | undefined;
}

/** What a subagent works with: the session's machine in the agent's folder, and its own view of the rules. */
export interface ChildSurroundings {
  readonly machine: Machine;
  readonly gate: Gate;
  readonly firing: FiringAgent;
  readonly ports: Ports;
}

/** The events of its tool calls are the session's; those of its prompt are not. */
const FORWARDED = new Set<HookEvent>([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PreCompact",
  "PostCompact",
]);

export function surround(child: ChildParts, stages: AgentStages): ChildSurroundings {
  const { storage, hooks, mcp, permitFor, hookPortsFor } = stages;
  const { state, cost } = storage;
  const machine = childMachine(child, stages.machine);
  const gate = childGate(child, { home: state.snapshot.home, warn: storage.options.warn });
  machine.agentRules.set(child.id, {
    rules: () => gate.ruleBook.rules,
    mayRead: (path) => gate.ruleBook.mayReadName(path),
    mode: () => gate.mode,
  });
  const firing: FiringAgent = {
    id: child.id,
    type: child.definition.name,
    cwd: () => child.workspace.cwd,
    mode: () => gate.mode,
    effort: () => child.model().effort,
    hooks: child.hooks,
    callOf: conditionCalls(storage, machine, gate, () => [...child.tools(), ...child.deferredTools()]),
    hookPorts: (signal) => hookPorts(signal),
  };
  const caller = {
    gate,
    firing,
    isInBackground: child.isInBackground,
    conversation: () => child.conversation().messages,
  };
  const hookPorts = hookPortsFor(caller, machine);
  const permit = permitFor(caller);
  const shared = agentPorts({ storage, machine, gate, permit }, child.signal, child.id);
  const fire: Ports["fire"] = async (event, input) => {
    cost.countCall(input);
    if (event === "Stop") {
      const more = { ...agentTranscriptOf(child, stages), ...taskHookFields(machine.tasks, child.id) };
      return hooks.fire(
        "SubagentStop",
        { ...input, agent_id: child.id, agent_type: child.definition.name, ...more, ...stages.schedules.hookFields() },
        child.signal,
        firing,
      );
    }
    return FORWARDED.has(event) ? hooks.fire(event, input, child.signal, firing) : NOTHING_SAID;
  };
  const chargeAgent: Ports["charge"] = (usage, name, durationMs) =>
    cost.charge(usage, name, durationMs, child.definition.name);
  const chargeAside: Ports["charge"] = (...charged) => {
    chargeAgent(...charged);
    for (const budget of child.budgets) budget.charge(...charged);
  };
  const guard: ToolContext["guard"] = (provider) => guardedBy(child.budgets, provider);
  const shown = shownSignals(
    { ...child, type: firing.type },
    () => storage.callTimes.msOf(child.id) ?? 0,
    (signal) => storage.outbox.show(signal),
  );
  const ports: Ports = {
    ...shared,
    context: (block) => ({ ...shared.context(block), charge: chargeAside, guard }),
    get model() {
      return child.model();
    },
    system: child.system,
    tools: child.tools,
    permit: async (request, withdrawn) => {
      await child.step();
      return shared.permit(request, withdrawn);
    },
    toolsReady: async () => {
      await child.step();
      await mcp.ready(child.signal);
    },
    deferredTools: child.deferredTools,
    toolBetas: child.toolBetas,
    toolAlias: (name) => state.toolAliases.get(name),
    awaitTool: (name) => child.servers()?.awaitTool(name, child.signal) ?? mcp.awaitTool(name, child.signal),
    whyMissing: (name) =>
      child.servers()?.whyMissing(name) ?? mcp.servers?.whyMissing(name) ?? whyNotOffered(name, state.allTools),
    signal: child.signal,
    interrupt: child.interrupt,
    partial: () => false,
    record: (entries) => {
      shown.replied();
      child.recording(entries);
      for (const entry of entries)
        if (entry.type === "user" && entry.toolUseResult) cost.countLines(entry.toolUseResult);
      return child.outbox.record(entries);
    },
    show: (signal) => shown.show(signal),
    admitted: () => undefined,
    instructionsFor: (access) => child.instructions()?.touched(access) ?? [],
    steering: () => [...child.steering(), ...(state.codeWatch?.takeNotices(child.id) ?? [])],
    fire,
    compaction: compactionPort({
      snapshot: () => state.snapshot,
      model: child.model,
      window: child.definition.autoCompactWindow,
      isUnattended: true,
      signal: child.signal,
      charge: chargeAside,
      now: shared.now,
      transcript: () => agentTranscriptOf(child, stages).agent_transcript_path,
      leaf: () => child.outbox.leaf,
      preface: child.preface,
      restore: async () =>
        (await import("../../compaction/restore.ts")).restoreAgent({ storage, machine, gate, id: child.id }, ports),
    }),
    charge: (usage, name, durationMs) => {
      child.charged(usage, name, durationMs);
      chargeAgent(usage, name, durationMs);
    },
  };
  const { observed } = storage;
  return {
    machine,
    gate,
    firing,
    ports: observed ? observed.ports(ports, { id: child.id, type: firing.type }) : ports,
  };
}

function agentTranscriptOf({ id }: ChildParts, { storage }: AgentStages): { readonly agent_transcript_path?: string } {
  const { place } = storage;
  return place.path === null ? {} : { agent_transcript_path: agentTranscriptPath(place.dir, place.id, id) };
}

/** The session's machine in the agent's folder. Commands it leaves in the background end with it. */
function childMachine({ id, workspace, seen }: ChildParts, machine: Machine): Machine {
  return { ...machine, tools: { ...machine.tools, workspace, seen, owner: id } };
}

/** Judges by the rules of its parent and its own, where it works. */
export function childGate(
  {
    workspace,
    mode,
    neverAsks,
    memory,
    definition,
    parentGate: gate,
    copyOf,
    id,
  }: Pick<ChildParts, "id" | "workspace" | "mode" | "neverAsks" | "memory" | "definition" | "parentGate" | "copyOf">,
  about: { readonly home: string; warn(text: string): void },
): Gate {
  const denied = deniedRules(definition, workspace.root);
  const ruleBook = new AgentRuleBook(gate.ruleBook, { ...about, workspace, denied, copyOf });
  const own = gate.forAgent({
    ruleBook,
    mode,
    neverAsks,
    ...(memory === undefined ? {} : { memory: () => memory }),
    owner: id,
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    git: { ...gate.git, root: workspace.root, directories: () => workspace.directories },
  });
  // Reading there changes nothing, and its parent may, where the rules let it.
  if (copyOf !== undefined) for (const folder of gate.directories) own.openFolder(folder);
  return own;
}
