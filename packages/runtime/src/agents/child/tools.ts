// The tools of a subagent: those that its definition leaves of the session's, some of them its own.

import { agentTools, type AgentToolsOptions } from "@keelson/engine/agents";
import { assemblePool, type Tool } from "@keelson/engine";
import { todoWriteTool, type Todo } from "@keelson/tools";
import type { AgentDefinition } from "@keelson/protocol";
import type { AgentServers } from "../../mcp/servers/agent-servers.ts";
import type { AgentStages } from "../spawner.ts";

/** They move or end the session itself, or load tools for it. */
const SESSION_TOOLS = new Set(["EnterWorktree", "ExitWorktree", "StructuredOutput", "ToolSearch"]);

export interface ChildToolsOptions {
  readonly definition: Pick<AgentDefinition, "tools" | "disallowedTools">;
  readonly background: boolean;
  readonly maySpawn: boolean;
  /** Its own instances, which take the place of the session's. */
  readonly own: readonly Tool[];
  /** The servers that only it uses. */
  readonly servers?: AgentServers | undefined;
}

/** The same array until the session's tools change, so that the provider's cache stays valid. */
export function childTools(
  { definition, background, maySpawn, own, servers: mineOnly }: ChildToolsOptions,
  { storage, mcp, gate }: AgentStages,
): () => readonly Tool[] {
  const { state } = storage;
  let todos: readonly Todo[] = [];
  const mine = [...own, todoWriteTool({ get: () => todos, set: (next) => (todos = next) })];
  let built: {
    readonly from: readonly Tool[];
    readonly deferred: readonly Tool[];
    /** Of its servers. */
    readonly version: number | undefined;
    readonly tools: readonly Tool[];
  };
  return () => {
    mcp.beforeRequest();
    const { tools: from, deferredTools: deferred } = state;
    const version = mineOnly?.version;
    if (built?.from === from && built.deferred === deferred && built.version === version) return built.tools;
    const servers = [...from, ...deferred].filter(({ name }) => name.startsWith("mcp__"));
    const shared = servers.map((tool) => ({ ...tool, onDemand: undefined }));
    // Of the session's tools, rules have taken theirs already.
    const added = mineOnly ? [...shared, ...assemblePool(mineOnly.tools(), gate.ruleBook)] : shared;
    const kind = background ? "background" : "foreground";
    const serverOf = (name: string) => (mcp.servers?.originOf(name) ?? mineOnly?.originOf(name))?.server;
    const left =
      added.length === 0
        ? builtInLeft(state.builtInTools, definition, { kind, maySpawn })
        : toolsLeft([...state.builtInTools, ...added], definition, { kind, maySpawn, serverOf });
    built = { from, deferred, version, tools: left.map((tool) => ownInstance(tool, mine)) };
    return built.tools;
  };
}

type Definition = ChildToolsOptions["definition"];

function toolsLeft(pool: readonly Tool[], definition: Definition, options: AgentToolsOptions): readonly Tool[] {
  const ofAgents = pool.filter(({ name }) => !SESSION_TOOLS.has(name));
  return assemblePool(agentTools(ofAgents, definition, options).tools, { rules: [] });
}

/** By the session's tools, then by agent. A cache, not state: neither changes, and most agents are of a few kinds. */
const known = new WeakMap<
  readonly Tool[],
  WeakMap<Definition, AgentToolsOptions & { readonly tools: readonly Tool[] }>
>();

function builtInLeft(pool: readonly Tool[], definition: Definition, options: AgentToolsOptions): readonly Tool[] {
  const ofPool = known.get(pool) ?? new WeakMap();
  known.set(pool, ofPool);
  const last = ofPool.get(definition);
  if (last?.kind === options.kind && last.maySpawn === options.maySpawn) return last.tools;
  const tools = toolsLeft(pool, definition, options);
  ofPool.set(definition, { ...options, tools });
  return tools;
}

/** Described as the session's is, so that a request need not describe it anew. */
function ownInstance(tool: Tool, mine: readonly Tool[]): Tool {
  const own = mine.find(({ name }) => name === tool.name);
  return own ? { ...own, description: tool.description, input: tool.input } : tool;
}
