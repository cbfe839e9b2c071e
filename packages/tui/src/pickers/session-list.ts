// Which sessions the picker lists: by folder, by branch and by what was typed. Titles and first prompts are searched at
// once, whole conversations meanwhile.

import type { ListedSession } from "@keelson/protocol";
import type { SessionShelf } from "./session-shelf.ts";

interface Known {
  readonly session: ListedSession;
  /** What is searched at once, in lower case. */
  readonly text: string;
}

/** A single letter occurs in every conversation. */
const SHORTEST_SEARCH = 2;

export class SessionList {
  readonly #shelf: SessionShelf;
  readonly #changed: () => void;
  readonly #branch: string | undefined;
  #known: readonly Known[] = [];
  #shown: readonly ListedSession[] = [];
  #found: ReadonlySet<string> = new Set();
  #words = "";
  #searching: AbortController | undefined;
  #loading: object | undefined;
  allProjects = false;
  branchOnly = false;
  problem = "";

  constructor(shelf: SessionShelf, branch: string | undefined, changed: () => void) {
    this.#shelf = shelf;
    this.#branch = branch;
    this.#changed = changed;
  }

  get shown(): readonly ListedSession[] {
    return this.#shown;
  }

  get total(): number {
    return this.#known.length;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  get isSearching(): boolean {
    return this.#searching !== undefined;
  }

  /** Whether it is listed for its conversation, not for its title or first prompt. */
  isFoundInText({ sessionId }: ListedSession): boolean {
    return this.#found.has(sessionId);
  }

  async load(): Promise<void> {
    const loading = {};
    this.#loading = loading;
    this.problem = "";
    try {
      const sessions = await this.#shelf.list({ allProjects: this.allProjects });
      if (this.#loading !== loading) return;
      this.#known = sessions
        .toSorted((a, b) => b.lastModified - a.lastModified)
        .map((session) => ({ session, text: searchedText(session) }));
    } catch (error) {
      if (this.#loading !== loading) return;
      this.problem = `Cannot list the sessions: ${messageOf(error)}`;
    }
    this.#loading = undefined;
    this.search(this.#words);
    this.#changed();
  }

  search(words: string): void {
    this.#searching?.abort();
    this.#searching = undefined;
    this.#words = words;
    this.#found = new Set();
    this.#filter();
    const wanted = words.trim();
    if (wanted.length < SHORTEST_SEARCH) return;
    const shown = new Set(this.#shown);
    const others = this.#known.map(({ session }) => session).filter((session) => !shown.has(session));
    if (others.length > 0) void this.#searchTexts(wanted, others);
  }

  toggleBranch(): void {
    this.branchOnly = !this.branchOnly;
    this.#filter();
  }

  async rename(session: ListedSession, title: string): Promise<void> {
    try {
      await this.#shelf.rename(session.sessionId, title);
      this.#known = this.#known.map((known) => {
        if (known.session.sessionId !== session.sessionId) return known;
        const renamed = { ...known.session, summary: title };
        return { session: renamed, text: searchedText(renamed) };
      });
      this.#filter();
    } catch (error) {
      this.problem = `Cannot rename the session: ${messageOf(error)}`;
    }
    this.#changed();
  }

  close(): void {
    this.#searching?.abort();
    this.#searching = undefined;
    this.#loading = {};
  }

  async #searchTexts(words: string, among: readonly ListedSession[]): Promise<void> {
    const own = new AbortController();
    this.#searching = own;
    try {
      const all = among.map(({ sessionId }) => sessionId);
      const ids = await this.#shelf.search(words, all, own.signal);
      if (this.#searching !== own) return;
      this.#found = new Set(ids);
    } catch (error) {
      if (this.#searching !== own) return;
      this.problem = `Cannot search the conversations: ${messageOf(error)}`;
    }
    this.#searching = undefined;
    this.#filter();
    this.#changed();
  }

  #filter(): void {
    const words = this.#words.toLowerCase().split(/\s+/).filter(Boolean);
    this.#shown = this.#known
      .filter(({ session, text }) => {
        if (this.branchOnly && session.gitBranch !== this.#branch) return false;
        const { sessionId: id } = session;
        return this.#found.has(id) || words.every((word) => text.includes(word) || beginsId(word, id));
      })
      .map(({ session }) => session);
  }
}

const searchedText = ({ summary, firstPrompt = "", gitBranch = "", worktree = "" }: ListedSession) =>
  [summary, firstPrompt, gitBranch, worktree].join("\n").toLowerCase();

/** Anywhere else in an id, "add" or "42" would be found by chance. */
const beginsId = (word: string, id: string) => word.length >= 4 && id.startsWith(word);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
