// The tools that the servers offer: which the model gets under which name, where each comes from, and what its policy says.

import type { Rule } from "@keelson/engine";
import type { McpServerTool } from "@keelson/mcp";
import type { ManagedServer } from "./server.ts";
import type { Policy } from "./server-config.ts";

/** A tool with its server and the server's own name for it. */
export interface OfferedMcpTool extends McpServerTool {
  readonly server: ManagedServer;
  readonly policy?: Policy;
}

/** Where a tool comes from. */
export interface ToolOrigin {
  readonly server: string;
  readonly source: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** A name for people. */
  readonly title?: string;
}

const BEHAVIORS = { always_allow: "allow", always_ask: "ask", always_deny: "deny" } as const;
/** The only tools an editor may offer the model. */
const IDE_TOOLS: readonly string[] = ["getDiagnostics", "executeCode"];

/** By their names for the model. If two servers have one of the same name, the first server keeps it. */
export function toolsOfServers(servers: Iterable<ManagedServer>): ReadonlyMap<string, OfferedMcpTool> {
  const tools = new Map<string, OfferedMcpTool>();
  for (const server of servers) {
    for (const { facts, tool } of server.tools) {
      if (tools.has(tool.name) || (server.name === "ide" && !IDE_TOOLS.includes(facts.name))) continue;
      const policy = server.definition.policies.get(facts.name);
      tools.set(tool.name, { server, facts, tool, ...(policy ? { policy } : {}) });
    }
  }
  return tools;
}

/** The policies as command-line rules. */
export function policyRules(offered: Iterable<OfferedMcpTool>, base: string): readonly Rule[] {
  return [...offered].flatMap(({ tool: { name }, policy, server }): Rule[] => {
    if (policy === undefined) return [];
    // Only the user's own configuration and the client may allow.
    if (policy === "always_allow" && server.definition.scope === "project") return [];
    return [{ behavior: BEHAVIORS[policy], tool: name, source: "cliArg", base, text: name }];
  });
}

export function originOfTool({ facts: { name, title }, server: { definition } }: OfferedMcpTool): ToolOrigin {
  return {
    server: definition.name,
    source: definition.source,
    tool: name,
    ...(title === undefined ? {} : { title }),
  };
}
