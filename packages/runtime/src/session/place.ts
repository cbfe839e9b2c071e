// Finds a session's place: its id, its transcript file, and the entries of the session it continues.

import { existsSync, statSync } from "node:fs";
import { isPrompt } from "@keelson/protocol";
import { projectDir, transcriptPath, type SessionLocation as ProjectPlace } from "@keelson/store";
import type { LoadedSession } from "@keelson/store/past";

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

  constructor(message: string, kind: "session" | "setup" = "session") {
    super(message);
    this.kind = kind;
  }
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
  const { configDir } = project;
  const loaded = loadSession({ path: earlier.path, at: choice.at, configDir });
  if (!loaded) throw new OpenError(`No message found with message.uuid of: ${choice.at}`);
  if (choice.drops !== undefined) checkDroppedTurn(choice.drops, loaded, loadSession({ path: earlier.path }));
  if (!choice.fork) return { id, dir, path: choice.persist ? earlier.path : null, loaded };
  if (choice.persist) forkTranscript({ from: earlier.path, to: path, sessionId: id, at: choice.at, configDir });
  return { id, dir, path: choice.persist ? path : null, loaded };
}

/** Rejects a resume that would drop turns which another client added in the meantime. */
function checkDroppedTurn(prompt: string, kept: LoadedSession, whole: LoadedSession | undefined): void {
  const ids = new Set(kept.entries.map(({ uuid }) => uuid));
  const left = (whole?.entries ?? []).filter(({ uuid }) => !ids.has(uuid));
  const prompts = left.filter(isPrompt).map(({ uuid }) => uuid);
  const reject = (why: string) => new OpenError(`Resume rejected by --resume-drops-turn: ${why}`);
  if (whole?.entries.every(({ uuid }) => uuid !== kept.leafUuid)) {
    throw reject("the message to resume at is not part of the current conversation");
  }
  if (!prompts.includes(prompt)) throw reject(`the turn of ${prompt} would not be dropped`);
  const others = prompts.filter((uuid) => uuid !== prompt);
  if (others.length > 0) throw reject(`it would also drop other turns: ${others.slice(0, 5).join(", ")}`);
}

/** An empty file belongs to a session that was killed right at its start. */
const isTaken = (path: string) => existsSync(path) && statSync(path).size > 0;

async function earlierSession(
  choice: SessionChoice,
  project: ProjectPlace,
): Promise<{ id: string; path: string } | undefined> {
  if (choice.kind === "new") return undefined;
  const { findSession, newestSession, worktreesOf } = await import("@keelson/store/past");
  // Looked up only if there is none here. A fixed name stands for one folder.
  const others = () => (project.dirName ? [] : worktreesOf(project.cwd).map((cwd) => ({ ...project, cwd })));
  // Without an earlier session, a new one starts (test/sessions/resume/continue.test.ts).
  if (choice.kind === "continue") {
    const own = newestSession(project);
    if (own) return own;
    return others()
      .flatMap((other) => newestSession(other) ?? [])
      .toSorted((a, b) => b.modified - a.modified)[0];
  }
  if (!choice.target)
    throw new OpenError(
      "--resume needs a session ID or a title; the session list is available only in interactive mode",
    );
  let found = findSession(project, choice.target);
  if (found.kind === "missing") {
    const elsewhere = others().map((other) => findSession(other, choice.target!));
    found = elsewhere.find(({ kind }) => kind === "found") ?? found;
  }
  if (found.kind !== "found") throw new OpenError(found.message);
  return found;
}
