// One line of a transcript. Field names are those of the file (`sessionId`, `toolUseResult`); only `project.ts` knows
// those of the wire, too.

import type { ModelMessage, ReplyOrigin } from "./content.ts";
import type { PermissionMode } from "../configuration/permission.ts";
import type { PromptOrigin } from "../stream/session.ts";
import type { ScheduledJob, ScheduledWakeup } from "../configuration/schedule.ts";
import type { ReplyMessage } from "../stream/stream-event.ts";

/** The fields that all entries of the conversation have. */
export interface Envelope {
  readonly parentUuid: string | null;
  readonly isSidechain: boolean;
  readonly uuid: string;
  readonly timestamp: string;
  readonly userType: "external";
  readonly entrypoint: string;
  readonly cwd: string;
  readonly sessionId: string;
  readonly version: string;
  readonly gitBranch: string;
  readonly agentId?: string;
  /** The name of the session's plan, if there is one. */
  readonly slug?: string;
  readonly isMeta?: boolean;
  /** Set by the reader, in no file: the transcript proves that Keelson wrote this prompt. */
  readonly isProven?: true;
}

/**
 * What the user said: all text of the entry, or this text. It is recorded where the text comes in; what has no such record
 * is not the user's word, however it reads.
 */
export type ByUser = true | string;

export interface UserSubject {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: ModelMessage["content"] };
  readonly isMeta?: boolean;
  readonly promptId?: string;
  readonly permissionMode?: PermissionMode;
  readonly promptSource?: string;
  /** Keelson only: other readers ignore it. */
  readonly byUser?: ByUser;
  /** Set if no one typed the prompt. */
  readonly origin?: PromptOrigin;
  /** The structured output of the tool, or `"Error: …"` if it failed. */
  readonly toolUseResult?: unknown;
  /** Keelson only: how long the call ran, without the time that a person was waited for. 0 if it did not run. */
  readonly toolDurationMs?: number;
  readonly sourceToolAssistantUUID?: string;
  /** The call that added this text, such as one of Skill. */
  readonly sourceToolUseID?: string;
  readonly permissionDecision?: RecordedDecision;
  /** Why the call did not run. */
  readonly toolDenialKind?: "permission-rule" | "user-rejected";
  /** Of earlier versions of Keelson: how many characters at the end of the result are not the tool's, but for the model. */
  readonly addedContext?: number;
  readonly isCompactSummary?: boolean;
  readonly isVisibleInTranscriptOnly?: boolean;
}

/** Who let a tool run or refused it. */
export interface RecordedDecision {
  readonly decision: "accept" | "reject";
  readonly source: string;
  /** What decided, if no person did. */
  readonly reasonType?: string;
}

export interface AssistantSubject {
  readonly type: "assistant";
  readonly message: ReplyMessage;
  /** Keelson only: what the provider wants back with the calls, by their id. Other readers ignore it. */
  readonly callState?: ReplyOrigin["callState"];
  readonly requestId?: string;
  /** An interrupt came before the block was complete. */
  readonly aborted?: true;
  readonly isApiErrorMessage?: boolean;
  readonly error?: string;
  readonly apiErrorStatus?: number | null;
  readonly apiErrorType?: string;
}

export interface SystemSubject {
  readonly type: "system";
  readonly subtype: string;
  readonly content?: string;
  readonly level?: "info" | "notice" | "suggestion" | "warning" | "error";
  /** Of a refusal. */
  readonly originalModel?: string;
  readonly requestId?: string | null;
  readonly apiRefusalCategory?: string | null;
  readonly apiRefusalExplanation?: string | null;
  readonly refusedUserMessageUuid?: string;
  /** Keelson only: the prompt before which the conversation continues. */
  readonly rewoundTo?: string;
  readonly [key: string]: unknown;
}

export interface AttachmentSubject {
  readonly type: "attachment";
  readonly attachment: { readonly type: string; readonly [key: string]: unknown };
  readonly byUser?: string;
  /** What the model reads, and what it replaces. */
  readonly rendered?: readonly { readonly content: ModelMessage["content"] }[];
  readonly renderedRole?: "user" | "system";
}

export type ChainSubject = UserSubject | AssistantSubject | SystemSubject | AttachmentSubject;
export type ChainEntry = ChainSubject & Envelope;

/** Entries outside the conversation: titles, queue operations, totals. `type` is written first. */
export type MetadataEntry =
  | {
      readonly type: "queue-operation";
      readonly operation: "enqueue" | "dequeue";
      readonly timestamp: string;
      readonly sessionId: string;
      readonly content?: string;
    }
  | {
      readonly type: "last-prompt";
      readonly lastPrompt: string;
      readonly leafUuid: string | null;
      readonly sessionId: string;
    }
  | { readonly type: "custom-title"; readonly customTitle: string; readonly sessionId: string }
  | { readonly type: "agent-name"; readonly agentName: string; readonly sessionId: string }
  /** The agent that the session runs as (`--agent`). */
  | { readonly type: "agent-setting"; readonly agentSetting: string; readonly sessionId: string }
  | { readonly type: "tag"; readonly tag: string; readonly sessionId: string }
  | { readonly type: "mode"; readonly mode: "normal"; readonly sessionId: string }
  | {
      readonly type: "permission-mode";
      readonly permissionMode: PermissionMode;
      /** Keelson only. */
      readonly timestamp?: string;
      readonly sessionId: string;
    }
  /** Keelson only: proves that Keelson wrote these lines, named by their digests. Other readers ignore it. */
  | {
      readonly type: "keelson-seal";
      readonly lines: readonly string[];
      readonly code: string;
      readonly sessionId: string;
    }
  /** Keelson only: a job or the wake-up of the session, for a resume; without either, it is over. Others ignore it. */
  | {
      readonly type: "keelson-schedule";
      readonly id: string;
      readonly job?: ScheduledJob;
      readonly wakeup?: ScheduledWakeup;
      readonly sessionId: string;
    }
  /** Keelson only: the conversation went back and ends at this entry, if no entry follows. Other readers ignore it. */
  | { readonly type: "keelson-rewind"; readonly leafUuid: string | null; readonly sessionId: string }
  | {
      readonly type: "worktree-state";
      /** Null when the session has left it. */
      readonly worktreeSession: PersistedWorktree | null;
      readonly sessionId: string;
    }
  | CostState;

/** The worktree that a session is in. */
export interface PersistedWorktree {
  readonly originalCwd: string;
  readonly worktreePath: string;
  readonly worktreeName: string;
  readonly worktreeBranch?: string;
  readonly sessionId: string;
  /** A hook made it. */
  readonly hookBased?: boolean;
}

/** A copy of one file; without a name, the file did not exist. */
export interface FileBackup {
  readonly backupFileName: string | null;
  readonly version: number;
  readonly backupTime: string;
  /** The folder of the file, with links resolved. */
  readonly realParentDir?: string;
  /** Keelson only: the digest of the copy, and the mode of the file. */
  readonly hash?: string;
  readonly mode?: number;
}

/** File checkpoints: the tracked files at a prompt, and each first change after it. Outside the conversation. */
export type FileHistoryEntry =
  | {
      readonly type: "file-history-snapshot";
      readonly messageId: string;
      readonly snapshot: {
        readonly messageId: string;
        readonly trackedFileBackups: Readonly<Record<string, FileBackup>>;
        readonly timestamp: string;
      };
      readonly isSnapshotUpdate: boolean;
    }
  | {
      readonly type: "file-history-delta";
      readonly messageId: string;
      readonly snapshotMessageId: string;
      readonly trackingPath: string;
      readonly backup: FileBackup;
      readonly timestamp: string;
    }
  /** Keelson only: what a tool last wrote, to detect changes from outside. Other readers ignore it. */
  | {
      readonly type: "keelson-file-written";
      readonly trackingPath: string;
      readonly hash: string;
      readonly sessionId: string;
    };

export interface CostState {
  readonly type: "cost-state";
  readonly sessionId: string;
  /** Null if the price of a model is unknown. */
  readonly totalCostUSD: number | null;
  readonly totalAPIDuration: number;
  /** The reference reads only entries that have these three as well. */
  readonly totalAPIDurationWithoutRetries?: number;
  readonly totalToolDuration?: number;
  readonly startTime?: number;
  readonly totalDuration: number;
  readonly totalLinesAdded?: number;
  readonly totalLinesRemoved?: number;
  readonly modelUsage: Readonly<Record<string, unknown>>;
  /** What subagents used of it, by their type. */
  readonly agentUsage?: Readonly<Record<string, unknown>>;
  readonly hasUnknownModelCost: boolean;
}

/** Stands for the `.meta.json` of a subagent in the copy that a client keeps. In no file. */
export interface AgentMetadata {
  readonly type: "agent_metadata";
  readonly agentType: string;
  readonly [key: string]: unknown;
}

export type Entry = ChainEntry | MetadataEntry | FileHistoryEntry;

/** An entry as the engine makes it. The outbox adds the other fields. */
export type NewEntry = ChainSubject & {
  readonly uuid: string;
  /**
   * Only if it is not the entry before: the parent of a tool result is the entry with its call. Null if the conversation
   * begins anew here.
   */
  readonly parentUuid?: string | null;
};

const CHAIN_TYPES = new Set(["user", "assistant", "system", "attachment", "progress"]);

/** Whether a parsed line is part of the conversation. */
export function isChainEntry(value: unknown): value is ChainEntry {
  if (typeof value !== "object" || value === null) return false;
  const { type, uuid } = value as { type?: unknown; uuid?: unknown };
  return typeof type === "string" && CHAIN_TYPES.has(type) && typeof uuid === "string";
}
