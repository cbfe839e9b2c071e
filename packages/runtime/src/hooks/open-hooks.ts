// The hook stage of a session: connects its hooks to the stages before it, and opens the approvals that depend on them.

import { whyHookOff } from "@keelson/config";
import { findTool, type Tool } from "@keelson/engine";
import type { JsonObject, ModelMessage } from "@keelson/protocol";
import type { Approvals, Permit } from "../gate/approvals.ts";
import type { AskPerson } from "../gate/ask.ts";
import type { Classifier } from "../gate/classifier.ts";
import type { Gate } from "../gate/gate.ts";
import type { Machine } from "../machine/machine.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import { agentPorts, toolContexts } from "../session/agent-ports.ts";
import type { Storage } from "../session/storage.ts";
import type { FiringAgent } from "./dispatcher.ts";
import type { HookAgentPorts } from "./handlers/agent.ts";
import { smallModel } from "../model/small-model.ts";
import { openSessionHooks, type SessionHooks } from "./session-hooks.ts";

export interface HookStage {
  readonly hooks: SessionHooks;
  readonly permit: Permit;
  /** For the calls of a subagent. */
  permitFor(caller: AgentCaller): Permit;
  /** For agent hooks that run for events of a subagent. */
  hookPortsFor(caller: AgentCaller, machine: Machine): (signal: AbortSignal) => HookAgentPorts;
}

/** A subagent, as far as its calls need permission. */
export interface AgentCaller {
  readonly gate: Gate;
  readonly firing: FiringAgent;
  /** No one waits for it. */
  readonly isInBackground: boolean;
  conversation(): readonly ModelMessage[];
}

export function openHooks(storage: Storage, machine: Machine, gate: Gate, mcp: McpStage): HookStage {
  const { options, place, state, folders, requests, outbox, inbox, cost, now, newId, callTimes } = storage;
  const { workspace } = folders;
  const { debug, entrypoint } = options;
  let classifier: Promise<Classifier> | undefined;
  const permitWith = (fire: SessionHooks["fireWithoutModels"], caller?: AgentCaller): Permit => {
    let opened: Promise<Approvals> | undefined;
    const below = caller ? [caller.firing.id] : [];
    const openApprovals = async () => {
      // Not needed before the first call.
      const { Approvals } = await import("../gate/approvals.ts");
      const approver = await approverOf(storage, mcp);
      const personNow = () => {
        const person = approver();
        return person && ((...asked: Parameters<AskPerson>) => callTimes.whileAsking(below, () => person(...asked)));
      };
      return new Approvals({
        gate: caller?.gate ?? gate,
        person: personNow,
        showsMeta: () => outbox.clients.wants("toolMeta"),
        ...(caller ? { agent: caller.firing, isInBackground: caller.isInBackground } : {}),
        fire,
        originOf: (tool) => mcp.servers?.originOf(tool),
        // Denials of a subagent do not count against the session.
        openClassifier: () =>
          caller
            ? openClassifier(storage, () => asUserSees(state.conversation.messages, caller.conversation()))
            : (classifier ??= openClassifier(storage)),
        show: (signal) => outbox.show(signal),
      });
    };
    return async (request, signal) => (await (opened ??= openApprovals())).permit(request, signal);
  };
  const permit = permitWith((event, input, signal) => hooks.fire(event, input, signal));
  const hookPorts = (machine: Machine, caller?: AgentCaller) => {
    const fire: SessionHooks["fireWithoutModels"] = (event, input, signal) =>
      hooks.fireWithoutModels(event, input, signal, caller?.firing);
    const inHook = { storage, machine, gate: caller?.gate ?? gate, permit: permitWith(fire, caller) };
    return (signal: AbortSignal): HookAgentPorts => ({
      ...agentPorts(inHook, signal),
      fire: (event, input) => fire(event, input, signal),
    });
  };
  const permitFor = (caller: AgentCaller) =>
    permitWith((event, input, signal) => hooks.fire(event, input, signal, caller.firing), caller);
  const hooks = openSessionHooks({
    place,
    entrypoint,
    snapshot: () => state.snapshot,
    whyOff: (registration) => whyHookOff(registration, state.snapshot.hooks.policy),
    includeEvents: () => outbox.clients.wants("hookEvents"),
    cwd: () => workspace.cwd,
    undoChanges: () => machine.undoChanges(),
    programs: () => machine.governing.programs,
    mode: () => gate.ruleBook.mode,
    effort: () => state.model.effort,
    agentType: () => state.agent?.definition.name,
    env: state.snapshot.env,
    callOf: conditionCalls(storage, machine, gate, () => [...state.tools, ...state.deferredTools]),
    serverOf: (tool) => {
      const origin = state.originOf(tool);
      return origin && { name: origin.server, source: origin.source };
    },
    callClient: (...call) => requests.get().callHook(...call),
    callMcpTool: (...call) => callMcpTool(mcp, ...call),
    model: (name) => smallModel(storage, name),
    ports: hookPorts(machine),
    setTitle: (title) => {
      if (state.title === title) return;
      state.title = title;
      void outbox.show({ type: "system", subtype: "session_title_changed", title });
    },
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
    notify: (entry, how, agent) => {
      const own = agent && machine.agentInboxes.get(agent.id);
      (own ?? inbox).notify(entry, how);
    },
    show: (signal) => outbox.show(signal),
    warn: options.warn,
    ...(debug ? { debug } : {}),
    ...(storage.observed ? { observed: storage.observed } : {}),
    now,
    newId,
  });
  storage.onClear(() => hooks.restart());
  folders.onMove((from, to) => hooks.changes.cwdChanged(from, to));
  folders.onAdd((paths, source) => hooks.changes.directoriesAdded(paths, source));
  return { hooks, permit, permitFor, hookPortsFor: (caller, theirs) => hookPorts(theirs, caller) };
}

/** What the user said, and what the agent did. Its prompt is another agent's. */
function asUserSees(session: readonly ModelMessage[], agents: readonly ModelMessage[]): readonly ModelMessage[] {
  const seen = new Set(session);
  return [...session, ...agents.filter((message) => message.role === "assistant" && !seen.has(message))];
}

/** Tool calls as the `if` rules of hooks see them. */
export function conditionCalls(
  { state, newId }: Storage,
  machine: Machine,
  gate: Gate,
  tools: () => readonly Tool[],
): FiringAgent["callOf"] {
  const { workspace } = machine.tools;
  return async (tool, input) => {
    const context = toolContexts(machine, gate, new AbortController().signal);
    const call = { type: "tool_use", id: newId(), name: tool, input } as const;
    return {
      tool,
      input,
      access: await findTool(tools(), tool)?.access(input, context(call)),
      cwd: workspace.cwd,
      home: state.snapshot.home,
      directories: workspace.directories,
      former: gate.ruleBook.reach,
    };
  };
}

/**
 * Who answers permission questions now: clients, or the MCP tool of `--permission-prompt-tool`. A client that came later
 * is asked even if the one that the session was opened for answers none.
 */
export async function approverOf(
  { options, clients, requests, runState }: Storage,
  mcp: McpStage,
): Promise<() => AskPerson | undefined> {
  const person: AskPerson = (body, withdrawn) => runState.whileAsking(() => requests.get().ask(body, withdrawn));
  if (options.answers.permissions) return () => person;
  const { permissionPromptTool: tool } = options.snapshot.flags;
  if (!tool?.startsWith("mcp__")) return () => (clients.answer("permissions") ? person : undefined);
  const { askPromptTool } = await import("../mcp/permission-tool.ts");
  const program = askPromptTool(tool, mcp);
  return () => program;
}

/**
 * Undefined if the server is not connected or has no such tool. Waits for a server that is still connecting: a hook that
 * guards calls must not miss the first one.
 */
async function callMcpTool({ servers }: McpStage, name: string, tool: string, input: JsonObject, signal: AbortSignal) {
  const server = servers?.get(name);
  if (server?.status === "pending") await server.connect();
  const result = await server?.connection?.call(tool, input, { signal });
  // Why it is not connected matters: a guard must not be missing for lack of resources.
  if (!result && server?.error !== undefined) throw new Error(`the server is not connected: ${server.error}`);
  if (!result) return undefined;
  const { joinedText } = await import("@keelson/mcp");
  return { text: joinedText(result.blocks), isError: result.isError };
}

async function openClassifier(
  { state, folders, cost, outbox, now }: Storage,
  conversation = () => state.conversation.messages,
): Promise<Classifier> {
  const { Classifier } = await import("../gate/classifier.ts");
  const { workspace } = folders;
  return new Classifier({
    rules: () => state.snapshot.settings.autoMode ?? {},
    model: () => state.model,
    conversation,
    directories: () => workspace.directories,
    cwd: () => workspace.cwd,
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
    show: (signal) => outbox.show(signal),
    now,
  });
}
