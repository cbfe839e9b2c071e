// The program's replies to a query's requests, under the names of the official declarations. Callers may change what they
// get, so nothing is readonly.

import type { ControlSubtype, ListedCommand, ReplyTo } from "@keelson/protocol";
import type { McpServerStatus } from "../mcp/config.ts";
import type { ModelUsage } from "../messages/messages.ts";

export type Changeable<T> = T extends readonly (infer Item)[]
  ? Changeable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Changeable<T[Key]> }
    : T;

/** What the official declarations say of a reply where they say something else than what is sent. */
interface Published {
  get_usage: SDKControlGetUsageResponse;
  mcp_status: { mcpServers: McpServerStatus[] };
  reload_plugins: SDKControlReloadPluginsResponse;
  rewind_conversation: SDKControlRewindConversationResponse;
  compact_conversation: SDKControlCompactConversationResponse;
}

export type PublishedReply<Subtype extends ControlSubtype> = Subtype extends keyof Published
  ? Published[Subtype]
  : Changeable<ReplyTo<Subtype>>;

export type SDKControlInitializeResponse = PublishedReply<"initialize">;
export type SlashCommand = Changeable<ListedCommand>;
export type AgentInfo = SDKControlInitializeResponse["agents"][number];
export type ModelInfo = SDKControlInitializeResponse["models"][number];
export type AccountInfo = SDKControlInitializeResponse["account"];
export type FastModeState = NonNullable<SDKControlInitializeResponse["fast_mode_state"]>;

export type SDKControlInterruptResponse = PublishedReply<"interrupt">;
export type RewindFilesResult = PublishedReply<"rewind_files">;
export type SDKControlMcpReadResourceResponse = PublishedReply<"mcp_read_resource">;
export type SDKControlGetContextUsageResponse = PublishedReply<"get_context_usage">;
export type SDKControlReadFileResponse = PublishedReply<"read_file">;
export type SDKControlReloadSkillsResponse = PublishedReply<"reload_skills">;
export type SDKControlReloadOutputStylesResponse = PublishedReply<"reload_output_styles">;

type SessionUsage = Changeable<ReplyTo<"get_usage">["session"]>;

/** Costs are null at run time if the price of a model is unknown. */
export type SDKControlGetUsageResponse = Omit<Changeable<ReplyTo<"get_usage">>, "session"> & {
  session: Omit<SessionUsage, "total_cost_usd" | "model_usage" | "agent_usage"> & {
    total_cost_usd: number;
    model_usage: Record<string, ModelUsage>;
    /** What subagents used of it: by their type, then by model. */
    agent_usage?: Record<string, Record<string, ModelUsage>>;
  };
};

export type SDKControlReloadPluginsResponse = Omit<Changeable<ReplyTo<"reload_plugins">>, "mcpServers"> & {
  mcpServers: McpServerStatus[];
};

/** Keelson only. */
export type SDKControlRunShellCommandResponse = PublishedReply<"run_shell_command">;

/** Keelson only. */
export type SDKControlMcpListResourcesResponse = PublishedReply<"mcp_list_resources">;

/** Keelson only. `prompt` is what the prompt said. */
export type SDKControlRewindConversationResponse = { prompt: string | Record<string, unknown>[]; sessionId: string };

/** Keelson only. `prompt` is what the prompt said; the tokens are those of the conversation before and now. */
export type SDKControlCompactConversationResponse = SDKControlRewindConversationResponse & {
  preTokens: number;
  postTokens: number;
};

/** Keelson only. The new state; `problems` are files that could not be written. */
export type SDKControlUpdatePermissionsResponse = PublishedReply<"update_permissions">;

/** Keelson only. `redirectUrl` is where the browser goes at the end. */
export type SDKControlMcpAuthenticateResponse = PublishedReply<"mcp_authenticate">;
