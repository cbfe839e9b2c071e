// The life of one language server in one folder: started when it is needed, started again if it ended by itself or used
// too much memory, a limited number of times, and ended with the session.

import type { Files } from "@keelson/engine";
import type { CodeFindings, ConfiguredLanguageServer } from "@keelson/protocol";
import type { ServerProgram } from "../servers/program.ts";
import { LanguageClient, type CodeQuestion } from "./client/client.ts";
import { Edits, type Edit, type FileProblems, type WaitFor } from "./edits.ts";
import { sourceTree, type SourceTree } from "./tree.ts";
import { LanguageServerError } from "./wire/errors.ts";

export interface LanguageServerOptions {
  readonly server: ConfiguredLanguageServer;
  readonly root: string;
  readonly files: Files;
  /** Starts the program in the root. Rejects with a sentence for people. */
  start(): Promise<ServerProgram>;
  mayRead(path: string): boolean;
  languageOf(path: string): string;
  memoryOf(pid: number): Promise<number | undefined>;
  /** Calls `look` now and then until the returned function is called. */
  every(ms: number, look: () => void): () => void;
  readonly wait: WaitFor;
  readonly now: () => number;
  log(text: () => string): void;
}

export interface LanguageServerStatus {
  readonly name: string;
  readonly root: string;
  readonly state: "starting" | "running" | "stopped" | "failed";
  readonly pid?: number;
  readonly restarts: number;
  /** Why it ended last. */
  readonly reason?: string;
}

interface Running {
  readonly client: LanguageClient;
  readonly program: ServerProgram;
  readonly since: number;
}

const MEMORY_CHECK_MS = 5_000;
/** The pause before a restart doubles with each one, up to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A server that ran this long has recovered. */
const HEALTHY_MS = 10 * 60_000;
/** Of what it wrote to stderr, for the error. */
const MAX_STDERR = 500;
/** Files that say how a project is built. */
const PROJECT_FILE = /\.(?:json|toml|cfg|ini|mod|sum|gradle|xml|ya?ml)$/i;

export class LanguageServer {
  readonly #options: LanguageServerOptions;
  readonly #edits: Edits;
  readonly #tree: SourceTree;
  #running: Promise<Running> | undefined;
  #current: Running | undefined;
  /** Also while it does not answer yet. */
  #program: ServerProgram | undefined;
  #restarts = 0;
  #reason: string | undefined;
  readonly #closing = new AbortController();
  #isWorking = false;
  #looking: Promise<void> | undefined;

  constructor(options: LanguageServerOptions) {
    this.#options = options;
    this.#edits = new Edits(options.wait);
    const endings = Object.keys(options.server.languages);
    this.#tree = sourceTree(
      options.root,
      (name) => PROJECT_FILE.test(name) || endings.some((each) => name.toLowerCase().endsWith(each)),
    );
  }

  get status(): LanguageServerStatus {
    const { server, root } = this.#options;
    const state = this.#current ? "running" : this.#running ? "starting" : this.#mayStart ? "stopped" : "failed";
    const pid = this.#current && { pid: this.#current.program.pid };
    const reason = this.#reason === undefined ? {} : { reason: this.#reason };
    return { name: server.name, root, state, ...pid, restarts: this.#restarts, ...reason };
  }

  /** A server that is lost while it works on an answer is asked once more. Rejects with LanguageServerError. */
  async ask(question: CodeQuestion, signal: AbortSignal): Promise<CodeFindings> {
    const attempt = async () => {
      const { client } = await this.#ready(signal);
      await this.#lookAtFiles(client);
      return client.ask(question, signal);
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LanguageServerError) || error.kind !== "closed" || signal.aborted) throw error;
      return attempt();
    }
  }

  /** Tells the server of an edit, in the background. */
  edited(edit: Edit): void {
    if (this.#isClosed) return;
    this.#edits.add(edit);
    this.#work();
  }

  takeNewProblems(wants: (path: string) => boolean): readonly FileProblems[] {
    return this.#edits.takeNew(wants);
  }

  /** Resolves when the server is gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#current?.client.shutdown(this.#options.server.shutdownTimeoutMs);
    await this.#program?.end();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get #mayStart(): boolean {
    return this.#restarts <= this.#options.server.maxRestarts;
  }

  /** Tells the server what changed on disk. */
  #lookAtFiles(client: LanguageClient): Promise<void> {
    const look = async () => {
      await client.documents.refresh();
      const changes = await this.#tree.changes();
      client.changedOnDisk(changes.filter(({ path }) => !client.documents.has(path) && this.#options.mayRead(path)));
    };
    return (this.#looking ??= look().finally(() => (this.#looking = undefined)));
  }

  #work(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const never = new AbortController().signal;
    const work = async () => {
      while (!this.#edits.isEmpty && !this.#isClosed) {
        try {
          const { client } = await this.#ready(never);
          await this.#lookAtFiles(client);
          await this.#edits.work(client);
        } catch (error) {
          this.#options.log(() => `${this.#options.server.name}: ${(error as Error).message}`);
          // An edit that was lost with its server is not repeated; without a server, there is no one to tell.
          if ((error as LanguageServerError).kind === "start") this.#edits.clear();
        }
      }
      this.#isWorking = false;
    };
    void work();
  }

  /** The running server, started if it is not. The wait ends with the signal; the start continues. */
  async #ready(signal: AbortSignal): Promise<Running> {
    if (this.#isClosed) throw new LanguageServerError("closed", "The session is closing");
    if (!this.#running && !this.#mayStart) {
      throw new LanguageServerError(
        "start",
        `It ended ${this.#restarts} times and is not started again: ${this.#reason}`,
      );
    }
    const starting = (this.#running ??= this.#start());
    if (signal.aborted) throw new LanguageServerError("cancelled", "The request was cancelled");
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = () => reject(new LanguageServerError("cancelled", "The request was cancelled"));
    signal.addEventListener("abort", cancel);
    try {
      return await Promise.race([starting, promise]);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #start(): Promise<Running> {
    const { server, start, wait, now, log } = this.#options;
    try {
      const pauseMs = this.#restarts === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (this.#restarts - 1);
      if (pauseMs > 0) await wait(Math.min(pauseMs, LONGEST_PAUSE_MS), this.#closing.signal);
      if (this.#isClosed) throw new LanguageServerError("closed", "The session is closing");
      // Before the server reads the files, so that no change between is missed.
      await this.#tree.changes();
      const program = await start().catch((error: Error) => {
        throw new LanguageServerError("start", error.message);
      });
      this.#program = program;
      log(() => `${server.name}: started as process ${program.pid}`);
      const client = await this.#open(program).catch(async (error: LanguageServerError) => {
        this.#restarts++;
        this.#reason = error.message;
        // What a running server says once we end it, about its closed pipes for example, is not why.
        const said = program.stderr();
        const hasEnded = await Promise.race([program.exited.then(() => true), Bun.sleep(0).then(() => false)]);
        await program.end();
        throw new LanguageServerError("start", withStderr(error.message, hasEnded ? program.stderr() : said));
      });
      const running = { client, program, since: now() };
      if (!client.isClosed) this.#current = running;
      return running;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  async #open(program: ServerProgram): Promise<LanguageClient> {
    const { server } = this.#options;
    const stop = this.#watchMemory(program);
    const edits = this.#edits;
    const opened: { client?: LanguageClient; ended?: string } = {};
    opened.client = await LanguageClient.open({
      ...this.#options,
      program,
      published(path, problems, version) {
        const known = opened.client?.documents.versionOf(path);
        // What it says about an older text will be said again.
        if (version === undefined || known === undefined || version >= known) edits.published(path, problems);
      },
      refreshed: () => {
        if (opened.client) void edits.refresh(opened.client).catch(() => undefined);
      },
      closed: (reason) => {
        stop();
        opened.ended = reason;
        if (opened.client) this.#lost(reason, program);
      },
      log: (text) => this.#options.log(() => `${server.name}: ${text()}`),
    });
    // It may have ended right after its answer.
    if (opened.ended !== undefined) throw new LanguageServerError("closed", opened.ended);
    return opened.client;
  }

  /** It ended by itself, or we gave up on it. What it left is ended too. */
  #lost(reason: string, program: ServerProgram): void {
    if (this.#isClosed) return;
    const { now, log, server } = this.#options;
    if (this.#current && now() - this.#current.since > HEALTHY_MS) this.#restarts = 0;
    this.#restarts++;
    this.#reason = withStderr(reason, program.stderr());
    this.#running = this.#current = undefined;
    log(() => `${server.name}: ${this.#reason}`);
    void program.end();
  }

  #watchMemory(program: ServerProgram): () => void {
    const { server, memoryOf, every } = this.#options;
    return every(MEMORY_CHECK_MS, async () => {
      const bytes = await memoryOf(program.pid);
      if (bytes === undefined || bytes <= server.memoryLimitMb * 1024 * 1024) return;
      const used = Math.round(bytes / 1024 / 1024);
      if (this.#current?.program !== program) return;
      this.#current.client.close(`It used ${used} MB of memory, more than its limit of ${server.memoryLimitMb} MB`);
    });
  }
}

function withStderr(reason: string, stderr: string): string {
  const lines = stderr.trim();
  return lines === "" ? reason : `${reason} (stderr: ${lines.slice(-MAX_STDERR).replace(/\s+/g, " ")})`;
}
