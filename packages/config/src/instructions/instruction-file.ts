// The types of loaded and skipped instruction files.

/** In the order they are loaded. */
export type InstructionKind = "Managed" | "User" | "Project" | "Local" | "AutoMemory" | "TeamMemory";

export type LoadReason = "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact";

export interface InstructionFile {
  readonly path: string;
  readonly kind: InstructionKind;
  readonly text: string;
  readonly reason: LoadReason;
  /** The file that includes it. */
  readonly parent?: string;
  /** The touched file that it applies to. */
  readonly trigger?: string;
  /** The `paths` of a conditional rule. */
  readonly globs?: readonly string[];
  /** The size of `text` in UTF-8. */
  readonly bytes: number;
}

export interface InstructionChange extends InstructionFile {
  /** For a deleted file, `text` is empty. */
  readonly change: "changed" | "appeared" | "vanished";
}

export interface LeftOut {
  readonly path: string;
  /** One clause, without a period. */
  readonly why: string;
  readonly parent?: string;
  /** Shown at the start of a session, not only in `keelson instructions list`. */
  readonly notable: boolean;
  /** `keelson instructions approve` would allow it. */
  readonly external?: true;
  /** What has to be approved for that. */
  readonly real?: string;
}

/** A rule that is loaded when a matching file is touched. */
export interface WaitingRule {
  readonly path: string;
  readonly kind: InstructionKind;
  readonly globs: readonly string[];
}
