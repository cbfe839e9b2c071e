// The tools of a subagent: those that its definition leaves of the session's, some of them its own.

import { agentTools, type AgentToolsOptions } from "@keelson/engine/agents";
import { assemblePool, type Rule, type Tool } from "@keelson/engine";
import { todoWriteTool, withoutGitGuidance, type Todo } from "@keelson/tools";
import type { AgentDefinition } from "@keelson/protocol";
import type { ToolOffer } from "../../mcp/offer/tool-offer.ts";
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
  /** Defers rare built-in tools; absent for an agent that names its tools. */
  readonly offer?: Pick<ToolOffer, "current"> | undefined;
}

export interface ChildTools {
  /** In its next request. */
  readonly tools: readonly Tool[];
  /** It can call them by name. */
  readonly deferred: readonly Tool[];
}

/** The same arrays until the session's tools change, so that the provider's cache stays valid. */
export function childTools(
  { definition, background, maySpawn, own, servers: mineOnly, offer }: ChildToolsOptions,
  { storage, mcp, gate }: AgentStages,
): () => ChildTools {
  const { state } = storage;
  let todos: readonly Todo[] = [];
  const mine = [...own, todoWriteTool({ get: () => todos, set: (next) => (todos = next) })];
  let built: {
    readonly from: readonly Tool[];
    readonly deferred: readonly Tool[];
    /** Of its servers. */
    readonly version: number | undefined;
    readonly tools: ChildTools;
  };
  const divided = () => (offer ? divide(built.tools.tools, offer, gate.ruleBook.rules) : built.tools);
  return () => {
    mcp.beforeRequest();
    const { tools: from, deferredTools: deferred } = state;
    const version = mineOnly?.version;
    if (built?.from === from && built.deferred === deferred && built.version === version) return divided();
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
    const tools = left.map((tool) => ownInstance(tool, mine));
    built = { from, deferred, version, tools: { tools, deferred: [] } };
    return divided();
  };
}

interface Parted {
  readonly builtIn: readonly Tool[];
  readonly others: readonly Tool[];
}

const parted = new WeakMap<readonly Tool[], Parted>();

/** The same lists for the same tools. */
function divide(
  tools: readonly Tool[],
  offer: NonNullable<ChildToolsOptions["offer"]>,
  rules: readonly Rule[],
): ChildTools {
  const isServers = ({ name }: Tool) => name.startsWith("mcp__");
  const parts = parted.get(tools) ?? {
    builtIn: tools.filter((tool) => !isServers(tool)),
    others: tools.filter(isServers),
  };
  parted.set(tools, parts);
  return offer.current(parts.builtIn, rules, parts.others);
}

type Definition = ChildToolsOptions["definition"];

/** Whether the definition leaves the agent ToolSearch. */
export function maySearch({ definition, background }: Pick<ChildToolsOptions, "definition" | "background">): boolean {
  const kind = background ? "background" : "foreground";
  return agentTools([{ name: "ToolSearch" }], definition, { kind, maySpawn: false }).tools.length > 0;
}

function toolsLeft(pool: readonly Tool[], definition: Definition, options: AgentToolsOptions): readonly Tool[] {
  const ofAgents = pool.filter(({ name }) => !SESSION_TOOLS.has(name));
  const left = assemblePool(agentTools(ofAgents, definition, options).tools, { rules: [] });
  const has = (name: string) => left.some((tool) => tool.name === name);
  // What reads and changes nothing makes no commits.
  const onlyReads = has("Read") && !has("Edit") && !has("Write");
  return onlyReads ? left.map((tool) => (tool.name === "Bash" ? withoutGitGuidance(tool) : tool)) : left;
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
