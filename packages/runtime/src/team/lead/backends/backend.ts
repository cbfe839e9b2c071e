// Where members run. Each backend starts a whole session that joins the team by itself.

import { isObject, type ModelUsage } from "@keelson/protocol";
import type { TeammateChoice } from "../command-line.ts";

/** A question of a member to its client, which is the lead, the end of one, or that it did what the lead wanted. */
export interface MemberQuestion {
  readonly type: "control_request" | "control_cancel_request" | "control_response";
  readonly request_id: string;
  readonly request?: { readonly subtype: string; readonly [key: string]: unknown };
}

/** A run of a member is over; what its session has used so far. */
export interface MemberResult {
  readonly type: "result";
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
}

export type HeardFromMember = MemberQuestion | MemberResult;

/** Undefined for what else it says, which is in its transcript. */
export function heardIn(message: unknown): HeardFromMember | undefined {
  if (!isObject(message)) return undefined;
  if (message.type === "result" && isObject(message["modelUsage"]))
    return { type: "result", modelUsage: message["modelUsage"] as MemberResult["modelUsage"] };
  const answered = message.type === "control_response" && isObject(message.response) ? message.response : undefined;
  const id = answered?.["request_id"];
  if (typeof id === "string") return { type: "control_response", request_id: id };
  return isQuestion(message) ? message : undefined;
}

function isQuestion(message: Record<string, unknown>): message is Record<string, unknown> & MemberQuestion {
  if (typeof message.request_id !== "string") return false;
  if (message.type === "control_cancel_request") return true;
  return (
    message.type === "control_request" && isObject(message.request) && typeof message.request["subtype"] === "string"
  );
}

export interface MemberStart {
  readonly choice: TeammateChoice;
  readonly cwd: string;
}

export interface StartedSession {
  readonly pid: number;
  /** Sends it a message of the stream. No one else can: what comes this way is from the lead. */
  send(message: object): void;
  /** Resolves when it has ended, with a sentence about how. */
  readonly exited: Promise<string>;
}

export interface Backend {
  readonly kind: "process" | "tmux" | "in-process";
  /** `hear` gets its questions and results. Throws with a sentence for people if it cannot be started. */
  start(member: MemberStart, hear: (said: HeardFromMember) => void): Promise<StartedSession>;
  /** Ends all of them and what they left. */
  close(): Promise<void>;
}
