// Language servers: as configuration describes them, after checking, and what they find, as our parts hand it on.

import type { JsonObject } from "../json.ts";

export type LanguageServerScope = "managed" | "flag" | "local" | "project" | "user" | "plugin";

/** A language server that a session may start. */
export interface ConfiguredLanguageServer {
  readonly name: string;
  readonly scope: LanguageServerScope;
  /** The file that defines it. */
  readonly file?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** From the end of a file name, such as `.ts`, in lower case, to the language's id. */
  readonly languages: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  /** Answers what the server asks about its settings. */
  readonly settings?: JsonObject;
  /** The folder it works in, absolute; the session's folder if absent. */
  readonly workspaceFolder?: string;
  readonly startupTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often it is started again after it ended by itself. */
  readonly maxRestarts: number;
  readonly memoryLimitMb: number;
  /** Whether new problems are reported after edits. */
  readonly diagnostics: boolean;
  /** It runs in the sandbox. */
  readonly confined?: true;
  /** The id of the plugin that it belongs to, and the names of that plugin's secret options. */
  readonly plugin?: string;
  readonly secretOptions?: readonly string[];
}

/** A language server that is configured but not used. */
export interface UnusedLanguageServer {
  readonly name: string;
  readonly scope: LanguageServerScope;
  readonly file?: string;
  /** One sentence, with the fix. */
  readonly why: string;
}

export type CodeOperation =
  | "goToDefinition"
  | "findReferences"
  | "hover"
  | "documentSymbol"
  | "workspaceSymbol"
  | "goToImplementation"
  | "prepareCallHierarchy"
  | "incomingCalls"
  | "outgoingCalls";

/** Counted from 0, as language servers do. The unit of `character` is the server's (`CodeFindings.encoding`). */
export interface CodePosition {
  readonly line: number;
  readonly character: number;
}

export interface CodePlace extends CodePosition {
  /** Absolute; an address that is no file stays as the server wrote it. */
  readonly path: string;
}

export interface CodeSymbol extends CodePlace {
  readonly name: string;
  /** `function`, `class` … */
  readonly kind: string;
  readonly detail?: string;
  /** The symbol around it, if the server says so. */
  readonly container?: string;
  /** How deep it is inside others. */
  readonly depth: number;
}

/** The symbol at the other end of a call, and where the calls are: in the caller's file. */
export interface CodeCall {
  readonly symbol: CodeSymbol;
  readonly at: readonly CodePosition[];
}

export type PositionEncoding = "utf-8" | "utf-16" | "utf-32";

export interface CodeFindings {
  readonly encoding: PositionEncoding;
  readonly places?: readonly CodePlace[];
  readonly symbols?: readonly CodeSymbol[];
  readonly calls?: readonly CodeCall[];
  readonly hover?: string;
  /** The file that `calls` are in, if they are not in the files of their symbols. */
  readonly callsIn?: string;
  /** How many there are, if not all are here. */
  readonly total?: number;
  /** The word at the position; empty if there is none. */
  readonly word: string;
  /** The server is still working through the project, so there may be more. */
  readonly isBusy?: true;
}

/** One problem that a language server reports. Counted from 0. */
export interface CodeProblem extends CodePosition {
  readonly severity: "error" | "warning" | "info" | "hint";
  readonly message: string;
  readonly code?: string;
  readonly source?: string;
}
