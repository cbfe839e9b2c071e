// The sessions on disk as clients see them: by id, in the words of the wire. What was listed is remembered.

import type { ListedSession } from "@keelson/protocol";
import { ownerPath, type SessionLocation } from "../paths.ts";
import type { SessionInfo } from "./list.ts";
import { removeSession } from "./remove-session.ts";
import { nameSession, previewSession, searchSessionTexts, sessionsToResume, type ShelfOptions } from "./shelf.ts";

export class StoredSessions {
  readonly #place: SessionLocation;
  readonly #known = new Map<string, SessionInfo>();

  constructor(place: SessionLocation) {
    this.#place = place;
  }

  /** Newest first. */
  async list(options: ShelfOptions): Promise<readonly ListedSession[]> {
    return (await this.#list(options)).map(listed);
  }

  /** The ids of the sessions in which someone said all of these words, among those with these ids. */
  async search(words: string, among: readonly string[] | undefined, signal: AbortSignal): Promise<readonly string[]> {
    const sessions = among === undefined ? await this.#list({}) : await this.#find([...new Set(among)]);
    return (await searchSessionTexts(words, sessions, signal)).map(({ id }) => id);
  }

  /** The last prompts and answers, as Markdown. Undefined if there is no such session. */
  async preview(id: string): Promise<string | undefined> {
    const [session] = await this.#find([id]);
    return session && previewSession(session.path);
  }

  /** Of its transcript. Undefined if there is no such session. */
  async path(id: string): Promise<string | undefined> {
    return (await this.#find([id]))[0]?.path;
  }

  /** False if there is no such session. Throws if the title is empty or cannot be written. */
  async rename(id: string, title: string): Promise<boolean> {
    const [session] = await this.#find([id]);
    if (session === undefined) return false;
    nameSession(session, title);
    return true;
  }

  /** For good; a session that does not exist is none afterwards. Rejects if a process has it open. */
  async remove(id: string): Promise<void> {
    const [session] = await this.#find([id]);
    if (session === undefined) return;
    const { leaseHolder } = await import("@keelson/disk/lease/take");
    const holder = await leaseHolder(ownerPath(session.path));
    if (holder) throw new Error(`Session ${id} is open in ${holder.name} (process ${holder.pid}); end it there first`);
    this.#known.delete(id);
    removeSession(session.path);
  }

  async #list(options: ShelfOptions): Promise<readonly SessionInfo[]> {
    const found = await sessionsToResume(this.#place, options);
    for (const session of found) this.#known.set(session.id, session);
    return found;
  }

  /** Those that exist. One that was not listed may be new, or of another folder: all of them are looked for together. */
  async #find(ids: readonly string[]): Promise<readonly SessionInfo[]> {
    for (const allProjects of [false, true]) {
      if (ids.every((id) => this.#known.has(id))) break;
      await this.#list({ allProjects });
    }
    return ids.flatMap((id) => this.#known.get(id) ?? []);
  }
}

function listed({ id, title, firstPrompt, modified, size, gitBranch, cwd }: SessionInfo): ListedSession {
  const worktree = /[\\/]\.claude[\\/]worktrees[\\/]([^\\/]+)/.exec(cwd ?? "")?.[1];
  return {
    sessionId: id,
    summary: title,
    lastModified: modified,
    fileSize: size,
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(worktree === undefined ? {} : { worktree }),
  };
}
