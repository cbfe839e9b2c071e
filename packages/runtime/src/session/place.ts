// Where a session lives: its id, its file, and what is there already when it goes on from an earlier one.

import { existsSync, statSync } from "node:fs";
import { isPrompt } from "@keelson/protocol";
import { projectDir, transcriptPath, type SessionLocation as ProjectPlace } from "@keelson/store";
import type { LoadedSession } from "@keelson/store/past";

/** Which session to open, as the command line or a client chose it. */
export interface SessionChoice {
  readonly kind: "new" | "continue" | "resume";
  /** For resume: an id or a title. */
  readonly target?: string;
  readonly fork?: boolean;
  /** Resume at this entry instead of the newest. */
  readonly at?: string;
  /** The prompt whose turn, and no other, `at` may leave out. */
  readonly drops?: string;
  /** The id of a new session or of a fork. */
  readonly sessionId?: string;
  readonly name?: string;
  readonly persist: boolean;
}

export interface SessionPlace {
  readonly id: string;
  /** The project folder all paths hang on. */
  readonly dir: string;
  /** Null when nothing is to be kept. */
  readonly path: string | null;
  readonly loaded?: LoadedSession;
}

/** A session that cannot be opened. The message says why and what to do. */
export class OpenError extends Error {
  override readonly name = "OpenError";
}

export async function choosePlace(
  choice: SessionChoice,
  project: ProjectPlace,
  newId: () => string,
): Promise<SessionPlace> {
  const dir = projectDir(project);
  const earlier = await earlierSession(choice, project);
  const id = choice.sessionId ?? (earlier && !choice.fork ? earlier.id : newId());
  const path = transcriptPath(dir, id);
  if (earlier?.id !== id && isTaken(path)) throw new OpenError(`Session ID ${id} is already in use.`);
  if (!earlier) return { id, dir, path: choice.persist ? path : null };

  const { loadSession, forkTranscript } = await import("@keelson/store/past");
  const loaded = loadSession({ path: earlier.path, at: choice.at });
  if (!loaded) throw new OpenError(`No message found with message.uuid of: ${choice.at}`);
  if (choice.drops !== undefined) checkDroppedTurn(choice.drops, loaded, loadSession({ path: earlier.path }));
  if (!choice.fork) return { id, dir, path: choice.persist ? earlier.path : null, loaded };
  if (choice.persist) forkTranscript({ from: earlier.path, to: path, sessionId: id, at: choice.at });
  return { id, dir, path: choice.persist ? path : null, loaded };
}

/** Another client may have gone on with the session meanwhile: what it added is not to be lost. */
function checkDroppedTurn(prompt: string, kept: LoadedSession, whole: LoadedSession | undefined): void {
  const ids = new Set(kept.entries.map(({ uuid }) => uuid));
  const left = (whole?.entries ?? []).filter(({ uuid }) => !ids.has(uuid));
  const prompts = left.filter(isPrompt).map(({ uuid }) => uuid);
  const reject = (why: string) => new OpenError(`Resume rejected by --resume-drops-turn: ${why}`);
  if (whole?.entries.every(({ uuid }) => uuid !== kept.leafUuid)) {
    throw reject("the message to resume at is not part of the conversation as it stands now");
  }
  if (!prompts.includes(prompt)) throw reject(`the turn of ${prompt} would not be left out`);
  const others = prompts.filter((uuid) => uuid !== prompt);
  if (others.length > 0) throw reject(`it would leave out other turns as well: ${others.slice(0, 5).join(", ")}`);
}

/** A file without a byte is all that is left of a session killed at its first breath: nobody's. */
const isTaken = (path: string) => existsSync(path) && statSync(path).size > 0;

async function earlierSession(
  choice: SessionChoice,
  project: ProjectPlace,
): Promise<{ id: string; path: string } | undefined> {
  if (choice.kind === "new") return undefined;
  const { findSession, newestSession } = await import("@keelson/store/past");
  // With nothing to continue a fresh session starts (observed).
  if (choice.kind === "continue") return newestSession(project);
  if (!choice.target) throw new OpenError("--resume needs a session ID or a title when no person is there to choose");
  const found = findSession(project, choice.target);
  if (found.kind !== "found") throw new OpenError(found.message);
  return found;
}
