// The place of a session that continues an earlier one: which one that is, and what is loaded of it.

import { isPrompt } from "@keelson/protocol";
import { existsSync } from "node:fs";
import {
  isSessionId,
  ownerPath,
  projectDir,
  transcriptPath,
  type SessionLocation as ProjectPlace,
} from "@keelson/store";
import {
  findSession,
  forkTranscript,
  loadSession,
  newestSession,
  worktreesOf,
  type LoadedSession,
} from "@keelson/store/past";
import type { Ownership, SessionFile } from "../owner/ownership.ts";
import { OpenError, refuseTaken, type SessionChoice, type SessionPlace } from "./place.ts";

/** Undefined if there is nothing to continue. */
export async function earlierPlace(
  choice: SessionChoice,
  project: ProjectPlace,
  newId: () => string,
  owner: Ownership,
  warn: (text: string) => void,
): Promise<SessionPlace | undefined> {
  const earlier = earlierSession(choice, project);
  if (!earlier) return undefined;
  const dir = projectDir(project);
  const id = choice.sessionId ?? (choice.fork ? newId() : earlier.id);
  const path = choice.fork ? transcriptPath(dir, id) : earlier.path;
  if (earlier.isUnwritten) await refuseUnwritten(earlier, owner);
  if (choice.persist) await owner.take({ id, path, isNew: choice.fork === true });
  if (id !== earlier.id) refuseTaken(transcriptPath(dir, id), id);
  const { configDir } = project;
  const loaded = loadSession({ path: earlier.path, at: choice.at, configDir });
  if (!loaded) throw new OpenError(`No message found with message.uuid of: ${choice.at}`);
  if (loaded.damaged > 0) {
    const what = loaded.damaged === 1 ? "1 damaged line" : `${loaded.damaged} damaged lines`;
    warn(`${what} of the transcript could not be read, so parts of the conversation may be missing`);
  }
  if (choice.drops !== undefined) checkDroppedTurn(choice.drops, loaded, loadSession({ path: earlier.path }));
  if (choice.fork && choice.persist)
    forkTranscript({ from: earlier.path, to: path, sessionId: id, at: choice.at, configDir });
  return { id, dir, path: choice.persist ? path : null, loaded };
}

/** Someone may have it open, who has not sent a prompt yet: then it can be joined. Otherwise there is nothing to continue. */
async function refuseUnwritten({ id, path, message }: UnwrittenSession, owner: Ownership): Promise<never> {
  await owner.take({ id, path });
  owner.release();
  throw new OpenError(message);
}

interface UnwrittenSession extends SessionFile {
  readonly isUnwritten: true;
  /** Why it cannot be continued. */
  readonly message: string;
}

/** A session without a transcript that a program has open, or had. */
function unwrittenSession(id: string, places: readonly ProjectPlace[], message: string): UnwrittenSession | undefined {
  if (!isSessionId(id)) return undefined;
  const path = places
    .map((place) => transcriptPath(projectDir(place), id.toLowerCase()))
    .find((each) => existsSync(ownerPath(each)));
  return path === undefined ? undefined : { id: id.toLowerCase(), path, isUnwritten: true, message };
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

function earlierSession(
  choice: SessionChoice,
  project: ProjectPlace,
): (SessionFile & { readonly isUnwritten?: never }) | UnwrittenSession | undefined {
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
  const open =
    found.kind === "missing" ? unwrittenSession(choice.target, [project, ...others()], found.message) : undefined;
  if (open) return open;
  if (found.kind !== "found") throw new OpenError(found.message);
  return found;
}
