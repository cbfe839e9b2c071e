// The sessions on disk as clients see them: by id, in the words of the wire. What was listed is remembered.

import type { ListedSession } from "@keelson/protocol";
import type { SessionLocation } from "../paths.ts";
import type { SessionInfo } from "./list.ts";
import { removeSession } from "./remove-session.ts";
import {
  nameSession,
  previewSession,
  searchSessionTexts,
  sessionsToResume,
  storedSession,
  type ShelfOptions,
} from "./shelf.ts";

export class StoredSessions {
  readonly #place: SessionLocation;
  readonly #known = new Map<string, SessionInfo>();
  /** What was listed, by what a row says of its file. */
  readonly #files = new Map<string, string>();
  /** Numbers of messages, with the state of the file that they are of. By path. */
  readonly #counts = new Map<string, { readonly state: string; readonly count: number }>();

  constructor(place: SessionLocation) {
    this.#place = place;
  }

  /** Newest first. */
  async list(options: ShelfOptions): Promise<readonly ListedSession[]> {
    return this.counted(await this.rows(options));
  }

  /** As `list`, without reading whole transcripts for the number of their messages. */
  async rows(options: ShelfOptions): Promise<readonly ListedSession[]> {
    const sessions = await this.#list(options);
    // Each change of a file adds one.
    if (this.#files.size > MOST_REMEMBERED) this.#files.clear();
    return sessions.map((session) => this.#row(session));
  }

  /** Rows with the number of their messages: the first ones, if there is much to read. */
  async counted(rows: readonly ListedSession[]): Promise<readonly ListedSession[]> {
    const { countMessages } = await import("./message-count.ts");
    const found: ListedSession[] = [];
    let left = MOST_COUNTED;
    let looked = 0;
    for (const row of rows) {
      const state = stateOf(row);
      const path = this.#files.get(state);
      const known = path === undefined ? undefined : this.#counts.get(path);
      let count = known?.state === state ? known.count : undefined;
      if (count === undefined && path !== undefined && row.fileSize <= left) {
        count = countMessages(path);
        if (count !== undefined) {
          this.#counts.set(path, { state, count });
          left -= row.fileSize;
          // Lets other work continue.
          if ((looked += row.fileSize) > BATCH) {
            looked = 0;
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
      }
      found.push(count === undefined ? row : { ...row, messageCount: count });
    }
    return found;
  }

  /** The ids of the sessions in which someone said all of these words, among those with these ids. */
  async search(words: string, among: readonly string[] | undefined, signal: AbortSignal): Promise<readonly string[]> {
    const sessions = among === undefined ? await this.#list({}) : await this.#find([...new Set(among)]);
    const found = await searchSessionTexts(words, sessions, signal);
    return signal.aborted ? [] : found.map(({ id }) => id);
  }

  /** The last prompts and answers, as Markdown. Undefined if there is no such session. */
  async preview(id: string): Promise<string | undefined> {
    const [session] = await this.#find([id]);
    return session && previewSession(session.path);
  }

  async get(id: string): Promise<ListedSession | undefined> {
    return (await this.counted((await this.#find([id])).map((session) => this.#row(session))))[0];
  }

  /** Of its transcript. Undefined if there is no such session. */
  async path(id: string): Promise<string | undefined> {
    return (await this.#find([id]))[0]?.path;
  }

  /** False if there is no such session. Rejects if the title is empty or cannot be written. */
  async rename(id: string, title: string): Promise<boolean> {
    const [session] = await this.#find([id]);
    if (session === undefined) return false;
    // A program that has it open writes the last name it knows when it ends.
    const { askOwner } = await import("./living-owner.ts");
    const at = { id, transcript: session.path, configDir: this.#place.configDir };
    if (!(await askOwner(at, "rename_session", { session_id: id, title }))) nameSession(session, title);
    return true;
  }

  /** For good; a session that does not exist is none afterwards. Rejects if a process has it open. */
  async remove(id: string): Promise<void> {
    const [session] = await this.#find([id]);
    if (session === undefined) return;
    const { waitUntilFree } = await import("./living-owner.ts");
    await waitUntilFree(id, session.path);
    this.#known.delete(id);
    removeSession(session.path, this.#place.configDir);
  }

  #row(session: SessionInfo): ListedSession {
    const row = listed(session);
    this.#files.set(stateOf(row), session.path);
    return row;
  }

  async #list(options: ShelfOptions): Promise<readonly SessionInfo[]> {
    const found = await sessionsToResume(this.#place, options);
    for (const session of found) this.#known.set(session.id, session);
    return found;
  }

  /** Those that exist. One that was not listed may be new, or of another folder. */
  async #find(ids: readonly string[]): Promise<readonly SessionInfo[]> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    if (unknown.length > MOST_BY_NAME) {
      for (const allProjects of [false, true])
        if (ids.some((id) => !this.#known.has(id))) await this.#list({ allProjects });
    } else
      for (const id of unknown) {
        const session = storedSession(this.#place, id);
        if (session) this.#known.set(id, session);
      }
    return ids.flatMap((id) => this.#known.get(id) ?? []);
  }
}

/** For more, listing them all costs less than looking for each. */
const MOST_BY_NAME = 10;

/** A list is there at once: what has more text than that is listed without the number of its messages. */
const MOST_COUNTED = 32 * 1024 * 1024;

/** What a row says of its file; another one after each change. */
const stateOf = ({ sessionId, lastModified, fileSize }: ListedSession) => `${sessionId} ${lastModified} ${fileSize}`;

const MOST_REMEMBERED = 50_000;

const BATCH = 2 * 1024 * 1024;

function listed({ id, topic, firstPrompt, modified, size, gitBranch, cwd }: SessionInfo): ListedSession {
  const worktree = /[\\/]\.claude[\\/]worktrees[\\/]([^\\/]+)/.exec(cwd ?? "")?.[1];
  return {
    sessionId: id,
    summary: topic,
    lastModified: modified,
    fileSize: size,
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(worktree === undefined ? {} : { worktree }),
  };
}
