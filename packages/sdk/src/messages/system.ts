// Messages of type `system`: the state of a session, and what happens in it besides the conversation.

import type { UUID } from "node:crypto";
import type { SlashCommand } from "../control/replies.ts";
import type { PermissionMode } from "../permissions/permissions.ts";

type Stamp = { uuid: UUID; session_id: string };

export type ApiKeySource = "user" | "project" | "org" | "temporary" | "oauth" | (string & {});

/** Sent at the start of every run. */
export type SDKSystemMessage = Stamp & {
  type: "system";
  subtype: "init";
  cwd: string;
  tools: string[];
  mcp_servers: { name: string; status: string; source?: string }[];
  model: string;
  permissionMode: PermissionMode;
  slash_commands: string[];
  terminal_slash_commands?: string[];
  agents?: string[];
  skills: string[];
  plugins: { name: string; path: string; source?: string; version?: string }[];
  plugin_errors?: { plugin: string; type: string; message: string; path?: string }[];
  apiKeySource: ApiKeySource;
  betas?: string[];
  claude_code_version: string;
  /** The version of the program itself. */
  keelson_version?: string;
  output_style: string;
  effort?: string;
  capabilities?: string[];
  fast_mode_state?: "off" | "cooldown" | "on";
};

export type SDKStatus = "compacting" | "requesting" | null;

export type SDKStatusMessage = Stamp & {
  type: "system";
  subtype: "status";
  status: SDKStatus;
  permissionMode?: PermissionMode;
  compact_result?: "success" | "failed";
  compact_error?: string;
};

export type SDKCompactBoundaryMessage = Stamp & {
  type: "system";
  subtype: "compact_boundary";
  compact_metadata: {
    trigger: "manual" | "auto";
    pre_tokens: number;
    post_tokens?: number;
    duration_ms?: number;
    cumulative_dropped_tokens?: number;
    preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
    preserved_messages?: { anchor_uuid: UUID; uuids: UUID[]; all_uuids?: UUID[] };
  };
};

export type SDKHookStartedMessage = Stamp & {
  type: "system";
  subtype: "hook_started";
  hook_id: string;
  hook_name: string;
  hook_event: string;
};

export type SDKHookProgressMessage = Stamp & {
  type: "system";
  subtype: "hook_progress";
  hook_id: string;
  hook_name: string;
  hook_event: string;
  stdout: string;
  stderr: string;
  output: string;
};

export type SDKHookResponseMessage = Stamp & {
  type: "system";
  subtype: "hook_response";
  hook_id: string;
  hook_name: string;
  hook_event: string;
  output: string;
  stdout: string;
  stderr: string;
  exit_code?: number;
  outcome: "success" | "error" | "cancelled";
};

export type SDKTaskUsage = { total_tokens: number; tool_uses: number; duration_ms: number };

export type SDKTaskStartedMessage = Stamp & {
  type: "system";
  subtype: "task_started";
  task_id: string;
  run_id?: string;
  tool_use_id?: string;
  description: string;
  subagent_type?: string;
  is_backgrounded?: boolean;
  spawn_depth?: number;
  parent_task_id?: string;
  task_type?: string;
  workflow_name?: string;
  prompt?: string;
  skip_transcript?: boolean;
  ambient?: boolean;
};

export type SDKTaskProgressMessage = Stamp & {
  type: "system";
  subtype: "task_progress";
  task_id: string;
  tool_use_id?: string;
  description: string;
  subagent_type?: string;
  usage: SDKTaskUsage;
  last_tool_name?: string;
  summary?: string;
};

export type SDKTaskUpdatedMessage = Stamp & {
  type: "system";
  subtype: "task_updated";
  task_id: string;
  patch: {
    status?: "pending" | "running" | "completed" | "failed" | "killed" | "paused";
    description?: string;
    end_time?: number;
    total_paused_ms?: number;
    error?: string;
    is_backgrounded?: boolean;
  };
};

export type SDKTaskNotificationMessage = Stamp & {
  type: "system";
  subtype: "task_notification";
  task_id: string;
  tool_use_id?: string;
  status: "completed" | "failed" | "stopped";
  output_file: string;
  summary: string;
  usage?: SDKTaskUsage;
  reason?: string;
};

/** All background tasks that run now; replaces the previous list. */
export type SDKBackgroundTasksChangedMessage = Stamp & {
  type: "system";
  subtype: "background_tasks_changed";
  tasks: {
    task_id: string;
    run_id?: string;
    task_type: string;
    subagent_type?: string;
    description: string;
    parent_task_id?: string;
    ambient?: boolean;
  }[];
};

export type SDKSessionStateChangedMessage = Stamp & {
  type: "system";
  subtype: "session_state_changed";
  state: "idle" | "running" | "requires_action";
};

export type SDKPermissionDeniedMessage = Stamp & {
  type: "system";
  subtype: "permission_denied";
  tool_name: string;
  tool_use_id: string;
  agent_id?: string;
  decision_reason_type?: string;
  decision_reason?: string;
  message: string;
};

export type SDKInformationalMessage = Stamp & {
  type: "system";
  subtype: "informational";
  content: string;
  level: "info" | "notice" | "suggestion" | "warning";
  tool_use_id?: string;
  prevent_continuation?: boolean;
  tag?: string;
};

export type SDKNotificationMessage = Stamp & {
  type: "system";
  subtype: "notification";
  key: string;
  text: string;
  priority: "low" | "medium" | "high" | "immediate";
  color?: string;
  timeout_ms?: number;
};

export type SDKAPIRetryMessage = Stamp & {
  type: "system";
  subtype: "api_retry";
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  error_status: number | null;
  error: string;
  no_response?: { waited_ms: number; retry_wait_ms: number };
};

export type SDKThinkingTokensMessage = Stamp & {
  type: "system";
  subtype: "thinking_tokens";
  estimated_tokens: number;
  estimated_tokens_delta: number;
};

export type SDKModelRefusalFallbackMessage = Stamp & {
  type: "system";
  subtype: "model_refusal_fallback";
  trigger: string;
  direction: string;
  scope?: string;
  original_model: string;
  fallback_model: string;
  request_id: string | null;
  retracted_message_uuids?: string[];
  content: string;
};

export type SDKModelRefusalNoFallbackMessage = Stamp & {
  type: "system";
  subtype: "model_refusal_no_fallback";
  original_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  refused_user_message_uuid?: string;
  content: string;
};

export type SDKLocalCommandOutputMessage = Stamp & {
  type: "system";
  subtype: "local_command_output";
  content: string;
};

/** All current slash commands; replaces the previous list. */
export type SDKCommandsChangedMessage = Stamp & {
  type: "system";
  subtype: "commands_changed";
  commands: SlashCommand[];
};

export type SDKControlRequestProgressMessage = Stamp & {
  type: "system";
  subtype: "control_request_progress";
  request_id: string;
  status: "started" | "api_retry";
  attempt?: number;
  max_retries?: number;
  retry_delay_ms?: number;
};

export type SDKPluginInstallMessage = Stamp & {
  type: "system";
  subtype: "plugin_install";
  status: "started" | "installed" | "failed" | "completed";
  name?: string;
  error?: string;
};

export type SDKFilesPersistedEvent = Stamp & {
  type: "system";
  subtype: "files_persisted";
  files: { filename: string; file_id: string }[];
  failed: { filename: string; error: string }[];
  processed_at: string;
};

export type SDKMemoryRecallMessage = Stamp & {
  type: "system";
  subtype: "memory_recall";
  mode: "select" | "synthesize";
  memories: { path: string; scope: string; content?: string }[];
};

export type SDKElicitationCompleteMessage = Stamp & {
  type: "system";
  subtype: "elicitation_complete";
  mcp_server_name: string;
  elicitation_id: string;
};

export type SDKWorkerShuttingDownMessage = Stamp & {
  type: "system";
  subtype: "worker_shutting_down";
  reason: string;
};

export type SDKSessionWritesLostMessage = Stamp & {
  type: "system";
  subtype: "session_writes_lost";
  error_code: "ENOSPC" | "EDQUOT";
  lost: string[];
  transcript_session_ids?: string[];
};

/** Entries that a session store did not accept. Created here, not by the program. */
export type SDKMirrorErrorMessage = Stamp & {
  type: "system";
  subtype: "mirror_error";
  error: string;
  key: { projectKey: string; sessionId: string; subpath?: string };
};

export type SDKSystemSignal =
  | SDKStatusMessage
  | SDKCompactBoundaryMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskUpdatedMessage
  | SDKTaskNotificationMessage
  | SDKBackgroundTasksChangedMessage
  | SDKSessionStateChangedMessage
  | SDKPermissionDeniedMessage
  | SDKInformationalMessage
  | SDKNotificationMessage
  | SDKAPIRetryMessage
  | SDKThinkingTokensMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKLocalCommandOutputMessage
  | SDKCommandsChangedMessage
  | SDKControlRequestProgressMessage
  | SDKPluginInstallMessage
  | SDKFilesPersistedEvent
  | SDKMemoryRecallMessage
  | SDKElicitationCompleteMessage
  | SDKWorkerShuttingDownMessage
  | SDKSessionWritesLostMessage
  | SDKMirrorErrorMessage;
