// The tools of a subagent: those that its definition leaves of the session's, some of them its own.

import { agentTools } from "@keelson/engine/agents";
import { assemblePool, type Tool } from "@keelson/engine";
import { todoWriteTool, type Todo } from "@keelson/tools";
import type { AgentDefinition } from "@keelson/protocol";
import type { AgentServers } from "../../mcp/open-servers.ts";
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
  { storage, mcp }: AgentStages,
): () => readonly Tool[] {
  const { state } = storage;
  let todos: readonly Todo[] = [];
  const mine = [...own, todoWriteTool({ get: () => todos, set: (next) => (todos = next) })];
  let built: { readonly from: readonly Tool[]; readonly deferred: readonly Tool[]; readonly tools: readonly Tool[] };
  return () => {
    mcp.beforeRequest();
    const { tools: from, deferredTools: deferred } = state;
    if (built?.from === from && built.deferred === deferred) return built.tools;
    const servers = [...from, ...deferred].filter(({ name }) => name.startsWith("mcp__"));
    const shared = servers.map((tool) => ({ ...tool, onDemand: undefined }));
    const pool = [...state.builtInTools, ...shared, ...(mineOnly?.tools() ?? [])]
      .filter(({ name }) => !SESSION_TOOLS.has(name))
      .map((tool) => ownInstance(tool, mine));
    const { tools } = agentTools(pool, definition, {
      kind: background ? "background" : "foreground",
      maySpawn,
      serverOf: (name) => (mcp.servers?.originOf(name) ?? mineOnly?.originOf(name))?.server,
    });
    built = { from, deferred, tools: assemblePool(tools, { rules: [] }) };
    return built.tools;
  };
}

/** Described as the session's is, so that a request need not describe it anew. */
function ownInstance(tool: Tool, mine: readonly Tool[]): Tool {
  const own = mine.find(({ name }) => name === tool.name);
  return own ? { ...own, description: tool.description, input: tool.input } : tool;
}
