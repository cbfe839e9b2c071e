// Small changes to a session: rename, tag, archive, delete. A transcript is only ever appended to, so a new name is one
// more line.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { MetadataEntry } from "@keelson/protocol";
import { openTranscript } from "@keelson/store";
import { removeSession, replaceOwnFile } from "@keelson/store/past";
import { configDirOf, projectKeyOf, type SessionStore } from "@keelson/store/remote";
import { requireSessionId, requireTranscript } from "./find.ts";
import { folderOf } from "./messages.ts";

export type SessionMutationOptions = {
  /** Where to look. By default, all sessions on this machine, or those of the current directory in a store. */
  dir?: string;
  sessionStore?: SessionStore;
};

/** The last name wins. A program that has the session open is asked to rename it, and rejects if it takes no requests. */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  requireSessionId(sessionId);
  const customTitle = title.trim();
  if (customTitle === "") throw new Error("title must be non-empty");
  if (options.sessionStore === undefined) {
    const transcript = requireTranscript(sessionId, options.dir);
    // A program that has it open writes the last name that it knows when it ends.
    const { askOwner } = await import("@keelson/store/living-owner");
    const at = { id: sessionId, transcript, configDir: configDirOf() };
    if (await askOwner(at, "rename_session", { session_id: sessionId, title: customTitle })) return;
  }
  await addLine({ type: "custom-title", customTitle, sessionId }, options);
}

/** Null removes the tag. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  requireSessionId(sessionId);
  const text = tag === null ? "" : visible(tag);
  if (tag !== null && text === "") throw new Error("tag must be non-empty (use null to clear)");
  await addLine({ type: "tag", tag: text, sessionId }, options);
}

/**
 * Permanently, with everything its subagents wrote and its copies of files. A store without delete() keeps what it has. Rejects while a program has the
 * session open.
 */
export async function deleteSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  const { dir, sessionStore } = options;
  requireSessionId(sessionId);
  if (sessionStore !== undefined) {
    await sessionStore.delete?.({ projectKey: projectKeyOf(dir), sessionId });
    return;
  }
  const transcript = requireTranscript(sessionId, dir);
  const { waitUntilFree } = await import("@keelson/store/living-owner");
  await waitUntilFree(sessionId, transcript);
  removeSession(transcript, configDirOf());
}

/** Marks a session as archived, which lists then show. */
export async function archiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  noteArchived(sessionId, true, options);
}

export async function unarchiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  noteArchived(sessionId, false, options);
}

function noteArchived(sessionId: string, archived: boolean, { dir, sessionStore }: SessionMutationOptions): void {
  if (sessionStore !== undefined) throw new Error("Sessions in a session store cannot be archived; use tagSession()");
  const folder = folderOf(requireTranscript(sessionId, dir));
  const note = { archived, at: new Date().toISOString(), by: "sdk" };
  replaceOwnFile(join(folder, "archived.json"), JSON.stringify(note), { create: 0o700 });
}

async function addLine(line: MetadataEntry & object, { dir, sessionStore }: SessionMutationOptions): Promise<void> {
  if (sessionStore !== undefined) {
    const stamped = { ...line, uuid: randomUUID(), timestamp: new Date().toISOString() };
    await sessionStore.append({ projectKey: projectKeyOf(dir), sessionId: line.sessionId }, [stamped]);
    return;
  }
  let problem: Error | undefined;
  const path = requireTranscript(line.sessionId, dir);
  const writer = openTranscript({ path, onFailure: (error) => (problem = error) });
  writer.append([line]);
  writer.close();
  if (problem !== undefined) throw problem;
}

/** Removes invisible characters, because people type a tag again to filter by it. */
function visible(text: string): string {
  let current = text;
  for (let round = 0; round < 10; round++) {
    const next = current.normalize("NFKC").replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, "");
    if (next === current) break;
    current = next;
  }
  return current.trim();
}
