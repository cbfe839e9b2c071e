// One text for the model, where it came from and why; and what was found and not taken.

/** The six tiers, in the order in which they are loaded. */
export type InstructionKind = "Managed" | "User" | "Project" | "Local" | "AutoMemory" | "TeamMemory";

export type LoadReason = "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact";

export interface InstructionFile {
  readonly path: string;
  readonly kind: InstructionKind;
  readonly text: string;
  readonly reason: LoadReason;
  /** The file that includes it. */
  readonly parent?: string;
  /** The touched file that brought it in. */
  readonly trigger?: string;
  /** The `paths` of a conditional rule. */
  readonly globs?: readonly string[];
  /** Of `text`, as UTF-8. */
  readonly bytes: number;
}

export interface InstructionChange extends InstructionFile {
  /** Of a file that vanished, `text` is empty. */
  readonly change: "changed" | "appeared" | "vanished";
}

export interface LeftOut {
  readonly path: string;
  /** One clause, without a full stop. */
  readonly why: string;
  readonly parent?: string;
  /** Worth telling at the start of a session, not only to those who ask. */
  readonly notable: boolean;
  /** It needs the approval that `keelson instructions approve` gives. */
  readonly external?: true;
}

/** A rule that waits for a file it is about. */
export interface WaitingRule {
  readonly path: string;
  readonly kind: InstructionKind;
  readonly globs: readonly string[];
}
