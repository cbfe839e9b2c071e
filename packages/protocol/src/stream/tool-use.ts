// What people see of a tool call: what it is called, what kind of work it is, which files it touches and how it changes them.

/** As the Agent Client Protocol names them. */
export type ToolKind =
  "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other";

/** A place in a file. */
export interface CallLocation {
  /** Absolute. */
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number;
}

/** Clients of the reference get the first four fields, and only for tools of MCP servers. */
export interface ToolUseMeta {
  /** Of the call. */
  readonly id: string;
  /** The name of the tool for people. */
  readonly display_name: string;
  /** Only for tools of MCP servers. */
  readonly server_display_name?: string;
  /** The server's own name for it; otherwise its name for the model. */
  readonly tool_name: string;
  readonly kind?: ToolKind;
  /** What the call is about, such as a path or a command. Empty if the name says it all; absent if the tool does not say. */
  readonly title?: string;
  /** What the model says that it does. */
  readonly note?: string;
  readonly locations?: readonly CallLocation[];
}

/** As tools report it in `structuredPatch`. */
export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each starts with a space, `-`, `+`, or `\` for the note about a missing newline. */
  readonly lines: readonly string[];
}

/** How a call changes a file. */
export interface FilePatch {
  /** Absolute. */
  readonly path: string;
  /** There is no such file yet. */
  readonly isNew?: boolean;
  readonly hunks: readonly PatchHunk[];
}
