// What the stream is made of, for a reader: prompts, answers, calls, notices. Items change until they are done; then
// their rows are written once.

import type { JsonObject } from "@keelson/protocol";
import type { StreamedText } from "./streamed-text.ts";

export interface PromptItem {
  readonly kind: "prompt";
  readonly text: string;
  /** How the prompt was meant: `!` runs a command, `/` is a command of the program. */
  readonly as: "prompt" | "shell" | "command";
  readonly images: number;
  /** Who sent it, if no one typed it. */
  readonly from?: string;
  /** It was typed here: where nothing is drawn again, it is on the screen already. */
  readonly typed?: true;
}

export interface AnswerItem {
  readonly kind: "answer";
  readonly text: StreamedText;
  /** Whether its first row was written. */
  begun: boolean;
  done: boolean;
}

export interface ThinkingItem {
  readonly kind: "thinking";
  text: string;
  readonly startedMs: number;
  durationMs?: number;
  done: boolean;
}

export interface ShownResult {
  readonly text: string;
  readonly images: number;
  readonly isError: boolean;
  /** The structured output of the tool. */
  readonly output?: unknown;
}

/** What a subagent has done so far. */
export interface SubagentProgress {
  /** The newest calls, oldest first. */
  readonly calls: AgentCall[];
  /** How many were seen, and how many the session counted. */
  seen: number;
  reported: number;
  tokens?: number;
}

export interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  done: boolean;
  failed: boolean;
  /** If it started a subagent itself. */
  readonly run?: SubagentProgress;
}

export interface CallItem {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  input: JsonObject;
  /** As the server of the tool wants it shown. */
  display?: { readonly server: string; readonly tool: string };
  /** The input is still being written. */
  writing: boolean;
  /** How many characters of it there are. */
  written: number;
  /** It waits for the user's approval. */
  asking: boolean;
  startedMs: number;
  /** The time of the message, for past calls. */
  stamp?: number;
  durationMs?: number;
  agent?: SubagentProgress;
  /** The task that runs it, once it is listed as one. */
  taskId?: string;
  inBackground: boolean;
  /** Denied without being asked, and why. */
  denied?: string;
  result?: ShownResult;
  /** The run ended without a result. */
  dropped: boolean;
}

/** Consecutive calls that only read. */
export interface ReadsItem {
  readonly kind: "reads";
  readonly calls: CallItem[];
  /** What the model thought between them. Only viewers show it. */
  readonly thoughts: ThinkingItem[];
  /** Nothing is added any more. */
  closed: boolean;
}

export interface NoteItem {
  readonly kind: "note";
  readonly level: "quiet" | "info" | "warning" | "error";
  readonly text: string;
}

/** What a command of the program or of the shell printed. */
export interface OutputItem {
  readonly kind: "output";
  readonly text: string;
  readonly as: "markdown" | "plain";
  readonly isError: boolean;
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

/** What continues the conversation after a compaction. Only viewers show it. */
export interface SummaryItem {
  readonly kind: "summary";
  readonly text: string;
}

export type StreamItem =
  | PromptItem
  | AnswerItem
  | ThinkingItem
  | CallItem
  | ReadsItem
  | NoteItem
  | OutputItem
  | BoundaryItem
  | PictureItem
  | SummaryItem;

/** Whether it looks the same from now on. */
export function isDone(item: StreamItem): boolean {
  switch (item.kind) {
    case "answer":
    case "thinking":
      return item.done;
    case "call":
      return item.result !== undefined || item.dropped;
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
