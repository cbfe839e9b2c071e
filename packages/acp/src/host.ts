// What this front end gets from the program.

import type { JsonObject, ListedSession, Session } from "@keelson/protocol";
import type { KeptShow } from "./updates/kept.ts";

export interface WantedEditorSession {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** The id of an earlier session; absent for a new one. */
  readonly resume?: string;
}

/** Beside the transcript of a session. */
export interface KeptShowsFile {
  /** Durable when this returns, as far as the disk allows. */
  add(show: KeptShow): void;
  read(): Iterable<KeptShow>;
}

export interface OpenedForEditor {
  readonly session: Session;
  /** What editors were shown and the conversation does not have. */
  readonly kept: KeptShowsFile;
  /** A path without links, as the editor knows it: under the folders that it named, which may be links. */
  nameOf(path: string): string;
  /** For the user, once the editor knows the session: what stayed off. */
  readonly notices: readonly string[];
  /** Calls it with each warning of the session, those so far included. */
  onWarning(listener: (text: string) => void): void;
  /** Where else it is open, or which model answers. */
  readonly announce?: string;
  /** The user wants the model that needs no key. */
  readonly mayBeOffline: boolean;
}

/** A session that does not exist. */
export class NoSuchSession extends Error {
  override readonly name = "NoSuchSession";
}

export interface EditorHost {
  /** Of the program. */
  readonly version: string;
  /** The id of the model that answers without a key. */
  readonly offlineModel: string;
  /** Why a session cannot work in this folder; undefined if it can. */
  folderProblem(path: string): string | undefined;
  /** Opens a session, or joins the one that is open already. Rejects with NoSuchSession, or an error that says why not. */
  open(wanted: WantedEditorSession): Promise<OpenedForEditor>;
  /** Newest first: those of a folder, or of all. */
  list(folder: string | undefined): Promise<readonly ListedSession[]>;
  /** Does nothing if there is no such session. Rejects if another program has it open. */
  remove(id: string): Promise<void>;
  /** Whether a session would have a language model now. */
  hasModel(): Promise<boolean>;
  /** Removes the stored key. */
  logOut(): Promise<void>;
  newId(): string;
  /** For people, beside the protocol. */
  warn(text: string): void;
}

/** Servers of an editor, by name, as they are written in `.mcp.json`. */
export type EditorServers = Readonly<Record<string, JsonObject>>;
