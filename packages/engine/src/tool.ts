// A tool as the engine sees it: a name, a schema, what a call would touch, and how to run it.
// Tools declare; they never ask for permission, fire hooks, or cut their own output to size.

import type { ContentBlock } from "@keelson/protocol";
import type { Schema } from "./schema.ts";

/** What a call would touch. The gate decides on this and on nothing else the tool says. */
export type Access =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "edit"; readonly path: string }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly cwd: string;
      /** The call wants to run outside the sandbox, where there is one. */
      readonly unsandboxed?: boolean;
    }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "agent"; readonly agent: string }
  | { readonly kind: "skill"; readonly skill: string; readonly adds: boolean }
  /** Something outside that only its name describes: an MCP tool. */
  | { readonly kind: "external" }
  /** A question to a person: only a person can answer it. */
  | { readonly kind: "person" };

export interface Tool<I = any, O = any> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<I>;
  /** Names older clients and models call it by. */
  readonly aliases?: readonly string[];
  /** Whether this call may run beside its neighbours. Absent: alone. */
  readonly parallelSafe?: boolean | ((input: I) => boolean | Promise<boolean>);
  /** Longest text the model is shown; the rest goes to a file. Absent: the engine's own limit. */
  readonly maxShown?: number;
  /** Mends harmless slips of the model before the schema is checked (`offset: -1`, a stray field). */
  repair?(input: Record<string, unknown>): Record<string, unknown>;
  /** Own wording for an input that does not fit; takes the place of the schema check. */
  invalid?(input: unknown): string | undefined;
  /** Looks, without touching, whether the call can work at all. Comes before any permission question. */
  check?(input: I, context: ToolContext): Promise<void> | void;
  access(input: I, context: ToolContext): Access | Promise<Access>;
  /** Does it. The output is stored whole, as `toolUseResult`. */
  run(input: I, context: ToolContext): Promise<O>;
  /** What the model reads. */
  show(output: O): string | readonly ContentBlock[];
}

export function defineTool<I, O>(tool: Tool<I, O>): Tool<I, O> {
  return tool;
}

/** Everything a tool is given of the world. */
export interface ToolContext {
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  readonly seen: ReadLedger;
  /** Whether the user's rules let the model see this file. For tools that look at many. */
  mayRead(path: string): boolean;
  /** Variables that tune tools, such as BASH_DEFAULT_TIMEOUT_MS. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where the session works: the directory it was started in, those added to it, and where its shell stands. */
export interface Workspace {
  readonly root: string;
  /** The root and the additional directories, absolute. */
  readonly directories: readonly string[];
  readonly cwd: string;
  /** Moves the shell. Refused (false) outside the directories; the caller then stays where it was. */
  move(path: string): boolean;
}

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** The path with every link resolved. */
  readonly realPath: string;
}

/** Files, by what they are: only regular files are opened, and no link that appeared meanwhile is followed. */
export interface Files {
  /** Null when nothing is there. */
  stat(path: string): Promise<FileStat | null>;
  /** Throws ToolError for anything but a regular file. `maxBytes` reads only the head. */
  read(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Writes a temporary neighbour and renames it; makes missing folders; keeps the mode of what was there. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Names in a folder; empty when it cannot be listed. */
  names(directory: string): Promise<readonly string[]>;
}

export interface SearchResult {
  /** 0: found; 1: nothing found; 2: an error, told in `stderr`. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The output was cut at `maxBytes`. */
  readonly cut: boolean;
  readonly timedOut: boolean;
}

/** ripgrep. */
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
  /** stdout and stderr as they came, at most `maxOutput` characters from the start. */
  readonly text: string;
  /** The end of the output when it was longer than `text`, at most 5,000 characters. */
  readonly tail: string;
  /** Bytes in all. */
  readonly size: number;
  /** Where all of it is, when it did not fit. */
  readonly path: string | null;
}

export interface ShellResult extends ShellOutput {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Where the command left the shell; null when it could not be told. */
  readonly cwd: string | null;
  /** What kept the command from something, or what was undone after it, in sentences for the model. */
  readonly notes?: readonly string[];
}

export interface BackgroundCommand {
  readonly id: string;
  readonly outputPath: string;
}

export interface Shell {
  run(
    command: string,
    options: {
      readonly cwd: string;
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      readonly maxOutput: number;
      /** The tool call; names the file that keeps long output. */
      readonly id: string;
      /** off: the call was allowed to run outside the sandbox. */
      readonly sandbox?: "default" | "off";
    },
  ): Promise<ShellResult>;
  background(
    command: string,
    options: {
      readonly cwd: string;
      readonly description: string;
      readonly toolUseId: string;
      readonly sandbox?: "default" | "off";
    },
  ): Promise<BackgroundCommand>;
}

/** What a file looked like when the model last saw it. */
export interface Sighting {
  readonly mtimeMs: number;
  readonly size: number;
  /** Of the bytes; tells a touched file from a changed one. */
  readonly hash: string;
  /** The part that was shown; absent when the model wrote the file itself or saw all of it. */
  readonly range?: { readonly offset: number; readonly limit: number | null };
  /** Whether the sighting came from a Read (which may be answered "unchanged") or from our own write. */
  readonly by: "read" | "write";
}

/** Read before edit: what the model has seen. Kept per session, copied for forks. Keys are real paths. */
export interface ReadLedger {
  get(path: string): Sighting | undefined;
  set(path: string, sighting: Sighting): void;
  /** A command of this session ran from `startMs` to `endMs`: changes dated within are its own. */
  commandRan(startMs: number, endMs: number): void;
  wasOwnCommand(mtimeMs: number): boolean;
}
