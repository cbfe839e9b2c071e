// The agent stage of a session: which agents there are, what the model sees of them, and how they are started,
// continued and ended.

import { openAgentSet } from "@keelson/config/agent-set";
import { ToolError, type Tool } from "@keelson/engine";
import { agentsLeft } from "@keelson/engine/agent-listing";
import type { AgentDefinition, JsonObject, NewEntry } from "@keelson/protocol";
import { agentTool, sendMessageTool, type AgentAnswer, type AgentKeeper, type AgentOrder } from "@keelson/tools";
import { isVariableOn } from "@keelson/protocol";
import { Slots } from "../mcp/servers/slots.ts";
import { builtInAgents, withBuiltIn } from "./built-in/built-in.ts";
import { AgentListing, toldAgents } from "./listing.ts";
import type * as Running from "./run-agents.ts";
import { deferredOf, toolsOf } from "../session/state.ts";
import { mostAgents, type AgentStages, type Spawner } from "./spawner.ts";

export interface AgentStage {
  /** The Agent tool of the session's own agent. */
  readonly tool: Tool;
  /** Those that can be started now, in the order in which they are listed. */
  list(): readonly AgentDefinition[];
  find(name: string): AgentDefinition | undefined;
  /** Agents that the model does not know yet; undefined if it knows all. */
  takeListing(): NewEntry | undefined;
  /** Agents that the client defines. */
  setClient(client: string, agents: JsonObject | undefined): void;
  /** Reads the files again. */
  reload(): void;
  /** Whether files were added, changed or removed. Not looked up right after they were read. */
  areChanged(): boolean;
  /** The SendMessage tool of the session's own agent. */
  readonly messageTool: Tool;
  /** A forked skill: rejects with a sentence for the user if it does not come to an answer. */
  runSkill(order: SkillOrder): Promise<{ readonly agentId: string; readonly result: string }>;
  /** The session's own agent. */
  readonly self: Spawner;
  /** Loads what starts an agent, unless the session offers none. */
  warm(): void;
  /** Ends every agent. */
  close(): Promise<void>;
}

/** The agents of all clients; undefined if none has any. A name is that of the client that brought it first. */
function allOf(byClient: ReadonlyMap<string, JsonObject>): JsonObject | undefined {
  return byClient.size === 0 ? undefined : Object.assign({}, ...[...byClient.values()].reverse());
}

export type SkillOrder = Parameters<typeof Running.runSkill>[0];

export function openAgents(stages: AgentStages): AgentStage {
  const { storage, machine, gate, skills } = stages;
  const { state, place, runState } = storage;
  const ofClients = new Map<string, JsonObject>();
  const isDenied = (path: string) =>
    state.snapshot.rules.some(({ behavior }) => behavior === "deny") && !gate.ruleBook.mayReadName(path);
  let set = openAgentSet(state.snapshot, { isDenied, client: () => allOf(ofClients) });
  let isFresh = true;
  let isChecked = false;
  const areChanged = () => {
    isChecked = true;
    return set.areChanged();
  };
  const builtIn = builtInAgents(state.snapshot.env);
  let merged: { readonly own: readonly AgentDefinition[]; readonly all: readonly AgentDefinition[] } | undefined;
  const all = () => {
    const own = set.list();
    if (merged?.own !== own) merged = { own, all: withBuiltIn(own, builtIn) };
    return merged.all;
  };
  /** The agent that the session runs as may start only some. */
  const mayStart = (name: string) => state.agent?.agents?.includes(name) ?? true;
  let listed: { readonly from: readonly unknown[]; readonly agents: readonly AgentDefinition[] } | undefined;
  /** The same array until something changes: it is looked at before each request. */
  const list = () => {
    const from = [all(), gate.ruleBook.rules, state.agent];
    if (!listed?.from.every((each, at) => each === from[at]))
      listed = { from, agents: agentsLeft(all(), gate.ruleBook.rules).filter(({ name }) => mayStart(name)) };
    return listed.agents;
  };
  const find = (name: string) => {
    // What an agent may use must be what its file says now; the first request did not wait for a look at the files.
    if (!isChecked && areChanged()) set = set.reload(state.snapshot);
    return all().find((agent) => agent.name === name);
  };
  const self: Spawner = {
    id: undefined,
    depth: 0,
    isFork: false,
    refuses: [],
    budgets: [],
    machine,
    gate,
    model: () => skills.effects.model,
    system: () => state.system,
    tools: () => toolsOf(state),
    deferredTools: () => deferredOf(state),
    conversation: () => state.conversation,
    interrupt: () => runState.interrupt(),
  };
  const listing = new AgentListing(place.loaded ? toldAgents().toldIn(place.loaded.entries) : [], storage.newId);
  storage.onClear(() => listing.restart());
  storage.onCompact(() => listing.restart());
  storage.onRewind((entries) => listing.restart(toldAgents().toldIn(entries)));
  const slots = new Slots(mostAgents(state.snapshot.env));
  const forks = isVariableOn(state.snapshot.env["CLAUDE_CODE_FORK_SUBAGENT"]);

  const host: Running.AgentHost = {
    stages,
    slots,
    find,
    mayStart,
    forks,
    toolsFor: (agent) => [toolOf(agent), messageToolOf(agent)],
  };
  /** Loaded while the model thinks about the first prompt, or with the first agent. */
  const running = () => import("./run-agents.ts");
  const toolOf = (agent: Spawner) => agentTool(keeperOf(agent), { teams: stages.team?.teammates !== undefined });
  const messageToolOf = (from: Spawner) =>
    sendMessageTool({
      send: async (to, message, summary, toolUseId) => {
        // Messages of the protocol between members are the session's own to send.
        const mayWrite = from === self || typeof message === "string";
        const toTeam = mayWrite ? await stages.team?.send(to, message, summary) : undefined;
        if (toTeam) return toTeam;
        const text = typeof message === "string" ? message : JSON.stringify(message);
        const { sendToAgent } = await import("./messages.ts");
        return sendToAgent({ to, text, from, toolUseId }, host);
      },
    });
  const keeperOf = (agent: Spawner): AgentKeeper => ({
    typeOf: (order) => typeOf(order),
    start: async (order, toolUseId, signal): Promise<AgentAnswer> =>
      (await teammateOf(order, agent)) ??
      (await running()).startAgent({ order, type: typeOf(order), toolUseId, signal }, agent, host),
  });
  /** Only the session's own agent has teammates. */
  const teammateOf = async (order: AgentOrder, agent: Spawner): Promise<AgentAnswer | undefined> => {
    const teammates = stages.team?.teammates;
    const { name } = order;
    if (!teammates || agent !== self || name === undefined || order.isolation !== undefined) return undefined;
    const { startTeammate } = await import("../team/lead/start-teammate.ts");
    const type = typeOf(order);
    return startTeammate(teammates, { ...order, name }, type, find(type));
  };
  const typeOf = ({ subagent_type: type }: AgentOrder): string => {
    const wanted = type || (forks ? "fork" : "general-purpose");
    if ((find(wanted) || (forks && wanted === "fork")) && mayStart(wanted)) return wanted;
    const names = list().map(({ name }) => name);
    throw new ToolError(`Agent type '${wanted}' not found. Available agents: ${toldAgents().namesInShort(names)}`);
  };
  return {
    tool: toolOf(self),
    list,
    find,
    self,
    takeListing: () =>
      toolsOf(state).some(({ name }) => name === "Agent")
        ? listing.take(list(), state.model.profile.contextWindow)
        : undefined,
    setClient(client, agents) {
      if (agents) ofClients.set(client, agents);
      else if (!ofClients.delete(client)) return;
      set = set.reload();
    },
    reload: () => void (set = set.reload(state.snapshot)),
    areChanged: () => (isFresh ? (isFresh = false) : areChanged()),
    messageTool: messageToolOf(self),
    runSkill: async (order) => (await running()).runSkill(order, self, host),
    warm() {
      if (state.tools.some(({ name }) => name === "Agent")) void running().then(({ warm }) => warm(host));
    },
    async close() {
      const agents = machine.tasks.list().filter(({ type, status }) => type === "local_agent" && status === "running");
      await Promise.all(agents.map(({ id }) => machine.tasks.stop(id)));
      // Later sessions find large folders faster.
      set.saveIndex();
    },
  };
}
