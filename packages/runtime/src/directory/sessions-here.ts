// What a front end, or a session, may ask the directory of its process.

import type { ControlSubtype, EndReason, FieldsOf, ListedSession, ReplyTo, Session } from "@keelson/protocol";
import type { StoredSessions } from "@keelson/store/stored-sessions";
import type { ReportedState } from "../session/run-state.ts";
import type { OpenedSession } from "../session/open-options.ts";
import type { MessageQuery } from "../stream/past.ts";
import type { WantedSession } from "./wanted-session.ts";

/** A session that is open in this process. Who only finds it does not keep it open. */
export interface SharedSession extends Pick<Session, "id" | "attach"> {
  readonly state: ReportedState;
  /** The folder it was opened in. */
  readonly cwd: string;
  readonly openedMs: number;
  readonly title: string | undefined;
  /** As a control request of a client. */
  request<Subtype extends ControlSubtype>(subtype: Subtype, fields?: FieldsOf<Subtype>): Promise<ReplyTo<Subtype>>;
}

export interface SessionsHere {
  /**
   * Opens a session, or joins the one that is open already. Closing it ends what this front end has of it; at the end of its
   * input, when its prompts are done. The session itself ends with the last one that opened it. Rejects with an OpenError.
   */
  open(wanted: WantedSession): Promise<OpenedSession>;
  find(id: string): SharedSession | undefined;
  /** All that `find` finds. */
  all(): readonly SharedSession[];
  /** The listener is called when one comes, goes, or changes its state; the returned function ends that. */
  watch(listener: () => void): () => void;
  /** Becomes a client of the program that has a session open; undefined if none has, or if it takes no clients. */
  joinElsewhere(session: StoredSession, configDir: string): Promise<Pick<Session, "attach" | "close"> | undefined>;
  /** Newest first, without the numbers of their messages. Those that are open here are among them before they have a transcript. */
  list(stored: Pick<StoredSessions, "rows">, of: FolderChoice): Promise<readonly ListedSession[]>;
  /** The conversation of a session, open or not. Undefined if there is no such session. Rejects if no message has this id. */
  messages(stored: StoredSessions, id: string, query: MessageQuery): Promise<ReplyTo<"get_messages"> | undefined>;
  /** Ends all sessions, also those that are being opened. */
  close(reason: EndReason): Promise<void>;
}

export interface StoredSession {
  readonly id: string;
  /** Of its transcript. */
  readonly path: string;
}

export interface FolderChoice {
  /** Of this folder, unless `allProjects`. */
  readonly cwd: string;
  readonly allProjects: boolean;
  /** The id of the session that is asked. It lists itself once there is something to resume. */
  readonly asked?: string;
}
