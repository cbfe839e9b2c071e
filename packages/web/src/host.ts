// What this front end gets from the program.

import type { PermissionMode, ReplyTo, Session, WorkingDiff } from "@keelson/protocol";
import type { DeviceFile } from "./devices/devices.ts";

export interface WantedWebSession {
  readonly cwd: string;
  /** The id of an earlier session; absent for a new one. */
  readonly resume?: string;
  /** Continue a copy of it. */
  readonly fork?: boolean;
  /** In a new worktree. */
  readonly worktree?: boolean;
  readonly mode?: PermissionMode;
  readonly model?: string;
}

export interface OpenedForWeb {
  readonly session: Pick<Session, "id" | "attach">;
  readonly cwd: string;
  /** What its user has to know, such as settings that are ignored. Absent: another program shows that. */
  readonly notices?: WebNotices;
  /** Lets go of it. If it is open in this process, it ends later, when it has been without work and without a client for a while. */
  release(): void;
}

export interface WebNotices {
  /** So far. */
  readonly all: readonly string[];
  /** For each that comes, until the returned function is called. */
  listen(listener: (text: string) => void): () => void;
}

/** `elsewhere`: another program has it open, and what it does is not known. */
export type WebSessionState = "idle" | "running" | "requires_action" | "elsewhere";

/** One line of the list. */
export interface WebSession {
  readonly id: string;
  readonly title: string;
  readonly cwd: string | undefined;
  readonly branch: string | undefined;
  readonly worktree: string | undefined;
  readonly modifiedMs: number;
  readonly bytes: number;
  /** Whether some program has it open. */
  readonly isOpen: boolean;
  /** Put away: it is in no list that does not ask for such sessions. */
  readonly isArchived: boolean;
  readonly state: WebSessionState;
}

export interface FoundSessions {
  readonly ids: ReadonlySet<string>;
  /** False: the search was ended before it had read them all. */
  readonly isWhole: boolean;
}

/** There is no such session, or it cannot be opened now. The message is for the user. */
export class SessionNotOpened extends Error {
  override readonly name = "SessionNotOpened";
  readonly isMissing: boolean;

  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

export type ExportedAs = "markdown" | "html" | "json";

export interface MessagePageQuery {
  /** Those before this one; absent: the newest. */
  readonly before?: string;
  readonly limit: number;
}

export interface WebHost {
  /** Of the program. */
  readonly version: string;
  /** The folder it was started in. */
  readonly cwd: string;
  readonly devices: DeviceFile;
  /** All sessions of this user, newest first. What has not changed since the last time is the same object. */
  list(): Promise<readonly WebSession[]>;
  /** One that is among them. */
  find(id: string): Promise<WebSession | undefined>;
  /** Calls the listener whenever something in the list may have changed, until the returned function is called. */
  watchList(listener: () => void): () => void;
  /** Of those that `list` has said. */
  search(words: string, ids: readonly string[], signal: AbortSignal): Promise<FoundSessions>;
  /** Joins a session that is open, here or in another program; undefined if none is, or if that program takes no clients. */
  join(id: string): Promise<OpenedForWeb | undefined>;
  /** Opens a session, or joins the one that is open already. Rejects with SessionNotOpened. */
  open(wanted: WantedWebSession): Promise<OpenedForWeb>;
  /** Whether this is a folder. */
  isFolder(path: string): boolean;
  /** False if there is none. */
  rename(id: string, title: string): Promise<boolean>;
  /** Puts it away, or back. */
  archive(id: string, isArchived: boolean): Promise<void>;
  /** A page of its conversation; undefined if there is none. */
  messages(id: string, query: MessagePageQuery): Promise<ReplyTo<"get_messages"> | undefined>;
  /** What differs in its files, if it is not open; undefined if nothing of it is stored. Rejects with SessionNotOpened. */
  changes(id: string, since: WorkingDiff["since"], signal: AbortSignal): Promise<WorkingDiff | undefined>;
  /** Its conversation as a document, in pieces; undefined if nothing of it is stored. */
  exported(id: string, format: ExportedAs): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Its transcript, for good. Does nothing if there is none. Rejects if it is open. */
  remove(id: string): Promise<void>;
  /** Whether a command of a session is at the other end of a connection to a port of ours. */
  isCommandAt(peer: { readonly address: string; readonly port: number }, port: number): boolean;
  now(): number;
  /** For people, on the terminal. */
  warn(text: string): void;
}
