// Takes away what an agent may not have: because of where it comes from, or because an administrator reserves it.

import type { AgentDefinition } from "@keelson/protocol";
import { whyHookOff } from "../load/hooks.ts";
import { isAsking } from "../load/mode.ts";
import type { Mutable } from "../skills/facts.ts";
import type { HeadProblem } from "../skills/frontmatter/head-node.ts";
import type { AgentSettings } from "./agent-set.ts";

/** Why hooks and servers of agents are not used. Those of managed agents are. */
export interface AgentPolicy {
  readonly hooks?: string | undefined;
  readonly servers?: string | undefined;
}

export function agentPolicy({
  settings,
  flags,
  hooks,
}: Pick<AgentSettings, "settings" | "flags" | "hooks">): AgentPolicy {
  const { strictPluginOnlyCustomization: strict } = settings;
  const isReserved = Array.isArray(strict) ? strict.includes("mcp") : strict !== undefined && strict !== false;
  const reserved = "because managed settings reserve it for plugins (strictPluginOnlyCustomization)";
  const off = whyHookOff({ source: "agent" }, hooks.policy);
  return {
    hooks: off && `because ${off.charAt(0).toLowerCase()}${off.slice(1)}`,
    servers: isReserved ? reserved : flags.strictMcpConfig ? "because of --strict-mcp-config" : undefined,
  };
}

export interface Withholding {
  /** The lines of the fields it has. */
  readonly lines: Readonly<Record<string, number>>;
  readonly policy: AgentPolicy;
  odd(problem: HeadProblem): void;
}

export function withhold(agent: Mutable<AgentDefinition>, { lines, policy, odd }: Withholding): void {
  const { source, plugin, untrusted, permissionMode, mcpServers, memory } = agent;
  const place =
    plugin !== undefined ? "in an agent of a plugin" : untrusted ? "because this folder is not trusted" : undefined;
  const lose = (key: string, why: string, what = "has no effect") =>
    odd({ line: lines[key] ?? 1, why: `\`${key}\` ${what} ${why}` });

  const noHooks = place ?? (source === "managed" ? undefined : policy.hooks);
  if (noHooks !== undefined && "hooks" in lines) {
    agent.hooks = [];
    lose("hooks", noHooks);
  }
  const noServers = place ?? (source === "managed" ? undefined : policy.servers);
  // Names of servers that the session has are fine, except in a plugin.
  const named = plugin === undefined ? mcpServers.filter((server) => typeof server === "string") : [];
  if (noServers !== undefined && named.length < mcpServers.length) {
    agent.mcpServers = named;
    lose("mcpServers", noServers);
  }
  // A mode that is stricter than the parent's holds whoever wrote it; nothing is wider than `bypassPermissions`.
  if (place !== undefined && permissionMode === "bypassPermissions") {
    delete agent.permissionMode;
    lose("permissionMode", place);
  } else if (place !== undefined && permissionMode !== undefined && !isAsking(permissionMode)) {
    lose("permissionMode", place, "does not widen the mode");
  }
  // Memory is a folder that an agent changes unasked; and what the user's own agent of this name remembers is not for
  // this one.
  if (memory !== undefined && untrusted) {
    delete agent.memory;
    lose("memory", place!);
  }
}
