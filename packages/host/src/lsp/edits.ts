// What edits did to the diagnostics of a server: the problems before, the problems now, and what the model has yet to
// hear of. Problems that are gone before anyone was told are not told.

import type { CodeProblem } from "@keelson/protocol";
import type { LanguageClient } from "./client/client.ts";
import { newProblems } from "./client/problems.ts";

export interface Edit {
  readonly path: string;
  /** The text of the file before; undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

export interface FileProblems {
  readonly path: string;
  readonly problems: readonly CodeProblem[];
}

/** Resolves after this time. With a signal, it keeps the process alive, and resolves when the signal is aborted. */
export type WaitFor = (ms: number, signal?: AbortSignal) => Promise<void>;

/** A server that publishes may do so several times for one change, first with nothing. */
const QUIET_MS = 400;
/** How long a server may take to publish what a file was like before its first edit. No one waits for it. */
const BEFORE_MS = 15_000;
/** The same for a server that published nothing in that time. */
const BEFORE_SILENT_MS = 1_000;
/** Other open documents that an edit may have broken. */
const MOST_OTHERS = 8;
/** Whose problems are remembered. */
const MOST_FILES = 20_000;

export class Edits {
  readonly #wait: WaitFor;
  /** What was there when the model was last told. */
  readonly #told = new Map<string, readonly CodeProblem[]>();
  /** What the server said last. */
  readonly #said = new Map<string, readonly CodeProblem[]>();
  /** What it said when it had nothing more to say; compared with what was told. */
  readonly #settled = new Map<string, readonly CodeProblem[]>();
  readonly #queue: Edit[] = [];
  #published = 0;
  #beforeMs = BEFORE_MS;
  /** Called with each file that problems were published of; without one when the server can be asked for them. */
  #heard: ((path?: string) => void) | undefined;
  #isApplying = false;
  #isSettling = false;
  #isRefreshing = false;

  constructor(wait: WaitFor) {
    this.#wait = wait;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Of several edits of a file that wait, only the first text and the last one matter. */
  add(edit: Edit): void {
    const at = this.#queue.findIndex(({ path }) => path === edit.path);
    if (at === -1) this.#queue.push(edit);
    else this.#queue[at] = { ...this.#queue[at]!, after: edit.after };
  }

  /** Forgets the edits that wait. */
  clear(): void {
    this.#queue.length = 0;
  }

  /** The server published the problems of a file. */
  published(path: string, problems: readonly CodeProblem[]): void {
    if (!this.#said.has(path) && this.#said.size >= MOST_FILES) return;
    this.#published++;
    this.#said.set(path, problems);
    this.#heard?.(path);
    void this.#settleSoon();
  }

  /** Works through the queue. Rejects with LanguageServerError if the server is lost. */
  async work(client: LanguageClient): Promise<void> {
    this.#isApplying = true;
    try {
      for (let edit = this.#queue.shift(); edit; edit = this.#queue.shift()) await this.#apply(edit, client);
    } finally {
      this.#isApplying = false;
    }
    if (client.pulls) this.#settle();
    else void this.#settleSoon();
  }

  /** Problems may have changed without an edit: asks again about the documents used last. */
  async refresh(client: LanguageClient): Promise<void> {
    this.#heard?.();
    if (!client.pulls || this.#isApplying || this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      await this.#pullAll(client);
    } finally {
      this.#isRefreshing = false;
    }
    if (!this.#isApplying) this.#settle();
  }

  /** Errors and warnings of these files that are new since the last call. */
  takeNew(wants: (path: string) => boolean): readonly FileProblems[] {
    return [...this.#settled].flatMap(([path, now]): FileProblems[] => {
      if (!wants(path)) return [];
      const before = this.#told.get(path) ?? [];
      this.#told.set(path, now);
      this.#settled.delete(path);
      const fresh = newProblems(before, now).filter(({ severity }) => severity === "error" || severity === "warning");
      return fresh.length > 0 ? [{ path, problems: fresh }] : [];
    });
  }

  async #apply({ path, before, after }: Edit, client: LanguageClient): Promise<void> {
    const { documents } = client;
    if (!this.#told.has(path)) {
      if (before === undefined) this.#told.set(path, []);
      else {
        await this.#hearBefore(path, before, client);
        this.#told.set(path, this.#said.get(path) ?? []);
      }
    }
    // The server may have it already: documents are compared with the disk before questions.
    if (documents.show(path, after)) documents.saved(path, after);
    client.changedOnDisk([{ path, type: before === undefined ? "created" : "changed" }]);
    const isLast = this.#queue.length === 0;
    if (client.pulls && isLast) await this.#pullAll(client);
  }

  /** Lets the server look at a file as it was before its first edit. */
  async #hearBefore(path: string, text: string, client: LanguageClient): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#heard = (about) => (about === path || client.pulls) && resolve();
    const isNews = client.documents.show(path, text);
    if (!client.pulls && (isNews || !this.#said.has(path))) {
      const silence = this.#wait(this.#beforeMs).then(() => true);
      if (await Promise.race([promise.then(() => false), silence])) this.#beforeMs = BEFORE_SILENT_MS;
    }
    this.#heard = undefined;
    if (client.pulls) this.#said.set(path, await client.pull(path));
    else await this.#quiet(BEFORE_MS);
  }

  /** The documents used last, the edited one among them. */
  async #pullAll(client: LanguageClient): Promise<void> {
    for (const path of client.documents.paths.slice(-MOST_OTHERS)) this.#said.set(path, await client.pull(path));
  }

  /** Resolves when the server has published nothing for a while. */
  async #quiet(maxMs: number): Promise<void> {
    for (let waited = 0, count = -1; count !== this.#published && waited < maxMs; waited += QUIET_MS) {
      count = this.#published;
      await this.#wait(QUIET_MS);
    }
  }

  async #settleSoon(): Promise<void> {
    if (this.#isSettling || this.#isApplying) return;
    this.#isSettling = true;
    await this.#quiet(BEFORE_MS);
    this.#isSettling = false;
    if (!this.#isApplying) this.#settle();
  }

  /** What a server says about a file for the first time is no news, unless the file was edited. */
  #settle(): void {
    for (const [path, problems] of this.#said) {
      if (!this.#told.has(path)) this.#told.set(path, problems);
      else if (this.#told.get(path) !== problems) this.#settled.set(path, problems);
    }
  }
}
