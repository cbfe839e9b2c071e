// The program's replies to a query's requests.

import type { McpServerStatus } from "../mcp/config.ts";
import type { ModelUsage } from "../messages/messages.ts";

export type SlashCommand = {
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
};

export type AgentInfo = { name: string; description: string; model?: string };

export type ModelInfo = {
  value: string;
  resolvedModel?: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: ("low" | "medium" | "high" | "xhigh" | "max")[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
  supportsAutoMode?: boolean;
};

export type AccountInfo = {
  email?: string;
  organization?: string;
  subscriptionType?: string;
  tokenSource?: string;
  apiKeySource?: string;
  apiProvider?:
    "firstParty" | "bedrock" | "vertex" | "foundry" | "anthropicAws" | "anthropicGoogleCloud" | "mantle" | "gateway";
};

export type FastModeState = "off" | "cooldown" | "on";

export type SDKControlInitializeResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: ModelInfo[];
  account: AccountInfo;
  pid?: number;
  claude_code_version?: string;
  current_permission_mode?: string;
  hook_on_failure_supported?: boolean;
  hooks_applied?: boolean;
  plugins_applied?: boolean;
  mcp_servers_applied?: boolean;
  session_state?: string;
  capabilities?: string[];
  fast_mode_state?: FastModeState;
};

export type SDKControlInterruptResponse = { still_queued: string[]; cancelled?: string[] };

export type RewindFilesResult = {
  canRewind: boolean;
  error?: string;
  filesChanged?: string[];
  insertions?: number;
  deletions?: number;
  skippedLinks?: number;
  /** Files that others changed in the meantime; `copy` has their earlier content. A dry run makes no copies. */
  externallyChanged?: { path: string; copy?: string }[];
  /** Only in Keelson: files that may not be restored, and why. */
  refused?: { path: string; reason: string }[];
  /** Changed files of which no copy could be kept: they stay as they are. */
  notKept?: string[];
};

type ContextCategoryId =
  | "system_prompt"
  | "system_tools"
  | "mcp_tools"
  | "mcp_instructions"
  | "mcp_tools_deferred"
  | "system_tools_deferred"
  | "custom_agents"
  | "memory_files"
  | "skills"
  | "messages"
  | "autocompact_buffer"
  | "compact_buffer"
  | "free_space";

export type SDKControlMcpReadResourceResponse = { contents: unknown[] };

export type SDKControlGetContextUsageResponse = {
  categories: {
    id?: ContextCategoryId;
    name: string;
    tokens: number;
    color: string;
    isDeferred?: boolean;
    kind: "used" | "free" | "buffer" | "deferred";
  }[];
  totalTokens: number;
  maxTokens: number;
  rawMaxTokens: number;
  percentage: number;
  gridRows: {
    color: string;
    isFilled: boolean;
    categoryName: string;
    tokens: number;
    percentage: number;
    squareFullness: number;
  }[][];
  model: string;
  memoryFiles: { path: string; type: string; tokens: number }[];
  mcpTools: { name: string; serverName: string; tokens: number; isLoaded?: boolean }[];
  mcpInstructions?: unknown[];
  deferredBuiltinTools?: { name: string; tokens: number; isLoaded: boolean }[];
  systemTools?: { name: string; tokens: number }[];
  systemPromptSections?: { name: string; tokens: number }[];
  agents: { agentType: string; source: string; tokens: number }[];
  slashCommands?: { totalCommands: number; includedCommands: number; tokens: number };
  skills?: {
    totalSkills: number;
    includedSkills: number;
    tokens: number;
    skillFrontmatter: { name: string; source: string; tokens: number }[];
  };
  autoCompactThreshold?: number;
  isAutoCompactEnabled: boolean;
  messageBreakdown?: unknown;
  apiUsage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
  } | null;
};

export type SDKControlGetUsageResponse = {
  session: {
    total_cost_usd: number;
    total_api_duration_ms: number;
    total_duration_ms: number;
    total_lines_added: number;
    total_lines_removed: number;
    model_usage: Record<string, ModelUsage>;
    /** What subagents used of it: by their type, then by model. */
    agent_usage?: Record<string, Record<string, ModelUsage>>;
  };
  subscription_type: string | null;
  rate_limits_available: boolean;
  rate_limits: unknown;
  behaviors: unknown;
};

export type SDKControlReadFileResponse = {
  contents: string;
  absPath: string;
  /** Only of base64. */
  encoding?: "base64";
  /** Only of text: whether bytes that are not valid UTF-8 were replaced. */
  lossy?: boolean;
  requested_path?: string;
  truncated?: boolean;
};

export type SDKControlReloadPluginsResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  plugins: { name: string; path: string; source?: string }[];
  mcpServers: McpServerStatus[];
  error_count: number;
};

export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };
export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

/** Keelson only. */
export type SDKControlRunShellCommandResponse = { user_message_uuid: string; tool_use_id: string };

/** Keelson only. */
export type SDKControlMcpListResourcesResponse = {
  resources: { server: string; uri: string; name: string; description?: string }[];
};

/** Keelson only. `prompt` is what the prompt said. */
export type SDKControlRewindConversationResponse = { prompt: string | Record<string, unknown>[]; sessionId: string };

/** Keelson only. `prompt` is what the prompt said; the tokens are those of the conversation before and now. */
export type SDKControlCompactConversationResponse = SDKControlRewindConversationResponse & {
  preTokens: number;
  postTokens: number;
};

/** Keelson only. The new state; `problems` are files that could not be written. */
export type SDKControlUpdatePermissionsResponse = {
  state: {
    rules: {
      source: string;
      ruleBehavior: "allow" | "ask" | "deny";
      ruleValue: { toolName: string; ruleContent?: string };
    }[];
    workspaceDirectories: string[];
    originalCwd: string;
    managedOnly: boolean;
  };
  problems?: string[];
};

/** Keelson only. `redirectUrl` is where the browser goes at the end. */
export type SDKControlMcpAuthenticateResponse = {
  authUrl: string;
  redirectUrl: string;
  requiresUserAction: boolean;
  opened: boolean;
};
