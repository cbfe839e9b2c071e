// What the terminal draws of a conversation: the items of the client package, and those that only a terminal has.

import {
  isSettled,
  type AnswerItem,
  type CallItem,
  type NoteItem,
  type OutputItem,
  type PromptItem,
  type SummaryItem,
  type ThinkingItem,
} from "@keelson/client";
import type { StreamedText } from "./streamed-text.ts";

/** Consecutive calls that only read. */
export interface ReadsItem {
  readonly kind: "reads";
  readonly calls: CallItem[];
  /** What the model thought between them. Only viewers show it. */
  readonly thoughts: ThinkingItem[];
  /** Nothing is added any more. */
  closed: boolean;
}

export interface BoundaryItem {
  readonly kind: "boundary";
  readonly label: string;
}

/** An answer of the session that is drawn instead of printed: to `get_context_usage`, or to `get_usage`. */
export interface PictureItem {
  readonly kind: "picture";
  readonly of: "context" | "usage";
  readonly data: unknown;
}

/** An answer that is drawn while it grows. */
export type DrawnAnswer = AnswerItem<StreamedText>;

export type StreamItem =
  | PromptItem
  | DrawnAnswer
  | ThinkingItem
  | CallItem
  | ReadsItem
  | NoteItem
  | OutputItem
  | BoundaryItem
  | PictureItem
  /** Only viewers show it. */
  | SummaryItem;

/** Whether it looks the same from now on. */
export function isDone(item: StreamItem): boolean {
  switch (item.kind) {
    case "answer":
    case "thinking":
      return item.done;
    case "call":
      return isSettled(item);
    case "reads":
      return item.closed && item.calls.every(isDone);
    default:
      return true;
  }
}

const PICTURE_WEIGHT = 4_096;

/** How much memory it takes, about. */
export function weightOf(item: StreamItem): number {
  switch (item.kind) {
    case "answer":
      return item.text.length;
    case "call":
      return callWeight(item);
    case "reads":
      return item.calls.reduce((sum, call) => sum + callWeight(call), 0);
    case "boundary":
      return item.label.length;
    case "picture":
      return PICTURE_WEIGHT;
    default:
      return item.text.length;
  }
}

function callWeight({ input, result }: CallItem): number {
  const texts = Object.values(input).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 32),
    64,
  );
  return texts + (result?.text.length ?? 0);
}
