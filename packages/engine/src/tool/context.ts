// What a tool works with: files, search, the shell, the working directories, and what it has seen. Types only.

import type { NewEntry, Usage } from "@keelson/protocol";
import type { ModelProvider } from "../ports.ts";

/** Everything a tool can access. */
export interface ToolContext {
  readonly toolUseId: string;
  /** The id of the subagent that makes the call; absent for the session itself. */
  readonly owner?: string;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  readonly seen: ReadLedger;
  /** What a command of this call prints, as it comes, for people who watch. */
  printed?(chunk: Uint8Array): void;
  /** Whether the user's rules let the model see this file. For tools that look at many files. */
  mayRead(path: string): boolean;
  /** Variables that configure tools, such as BASH_DEFAULT_TIMEOUT_MS. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The size of the context window that the result goes into, in tokens. Set while the call runs. */
  readonly window?: number;
  /**
   * Adds an entry after the result of this call. Both are stored together; a call that fails adds nothing. Set while the
   * call runs.
   */
  follow?(entry: NewEntry): void;
  /** Charges a request to a model, made beside the conversation, to the subagent that makes the call. */
  charge?(usage: Usage, model: string, durationMs: number): void;
  /** Applies the budgets of that subagent to such a request. */
  guard?(provider: ModelProvider): ModelProvider;
}

/** Where the session works: the directory it started in, added directories, and the shell's current directory. */
export interface Workspace {
  readonly root: string;
  /** The root and the additional directories, as absolute paths. */
  readonly directories: readonly string[];
  /** Where it worked before. What rules deny or ask about there, they still do. */
  readonly former: readonly string[];
  readonly cwd: string;
  /** Changes the shell's directory. Returns false outside the directories, and the shell stays where it was. */
  move(path: string): boolean;
}

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** The path with every link resolved. */
  readonly realPath: string;
}

/** Access to files. Only regular files are opened, and links that appeared in the meantime are not followed. */
export interface Files {
  /** Null if nothing is there. */
  stat(path: string): Promise<FileStat | null>;
  /** Throws ToolError for anything but a regular file. `maxBytes` reads only the beginning. */
  read(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** What `stat` and `read` say of a small regular file, opened once. Undefined: ask them. */
  readSmall?(path: string): SmallFile | undefined;
  /** Writes a temporary file next to it and renames it; creates missing folders; keeps the file mode. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** The names in a folder; empty if it cannot be listed. */
  names(directory: string): Promise<readonly string[]>;
}

interface SmallFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
}

export interface SearchResult {
  /** 0: found; 1: nothing found; 2: an error, or some files could not be read: see `stderr`. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The output was cut off at `maxBytes`. */
  readonly cut: boolean;
  readonly timedOut: boolean;
}

/** ripgrep. Rejects if it did not do its work, so that nothing found always means that nothing is there. */
export interface Search {
  run(
    args: readonly string[],
    options: {
      readonly cwd: string;
      readonly signal: AbortSignal;
      readonly timeoutMs?: number;
      readonly maxBytes?: number;
    },
  ): Promise<SearchResult>;
}

export interface ShellOutput {
  /** stdout and stderr in order, up to `maxOutput` characters from the start. */
  readonly text: string;
  /** The end of the output if it is longer than `text`, up to 5,000 characters. */
  readonly tail: string;
  /** Total size in bytes. */
  readonly size: number;
  /** The file with the full output, if it did not fit. */
  readonly path: string | null;
}

export interface ShellResult extends ShellOutput {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** The directory the command left the shell in; null if unknown. */
  readonly cwd: string | null;
  /** Sentences for the model: what the command was kept from doing, or what was undone after it. */
  readonly notes?: readonly string[];
  /** The user moved the command to the background, where it continues; the other fields say nothing. */
  readonly movedTo?: BackgroundCommand;
}

export interface BackgroundCommand {
  readonly id: string;
  readonly outputPath: string;
}

/** How a command that a tool call waits for is shown among the tasks. */
export interface CommandTask {
  readonly description: string;
  /** The id of the subagent that asks. */
  readonly owner?: string;
  /** Whether the user may move it to the background. */
  readonly mayMove: boolean;
}

/** Reads what a source prints, line by line. */
export interface LineSink {
  /** How long the source may take. */
  readonly timeoutMs: number;
  /** False if the source must end, because it prints too much. */
  line(text: string): boolean;
  /** There are no more lines. Called before the task ends. */
  flush(): void;
}

export interface Shell {
  run(
    command: string,
    options: {
      readonly cwd: string;
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      readonly maxOutput: number;
      /** The tool call's id; names the file for long output. */
      readonly id: string;
      /** off: the call was allowed to run outside the sandbox. */
      readonly sandbox?: "default" | "off";
      /** The id of the subagent that asks, if there is no task that says so. */
      readonly owner?: string;
      /** Absent if it is no task of its own. */
      readonly task?: CommandTask;
      /** Gets all that it prints, as it comes. */
      printed?(chunk: Uint8Array): void;
      /** The command as tasks show it, if it is not the text that the shell gets. */
      readonly shownAs?: string;
    },
  ): Promise<ShellResult>;
  background(
    command: string,
    options: {
      readonly cwd: string;
      readonly description: string;
      readonly toolUseId: string;
      /** The id of the subagent that asks; the command ends with it. */
      readonly owner?: string;
      readonly sandbox?: "default" | "off";
      readonly shownAs?: string;
      /** Gets each line of stdout; the command is then a monitor. */
      readonly lines?: LineSink;
    },
  ): Promise<BackgroundCommand>;
}

/** What a file looked like when the model last saw it. */
export interface Sighting {
  readonly mtimeMs: number;
  readonly size: number;
  /** Hash of the bytes; tells a touched file from a changed one. */
  readonly hash: string;
  /** The part that was shown; absent if the model wrote the file or saw all of it. */
  readonly range?: { readonly offset: number; readonly limit: number | null };
  /** Whether the model read the file (a repeated Read may be answered "unchanged") or wrote it. */
  readonly by: "read" | "write";
}

/**
 * What the model has seen, so a file is read before it is edited. One per session, copied for forks. Keys are real
 * paths.
 */
export interface ReadLedger {
  get(path: string): Sighting | undefined;
  set(path: string, sighting: Sighting): void;
  /** The paths, newest first. */
  recent(): readonly string[];
  /** What was read is no longer in the conversation, so a repeated Read shows it again. Edits stay possible. */
  forgetContents(): void;
  /** A command of this session ran from `startMs` to `endMs`: file changes in that time are its own. */
  commandRan(startMs: number, endMs: number): void;
  wasOwnCommand(mtimeMs: number): boolean;
}
