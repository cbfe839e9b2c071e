// The messages beside the conversation: every one of type `system`, by subtype, and those with a type of their own.
// Optional fields and messages that Keelson never sends are of the reference, whose clients may read them.

import type { PermissionMode } from "../configuration/permission.ts";
import type { JsonObject } from "../json.ts";
import type { ListedCommand, ListedPlugin } from "./control-requests.ts";

export interface SystemMessages {
  /** Sent at the start of every run. */
  init: {
    readonly cwd: string;
    readonly tools: readonly string[];
    readonly mcp_servers: readonly { readonly name: string; readonly status: string; readonly source?: string }[];
    readonly model: string;
    readonly permissionMode: PermissionMode;
    readonly slash_commands: readonly string[];
    readonly terminal_slash_commands?: readonly string[];
    readonly agents?: readonly string[];
    readonly skills: readonly string[];
    readonly plugins: readonly ListedPlugin[];
    readonly plugin_errors?: readonly {
      readonly plugin: string;
      readonly type: string;
      readonly message: string;
      readonly path?: string;
    }[];
    readonly apiKeySource: string;
    readonly betas?: readonly string[];
    readonly claude_code_version: string;
    /** Keelson only: its own version, beside the compatible one. */
    readonly keelson_version?: string;
    readonly output_style: string;
    readonly memory_paths?: { readonly auto: string };
    readonly original_cwd?: string;
    readonly additional_directories?: readonly string[];
    readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
    readonly capabilities?: readonly string[];
    readonly fast_mode_state?: "off" | "cooldown" | "on";
  };
  status: {
    readonly status: "compacting" | "requesting" | null;
    readonly permissionMode?: PermissionMode;
    /** For views with `toolMeta`, while `status` is "compacting": the `uuid` that `compact_boundary` will have. */
    readonly compact_boundary_uuid?: string;
    readonly compact_result?: "success" | "failed";
    readonly compact_error?: string;
  };
  compact_boundary: {
    readonly compact_metadata: {
      readonly trigger: "manual" | "auto";
      readonly pre_tokens: number;
      readonly post_tokens?: number;
      readonly duration_ms?: number;
      readonly cumulative_dropped_tokens?: number;
      readonly preserved_segment?: {
        readonly head_uuid: string;
        readonly anchor_uuid: string;
        readonly tail_uuid: string;
      };
      readonly preserved_messages?: {
        readonly anchor_uuid: string;
        readonly uuids: readonly string[];
        readonly all_uuids?: readonly string[];
      };
    };
    readonly logical_parent_uuid?: string;
  };
  hook_started: RunningHook;
  hook_progress: RunningHook & { readonly stdout: string; readonly stderr: string; readonly output: string };
  hook_response: RunningHook & {
    readonly output: string;
    readonly stdout: string;
    readonly stderr: string;
    readonly exit_code?: number;
    readonly outcome: "success" | "error" | "cancelled";
  };
  task_started: {
    readonly task_id: string;
    readonly run_id?: string;
    readonly tool_use_id?: string;
    readonly description: string;
    readonly subagent_type?: string;
    readonly is_backgrounded?: boolean;
    readonly spawn_depth?: number;
    readonly parent_task_id?: string;
    readonly task_type?: string;
    readonly workflow_name?: string;
    readonly prompt?: string;
    readonly skip_transcript?: boolean;
    readonly ambient?: boolean;
  };
  task_progress: {
    readonly task_id: string;
    readonly tool_use_id?: string;
    readonly description: string;
    readonly subagent_type?: string;
    readonly usage?: TaskUsageOnWire;
    readonly last_tool_name?: string;
    readonly summary?: string;
  };
  task_updated: {
    readonly task_id: string;
    readonly patch: {
      readonly status?: "pending" | "running" | "completed" | "failed" | "killed" | "paused";
      readonly description?: string;
      readonly end_time?: number | null;
      readonly total_paused_ms?: number;
      readonly error?: string;
      readonly is_backgrounded?: boolean;
    };
  };
  task_notification: {
    readonly task_id: string;
    readonly tool_use_id?: string;
    readonly status: "completed" | "failed" | "stopped";
    readonly output_file: string;
    readonly summary: string;
    readonly usage?: TaskUsageOnWire;
    readonly reason?: "worker_restart";
    readonly ambient?: boolean;
  };
  /** All background tasks that run now; replaces the previous list. */
  background_tasks_changed: {
    readonly tasks: readonly {
      readonly task_id: string;
      readonly run_id?: string;
      readonly task_type: string;
      readonly subagent_type?: string;
      readonly description: string;
      readonly parent_task_id?: string;
      readonly ambient?: boolean;
    }[];
  };
  session_state_changed: { readonly state: "idle" | "running" | "requires_action"; readonly sdk_host_only?: true };
  session_title_changed: { readonly title: string };
  permission_denied: {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly agent_id?: string;
    readonly decision_reason_type?: string;
    readonly decision_reason?: string;
    /** What the user can do so that such a call runs. */
    readonly how_to_allow?: string;
    readonly message: string;
  };
  informational: {
    readonly content: string;
    readonly level: "info" | "notice" | "suggestion" | "warning" | "error";
    readonly tool_use_id?: string;
    readonly prevent_continuation?: boolean;
    readonly tag?: string;
    readonly prompt_submit_outcome?: {
      readonly kind: string;
      readonly prompt_kept: boolean;
      readonly reason: string;
    };
  };
  notification: {
    readonly key: string;
    readonly text: string;
    readonly priority: "low" | "medium" | "high" | "immediate";
    readonly color?: string;
    readonly timeout_ms?: number;
  };
  api_retry: {
    readonly attempt: number;
    readonly max_retries: number;
    readonly retry_delay_ms: number;
    readonly error_status: number | null;
    readonly error: string;
    readonly no_response?: { readonly waited_ms: number; readonly retry_wait_ms: number };
  };
  thinking_tokens: { readonly estimated_tokens: number; readonly estimated_tokens_delta: number };
  /** Keelson only: another model answers this request. */
  model_fallback: {
    readonly trigger: string;
    readonly original_model: string;
    readonly fallback_model: string;
    readonly content: string;
  };
  model_refusal_fallback: {
    readonly trigger: "refusal";
    readonly direction: "retry" | "revert" | "sticky";
    readonly scope?: "local" | "session";
    readonly original_model: string;
    readonly fallback_model: string;
    readonly request_id: string | null;
    readonly retracted_message_uuids?: readonly string[];
    readonly content: string;
  };
  model_refusal_no_fallback: {
    readonly original_model: string;
    readonly request_id: string | null;
    readonly api_refusal_category?: string | null;
    readonly api_refusal_explanation?: string | null;
    readonly refused_user_message_uuid?: string | null;
    readonly content: string;
  };
  local_command_output: { readonly content: string };
  /** All current slash commands; replaces the previous list. */
  commands_changed: { readonly commands: readonly ListedCommand[] };
  /** Keelson only: the conversation continues from before this prompt. It is also among the messages of the past. */
  conversation_rewound: {
    readonly user_message_id: string;
    readonly leaf_uuid: string | null;
    /** One sentence for people. */
    readonly content: string;
  };
  control_request_progress: {
    readonly request_id: string;
    readonly status: "started" | "api_retry";
    readonly attempt?: number;
    readonly max_retries?: number;
    readonly retry_delay_ms?: number;
  };
  /** Keelson only: how a sign-in ended that a client started. */
  mcp_sign_in: { readonly server_name: string; readonly state: "signed_in" | "failed"; readonly error?: string };
  /** Keelson only. */
  mcp_server_status: { readonly server_name: string; readonly status: string; readonly error?: string };
  plugin_install: {
    readonly status: "started" | "installed" | "failed" | "completed";
    readonly name?: string;
    readonly error?: string;
  };
  files_persisted: {
    readonly files: readonly { readonly filename: string; readonly file_id: string }[];
    readonly failed: readonly { readonly filename: string; readonly error: string }[];
    readonly processed_at: string;
  };
  memory_recall: {
    readonly mode: "select" | "synthesize";
    readonly memories: readonly {
      readonly path: string;
      readonly scope: "organization" | "personal" | "team";
      readonly content?: string;
    }[];
  };
  elicitation_complete: { readonly mcp_server_name: string; readonly elicitation_id: string };
  worker_shutting_down: { readonly reason: string };
  session_writes_lost: {
    readonly error_code: "ENOSPC" | "EDQUOT";
    readonly lost: readonly ("global_config" | "transcript")[];
    readonly transcript_session_ids?: readonly string[];
  };
}

export type SystemSubtype = keyof SystemMessages;

/** A message as it is made: the outbox adds `uuid` and `session_id`. */
export type SystemSignal<Subtype extends SystemSubtype = SystemSubtype> = {
  [Each in Subtype]: { readonly type: "system"; readonly subtype: Each } & SystemMessages[Each];
}[Subtype];

interface RunningHook {
  readonly hook_id: string;
  /** `PreToolUse:Bash`. */
  readonly hook_name: string;
  readonly hook_event: string;
}

interface TaskUsageOnWire {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

/** What the outbox adds. */
export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}

/** The state of a prompt that its sender gave an id. */
export interface CommandLifecycleMessage extends Stamped {
  readonly type: "command_lifecycle";
  readonly command_uuid: string;
  readonly state: "queued" | "started" | "completed" | "cancelled";
}

export interface ConversationResetMessage extends Stamped {
  readonly type: "conversation_reset";
  readonly new_conversation_id: string;
  readonly trigger?: string;
  readonly user_message_uuid?: string;
}

/** Entries for a client that mirrors the transcript. */
export interface TranscriptMirrorMessage {
  readonly type: "transcript_mirror";
  readonly filePath: string;
  readonly entries: readonly object[];
}

export interface RateLimitSignal {
  readonly type: "rate_limit_event";
  readonly rate_limit_info: JsonObject;
}

export interface ToolProgressSignal {
  readonly type: "tool_progress";
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  readonly subagent_type?: string;
  /** A subagent's request is sent again. Absent in the message that follows when it was answered. */
  readonly subagent_retry?: {
    readonly agent_id: string;
    readonly attempt: number;
    readonly max_retries: number;
    readonly retry_delay_ms: number;
    readonly error_status: number | null;
    readonly error_category: string;
  };
}

/** For clients that ask for it (`ClientView.liveCalls`). The first for a call says that it began to run. */
export interface ToolRunningSignal {
  readonly type: "tool_running";
  readonly tool_use_id: string;
  /** The subagent that makes the call. */
  readonly agent_id?: string;
  /** The end of what it has printed so far. */
  readonly output?: string;
  /** It printed more before that. */
  readonly output_cut?: true;
  /** How many lines it has printed so far, those before that included. */
  readonly output_lines?: number;
}
