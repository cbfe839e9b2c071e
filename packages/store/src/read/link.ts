// The facts about an entry that decide its place in the conversation.

import { isObject, isToolResult, isWholeBlock, type ChainEntry, type ContentBlock } from "@keelson/protocol";

export interface Link {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly type: string;
  /** Belongs to a subagent or teammate, not to this conversation. */
  readonly isAside: boolean;
  readonly isMeta: boolean;
  readonly isBoundary: boolean;
  readonly isSummary: boolean;
  /** The id of the reply that an assistant entry is a block of. */
  readonly replyId: string | undefined;
  /** The ids of the calls that a tool result answers. */
  readonly answers: readonly string[];
  /** Takes the place of the result of a call that a hook deferred. */
  readonly isDeferral: boolean;
  readonly preserved: Preserved | undefined;
  /** Unreadable: only its id and perhaps its parent are known. */
  readonly isGhost: boolean;
}

/** The messages that a compaction kept, as a list or by the first and last. */
export type Preserved =
  | { readonly anchor: string; readonly uuids: readonly string[] }
  | { readonly anchor: string; readonly head: string; readonly tail: string };

export function linkOf(entry: ChainEntry): Link {
  const fields = fieldsOf(entry);
  const message = isObject(fields["message"]) ? fields["message"] : {};
  const isBoundary = entry.type === "system" && fields["subtype"] === "compact_boundary";
  return {
    uuid: entry.uuid,
    parentUuid: typeof fields["parentUuid"] === "string" ? fields["parentUuid"] : null,
    type: entry.type,
    isAside: fields["isSidechain"] === true || (typeof fields["teamName"] === "string" && fields["teamName"] !== ""),
    isMeta: fields["isMeta"] === true,
    isBoundary,
    isSummary: fields["isCompactSummary"] === true,
    replyId: entry.type === "assistant" && typeof message["id"] === "string" ? message["id"] : undefined,
    answers: entry.type === "user" ? answersOf(message["content"]) : NONE,
    isDeferral: entry.type === "attachment" && isDeferral(fields["attachment"]),
    preserved: isBoundary ? preservedOf(fields["compactMetadata"]) : undefined,
    isGhost: !isReadable(entry.type, message),
  };
}

/** An unknown parent: no entry has this id, so the chain continues with the entry before. */
const UNKNOWN = "";

export function ghostOf(uuid: string, parentUuid: string | null = UNKNOWN): Link {
  return {
    uuid,
    parentUuid,
    type: "unreadable",
    isAside: false,
    isMeta: false,
    isBoundary: false,
    isSummary: false,
    replyId: undefined,
    answers: NONE,
    isDeferral: false,
    preserved: undefined,
    isGhost: true,
  };
}

const NONE: readonly string[] = [];

/** Whether a message has content that is text or complete blocks. */
function isReadable(type: string, message: Record<string, unknown>): boolean {
  if (type === "system" || type === "attachment") return true;
  if (type !== "user" && type !== "assistant") return false;
  const { content } = message;
  if (typeof content === "string") return type === "user";
  return Array.isArray(content) && content.every(isWholeBlock);
}

function answersOf(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return NONE;
  return content
    .filter((block): block is ContentBlock => isObject(block))
    .filter(isToolResult)
    .map((block) => block.tool_use_id);
}

const isDeferral = (attachment: unknown) => isObject(attachment) && attachment["type"] === "hook_deferred_tool";

function preservedOf(metadata: unknown): Preserved | undefined {
  if (!isObject(metadata)) return undefined;
  const { preservedMessages, preservedSegment } = metadata;
  if (isObject(preservedMessages)) {
    const { anchorUuid: anchor, uuids } = preservedMessages;
    if (typeof anchor === "string" && Array.isArray(uuids)) {
      return { anchor, uuids: uuids.filter((uuid): uuid is string => typeof uuid === "string") };
    }
  }
  if (isObject(preservedSegment)) {
    const { anchorUuid: anchor, headUuid: head, tailUuid: tail } = preservedSegment;
    if (typeof anchor === "string" && typeof head === "string" && typeof tail === "string")
      return { anchor, head, tail };
  }
  return undefined;
}

/** All fields by name: other versions write some that our types do not have. */
function fieldsOf(entry: object): Readonly<Record<string, unknown>> {
  return entry as Record<string, unknown>;
}
