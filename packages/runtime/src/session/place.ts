// Finds a session's place: its id, its transcript file, and the entries of the session it continues.

import { existsSync, statSync } from "node:fs";
import { projectDir, transcriptPath, type SessionLocation as ProjectPlace } from "@keelson/store";
import type { LoadedSession } from "@keelson/store/past";
import type { Ownership } from "../owner/ownership.ts";
import type { OwnedSession } from "../owner/take-session.ts";

/** Which session to open, as the command line or a client chose it. */
export interface SessionChoice {
  readonly kind: "new" | "continue" | "resume";
  /** For `resume`: an id or a title. */
  readonly target?: string;
  readonly fork?: boolean;
  /** Resume after this entry instead of the newest. */
  readonly at?: string;
  /** The only prompt whose turn `at` may drop. */
  readonly drops?: string;
  /** The id of a new session or of a fork. */
  readonly sessionId?: string;
  readonly name?: string;
  readonly persist: boolean;
}

/** The values change when the conversation is cleared, so read them when they are needed. */
export interface SessionPlace {
  readonly id: string;
  /** The folder of the project's transcripts. */
  readonly dir: string;
  /** Null if the session is not saved. */
  readonly path: string | null;
  readonly loaded?: LoadedSession;
}

/** A session that cannot be opened. The message says why and names the fix. */
export class OpenError extends Error {
  override readonly name = "OpenError";
  /** `session`: the earlier or named session; the texts are those of the reference. `setup`: model, budget, sandbox. */
  readonly kind: "session" | "setup";
  /** Another process has it open. */
  readonly owned: OwnedSession | undefined;

  constructor(message: string, kind: "session" | "setup" = "session", owned?: OwnedSession) {
    super(message);
    this.kind = kind;
    this.owned = owned;
  }
}

/** Rejects with an OpenError. Where two processes could write the transcript, `owner` takes it first. */
export async function choosePlace(
  choice: SessionChoice,
  project: ProjectPlace,
  newId: () => string,
  owner: Ownership,
  warn: (text: string) => void,
): Promise<SessionPlace> {
  if (choice.kind !== "new") {
    const { earlierPlace } = await import("./earlier-place.ts");
    const earlier = await earlierPlace(choice, project, newId, owner, warn);
    if (earlier) return earlier;
  }
  const dir = projectDir(project);
  const id = choice.sessionId ?? newId();
  const path = transcriptPath(dir, id);
  // No one else knows a new id before the transcript exists.
  if (choice.sessionId !== undefined && choice.persist) await owner.take({ id, path, isNew: true });
  refuseTaken(path, id);
  return { id, dir, path: choice.persist ? path : null };
}

/** An empty file belongs to a session that was killed right at its start. */
export function refuseTaken(path: string, id: string): void {
  if (existsSync(path) && statSync(path).size > 0) throw new OpenError(`Session ID ${id} is already in use.`);
}
