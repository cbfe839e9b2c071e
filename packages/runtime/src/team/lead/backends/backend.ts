// Where members run. Each backend starts a whole session that joins the team by itself.

import { isObject, type ModelUsage } from "@keelson/protocol";
import type { TeammateChoice } from "../command-line.ts";

/** What a member's session has used until the end of a run. Undefined if the message does not say. */
export function memberUsage(message: object): Readonly<Record<string, ModelUsage>> | undefined {
  if (!isObject(message) || message.type !== "result" || !isObject(message["modelUsage"])) return undefined;
  return message["modelUsage"] as Readonly<Record<string, ModelUsage>>;
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
  /** `hear` gets at least its control messages and results. Throws with a sentence for people if it cannot be started. */
  start(member: MemberStart, hear: (message: object) => void): Promise<StartedSession>;
  /** Ends all of them and what they left. */
  close(): Promise<void>;
}
