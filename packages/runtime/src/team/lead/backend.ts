// Where members run. Each backend starts a whole session that joins the team by itself.

import type { TeammateChoice } from "./command-line.ts";

export interface MemberStart {
  readonly choice: TeammateChoice;
  readonly cwd: string;
}

export interface StartedSession {
  readonly pid: number;
  /** Resolves when it has ended, with a sentence about how. */
  readonly exited: Promise<string>;
}

export interface Backend {
  readonly kind: "process" | "tmux" | "in-process";
  /** Throws with a sentence for people if it cannot be started. */
  start(member: MemberStart): Promise<StartedSession>;
  /** Ends all of them and what they left. */
  close(): Promise<void>;
}
