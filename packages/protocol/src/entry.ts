// One line of a transcript. Field names are the file's own spelling (`sessionId`, `toolUseResult`);
// `project.ts` is the only place that knows the wire's spelling as well.

import type { ModelMessage } from "./content.ts";
import type { PermissionMode } from "./permission.ts";
import type { ReplyMessage } from "./stream-event.ts";

/** What every entry of the parent chain carries besides its own subject. */
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
  /** The name of the session's plan, once there is one. */
  readonly slug?: string;
  readonly isMeta?: boolean;
}

export interface UserSubject {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: ModelMessage["content"] };
  readonly isMeta?: boolean;
  readonly promptId?: string;
  readonly permissionMode?: PermissionMode;
  readonly promptSource?: string;
  /** The tool's structured output; `"Error: …"` when it failed. */
  readonly toolUseResult?: unknown;
  readonly sourceToolAssistantUUID?: string;
  readonly permissionDecision?: { readonly decision: "accept" | "reject"; readonly source: string };
  readonly isCompactSummary?: boolean;
}

export interface AssistantSubject {
  readonly type: "assistant";
  readonly message: ReplyMessage;
  readonly requestId?: string;
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
  readonly [key: string]: unknown;
}

export interface AttachmentSubject {
  readonly type: "attachment";
  readonly attachment: { readonly type: string; readonly [key: string]: unknown };
  /** What the model reads of it, and in whose place. */
  readonly rendered?: readonly { readonly content: string }[];
  readonly renderedRole?: "user" | "system";
}

export type ChainSubject = UserSubject | AssistantSubject | SystemSubject | AttachmentSubject;
export type ChainEntry = ChainSubject & Envelope;

/** Entries outside the chain: titles, queue operations, running totals. `type` is written first. */
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
  | { readonly type: "tag"; readonly tag: string; readonly sessionId: string }
  | CostState;

/** A kept copy of one file; without a name the file did not exist. */
export interface FileBackup {
  readonly backupFileName: string | null;
  readonly version: number;
  readonly backupTime: string;
  /** The folder the file was in, links resolved. */
  readonly realParentDir?: string;
}

/** File checkpoints: what was tracked when a prompt came, and each first change after it. Outside the chain, too. */
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
  /** Ours: what a tool last wrote, so that a change by anybody else can be told. Other readers pass over it. */
  | {
      readonly type: "keelson-file-written";
      readonly trackingPath: string;
      readonly hash: string;
      readonly sessionId: string;
    };

export interface CostState {
  readonly type: "cost-state";
  readonly sessionId: string;
  /** Null when a model without a known price was used. */
  readonly totalCostUSD: number | null;
  readonly totalAPIDuration: number;
  readonly totalDuration: number;
  readonly totalLinesAdded?: number;
  readonly totalLinesRemoved?: number;
  readonly modelUsage: Readonly<Record<string, unknown>>;
  readonly hasUnknownModelCost: boolean;
}

export type Entry = ChainEntry | MetadataEntry | FileHistoryEntry;

/** An entry as the engine makes it: what it says, and its place. The outbox adds the rest of the envelope. */
export type NewEntry = ChainSubject & {
  readonly uuid: string;
  /** Only where it is not simply the entry before: a tool result hangs on the entry that holds its call. */
  readonly parentUuid?: string;
};

const CHAIN_TYPES = new Set(["user", "assistant", "system", "attachment", "progress"]);

/** Whether a parsed line belongs to the parent chain. Readers ignore what they do not know. */
export function isChainEntry(value: unknown): value is ChainEntry {
  if (typeof value !== "object" || value === null) return false;
  const { type, uuid } = value as { type?: unknown; uuid?: unknown };
  return typeof type === "string" && CHAIN_TYPES.has(type) && typeof uuid === "string";
}
