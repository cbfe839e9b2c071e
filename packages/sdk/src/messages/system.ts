// Messages of type `system`, under the names of the official declarations: the state of a session, and what happens in it
// besides the conversation. Where the official declarations promise more than the wire, so do these.

import type { UUID } from "node:crypto";
import type { SystemSignal, SystemSubtype } from "@keelson/protocol";
import type { Changeable } from "../control/replies.ts";

type Stamp = { uuid: UUID; session_id: string };

type SystemMessageOf<Subtype extends SystemSubtype> = Stamp & Changeable<SystemSignal<Subtype>>;

export type ApiKeySource = "user" | "project" | "org" | "temporary" | "oauth" | (string & {});

/** Sent at the start of every run. */
export type SDKSystemMessage = SystemMessageOf<"init"> & { apiKeySource: ApiKeySource };

export type SDKStatusMessage = SystemMessageOf<"status">;
export type SDKCompactBoundaryMessage = SystemMessageOf<"compact_boundary"> & {
  compact_metadata: {
    preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
    preserved_messages?: { anchor_uuid: UUID; uuids: UUID[]; all_uuids?: UUID[] };
  };
};
export type SDKHookStartedMessage = SystemMessageOf<"hook_started">;
export type SDKHookProgressMessage = SystemMessageOf<"hook_progress">;
export type SDKHookResponseMessage = SystemMessageOf<"hook_response">;
export type SDKTaskStartedMessage = SystemMessageOf<"task_started">;
export type SDKTaskProgressMessage = SystemMessageOf<"task_progress"> & { usage: SDKTaskUsage };
export type SDKTaskUpdatedMessage = SystemMessageOf<"task_updated"> & { patch: { end_time?: number } };
export type SDKTaskNotificationMessage = SystemMessageOf<"task_notification">;
/** All background tasks that run now; replaces the previous list. */
export type SDKBackgroundTasksChangedMessage = SystemMessageOf<"background_tasks_changed">;
export type SDKSessionStateChangedMessage = SystemMessageOf<"session_state_changed">;
export type SDKPermissionDeniedMessage = SystemMessageOf<"permission_denied">;
export type SDKInformationalMessage = SystemMessageOf<"informational"> & {
  level: "info" | "notice" | "suggestion" | "warning";
};
export type SDKNotificationMessage = SystemMessageOf<"notification">;
export type SDKAPIRetryMessage = SystemMessageOf<"api_retry">;
export type SDKThinkingTokensMessage = SystemMessageOf<"thinking_tokens">;
export type SDKModelRefusalFallbackMessage = SystemMessageOf<"model_refusal_fallback">;
export type SDKModelRefusalNoFallbackMessage = SystemMessageOf<"model_refusal_no_fallback">;
export type SDKLocalCommandOutputMessage = SystemMessageOf<"local_command_output">;
/** All current slash commands; replaces the previous list. */
export type SDKCommandsChangedMessage = SystemMessageOf<"commands_changed">;
export type SDKControlRequestProgressMessage = SystemMessageOf<"control_request_progress">;
export type SDKPluginInstallMessage = SystemMessageOf<"plugin_install">;
export type SDKFilesPersistedEvent = SystemMessageOf<"files_persisted">;
export type SDKMemoryRecallMessage = SystemMessageOf<"memory_recall">;
export type SDKElicitationCompleteMessage = SystemMessageOf<"elicitation_complete">;
export type SDKWorkerShuttingDownMessage = SystemMessageOf<"worker_shutting_down">;
export type SDKSessionWritesLostMessage = SystemMessageOf<"session_writes_lost">;

export type SDKStatus = SDKStatusMessage["status"];
export type SDKTaskUsage = NonNullable<SDKTaskNotificationMessage["usage"]>;

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
