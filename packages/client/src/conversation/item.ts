// What a conversation is made of, for people who read it: prompts, answers, calls, notices. Items change until they are done.

import type { JsonObject, ResultMessage } from "@keelson/protocol";
import type { CallLabel } from "../calls/label.ts";
import type { GrowingText } from "./text.ts";

export interface PromptItem {
  readonly kind: "prompt";
  readonly text: string;
  /** How the prompt was meant: `!` runs a command, `/` is a command of the program. */
  readonly as: "prompt" | "shell" | "command";
  readonly images: number;
  /** Who sent it, if no one typed it. */
  readonly from?: string;
  /** It was typed here, so it has been seen already. */
  readonly typed?: true;
}

export interface AnswerItem<Text extends GrowingText = GrowingText> {
  readonly kind: "answer";
  readonly text: Text;
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

/**
 * `pending`: its input is still being written. `waiting`: for an approval. `interrupted`: the run ended before it did. States
 * only go forward, except that a call runs again after it waited.
 */
export type CallState = "pending" | "waiting" | "running" | "done" | "failed" | "denied" | "interrupted";

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
  readonly label: CallLabel;
  state: "running" | "done" | "failed";
  /** If it started a subagent itself. */
  readonly run?: SubagentProgress;
}

export interface CallItem {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  input: JsonObject;
  label: CallLabel;
  state: CallState;
  /** How many characters of the input there are while it is written. */
  written: number;
  startedMs: number;
  /** The time of the message, for past calls. */
  stamp?: number;
  durationMs?: number;
  agent?: SubagentProgress;
  /** The task that runs it, once it is listed as one. */
  taskId?: string;
  inBackground: boolean;
  /** Why it is denied, if no person denied it. */
  denied?: string;
  /** What the person who denied it wants instead. */
  instead?: string;
  result?: ShownResult;
  /** What it prints while it runs. */
  printed?: PrintedSoFar;
}

export interface PrintedSoFar {
  /** The end of it. */
  readonly text: string;
  /** How many lines there are in all. */
  readonly lines: number;
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

/** The conversation was compacted. */
export interface CompactionItem {
  readonly kind: "compaction";
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** What continues the conversation after a compaction. */
export interface SummaryItem {
  readonly kind: "summary";
  readonly text: string;
}

/** The conversation went back to before a prompt, and continues from there. */
export interface RewindItem {
  readonly kind: "rewind";
  readonly text: string;
}

/** The user interrupted the run. */
export interface InterruptionItem {
  readonly kind: "interruption";
}

/** What the account may still use, if it is not plenty. */
export interface LimitItem {
  readonly kind: "limit";
  readonly isReached: boolean;
  readonly limit?: string;
  /** From 0 to 1. */
  readonly used?: number;
  /** Milliseconds since 1970. */
  readonly resetsAt?: number;
}

/** How a run ended. */
export interface EndItem {
  readonly kind: "end";
  readonly result: ResultMessage;
}

export type ConversationItem<Text extends GrowingText = GrowingText> =
  | PromptItem
  | AnswerItem<Text>
  | ThinkingItem
  | CallItem
  | NoteItem
  | OutputItem
  | CompactionItem
  | SummaryItem
  | RewindItem
  | InterruptionItem
  | LimitItem
  | EndItem;

const FINAL: ReadonlySet<CallState> = new Set(["done", "failed", "denied", "interrupted"]);

/** Whether a call stays as it is. */
export const isSettled = ({ state }: CallItem) => FINAL.has(state);
