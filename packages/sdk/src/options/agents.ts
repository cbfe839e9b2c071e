// Agents that a caller defines in code. They take precedence over agent files of the same name.

import type { McpServerConfigForProcessTransport } from "../mcp/config.ts";
import type { PermissionMode } from "../permissions/permissions.ts";

export type EffortLevel = "low" | "medium" | "high" | "xhigh" | "max";

/** A server's name, or a server configuration. */
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

export type AgentDefinition = {
  /** When to use it; the model reads this. */
  description: string;
  /** Its system prompt. */
  prompt: string;
  /** Its tools; all of its parent's if absent. It cannot restore disallowed tools. */
  tools?: string[];
  disallowedTools?: string[];
  /** An alias, a model id, or "inherit". */
  model?: string;
  mcpServers?: AgentMcpServerSpec[];
  skills?: string[];
  initialPrompt?: string;
  maxTurns?: number;
  maxBudgetUsd?: number;
  autoCompactWindow?: number;
  background?: boolean;
  omitClaudeMd?: boolean;
  memory?: "user" | "project" | "local";
  effort?: EffortLevel | number;
  permissionMode?: PermissionMode;
  observer?: string;
  observerMessage?: string;
  criticalSystemReminder_EXPERIMENTAL?: string;
};
