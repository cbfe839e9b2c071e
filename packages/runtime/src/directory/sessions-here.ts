// What a front end, or a session, may ask the directory of its process.

import type { ControlSubtype, EndReason, FieldsOf, ListedSession, ReplyTo, Session } from "@keelson/protocol";
import type { StoredSessions } from "@keelson/store/stored-sessions";
import type { OpenedSession } from "../session/open-options.ts";
import type { ProgramParts, WantedSession } from "./wanted-session.ts";

/** A session that is open in this process. Who only finds it does not keep it open. */
export interface SharedSession extends Pick<Session, "id" | "attach"> {
  /** As a control request of a client. */
  request<Subtype extends ControlSubtype>(subtype: Subtype, fields?: FieldsOf<Subtype>): Promise<ReplyTo<Subtype>>;
}

export interface SessionsHere {
  /**
   * Opens a session, or joins the one that is open already. Closing it ends what this front end has of it, at once if others
   * have opened it too: the session itself ends with the last one that opened it. Rejects with an OpenError.
   */
  open(wanted: WantedSession): Promise<OpenedSession>;
  find(id: string): SharedSession | undefined;
  /** Newest first. Those that are open here are among them before they have a transcript. */
  list(stored: StoredSessions, of: FolderChoice): Promise<readonly ListedSession[]>;
  /** Ends all sessions, also those that are being opened. */
  close(reason: EndReason): Promise<void>;
}

export interface FolderChoice {
  /** Of this folder, unless `allProjects`. */
  readonly cwd: string;
  readonly allProjects: boolean;
  /** The id of the session that is asked. It lists itself once there is something to resume. */
  readonly asked?: string;
}

export interface DirectoryOptions extends ProgramParts {
  /** A session without a client and without work ends after this time. Absent: never. */
  readonly closeIdleAfterMs?: number;
}
