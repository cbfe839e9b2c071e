// One MCP server of a session. It connects in the background and connects again when a call needs it; in between, its
// tools stay known. A failure is a status, never an exception.

import type { CallResult, McpCallOptions, ListKind, McpConnection, McpPrompt, McpServerTool } from "@keelson/mcp";
import type { JsonObject } from "@keelson/protocol";
import type { Slots } from "./slots.ts";
import type { NamedServer } from "./server-config.ts";
import { ServerPrompts } from "./server-prompts.ts";

export type ServerStatus = "connected" | "failed" | "needs-auth" | "pending" | "disabled";

/** What a server needs from the session. */
export interface ServerOptions {
  /** Makes a connection that is not open yet. `closed` is called when it ends by itself. */
  connect(server: ManagedServer, events: ConnectionEvents): Promise<McpConnection>;
  readonly slots: Slots;
  /** Resolves when it is taking long to connect: it then makes room for the next, so that one that hangs holds up no other. */
  slow?(signal: AbortSignal): Promise<void>;
  /** Its status, tools or instructions changed. */
  changed(): void;
  /** Its prompts are known, or others than before. */
  promptsChanged?(): void;
  log?(text: () => string): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

export interface ConnectionEvents {
  /** The user asked for this connection, so a server that wanted a sign-in before is asked again. */
  readonly isRetry?: boolean;
  closed(reason: Error): void;
  listChanged(kind: ListKind): void;
}

/** How often a remote server is tried before it counts as failed, and after it was lost. */
const FIRST_TRIES = 3;
const RETRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A connection that lasted this long was a good one. */
const SETTLED_MS = 5 * 60_000;

export class ManagedServer {
  readonly definition: NamedServer;
  readonly #options: ServerOptions;
  readonly #ending = new AbortController();
  #connection: McpConnection | undefined;
  /** Not connected yet. */
  #opening: McpConnection | undefined;
  #connecting: Promise<void> | undefined;
  #startedAt: number | undefined;
  #status: Exclude<ServerStatus, "disabled"> = "pending";
  #error: string | undefined;
  #tools: readonly McpServerTool[] = [];
  #instructions: string | undefined;
  readonly #prompts: ServerPrompts;
  /** The user asked for the next attempt. */
  #isRetry = false;
  #failures = 0;
  #tryAgainAt = 0;
  #connectedAt = 0;
  /** How often in a row a connection was lost soon after it opened. */
  #losses = 0;

  constructor(definition: NamedServer, options: ServerOptions) {
    this.definition = definition;
    this.#options = options;
    this.#prompts = new ServerPrompts({
      connection: () => this.connection,
      signal: this.#ending.signal,
      sleep: options.sleep,
      changed: () => options.promptsChanged?.(),
      fetched: () => options.changed(),
    });
  }

  get name(): string {
    return this.definition.name;
  }

  get status(): ServerStatus {
    return this.#ending.signal.aborted ? "disabled" : this.#status;
  }

  get error(): string | undefined {
    return this.#error;
  }

  /** When it was told to connect, by the clock of its options; undefined before that. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** It has failed, or it is connected and all its lists are known. */
  get isSettled(): boolean {
    return this.status !== "pending" && !this.#prompts.isFetching;
  }

  /** Undefined unless it is connected. */
  get connection(): McpConnection | undefined {
    return this.status === "connected" ? this.#connection : undefined;
  }

  /** In the server's order. A server that was lost keeps them: the next call connects it again. */
  get tools(): readonly McpServerTool[] {
    return this.#isUsable ? this.#tools : [];
  }

  /** What it says about using its tools. A server that was lost keeps this, too. */
  get instructions(): string | undefined {
    return this.#isUsable ? this.#instructions : undefined;
  }

  get #isUsable(): boolean {
    return this.status !== "disabled" && this.status !== "needs-auth";
  }

  /** Resolves when it has connected or failed. Never rejects. */
  connect(): Promise<void> {
    if (this.connection || this.#ending.signal.aborted) return Promise.resolve();
    this.#startedAt ??= this.#options.now();
    return (this.#connecting ??= this.#connectSoon(FIRST_TRIES).finally(() => (this.#connecting = undefined)));
  }

  /** Drops the connection, if any, and connects again. */
  async reconnect(): Promise<void> {
    // Ends an attempt that hangs.
    await this.#drop();
    await this.#connecting;
    await this.#drop();
    this.#isRetry = true;
    this.#failures = 0;
    this.#tryAgainAt = 0;
    this.#startedAt = undefined;
    this.#set("pending");
    await this.connect();
  }

  /** Fetches a tool list that changed. Never rejects. */
  async refreshTools(): Promise<void> {
    await this.connection?.refreshTools();
    this.#readTools();
  }

  /** The prompts that are known by now. */
  get knownPrompts(): readonly McpPrompt[] {
    return this.#prompts.known;
  }

  /** Empty unless it is connected and has prompts. Never rejects. */
  prompts(): Promise<readonly McpPrompt[]> {
    return this.#prompts.list();
  }

  /** `tool` is the server's own name for it. Rejects with an error for the model. */
  call(tool: string, input: JsonObject, options: McpCallOptions): Promise<CallResult> {
    return this.use(options.signal, (connection) => connection.call(tool, input, options) ?? unknownTool(tool));
  }

  /** Makes a request on the connection, connecting first if needed. */
  async use<T>(signal: AbortSignal, request: (connection: McpConnection) => Promise<T>): Promise<T> {
    const first = await this.#live(signal);
    try {
      return await request(first);
    } catch (error) {
      if (await wantsSignIn(error)) {
        await this.#drop();
        this.#failed((error as Error).message, true);
      }
      // The server forgot the session before it did anything, so the request can be repeated.
      if (!isExpired(error) || signal.aborted) throw error;
      if (this.#connection === first) await this.#drop();
      return await request(await this.#live(signal));
    }
  }

  /** Resolves when nothing of it is left running. */
  async end(): Promise<void> {
    this.#ending.abort(new Error("The server was turned off"));
    await this.#drop();
    this.#options.changed();
  }

  async #live(signal: AbortSignal): Promise<McpConnection> {
    if (!this.connection) {
      const wait = this.#tryAgainAt - this.#options.now();
      if (wait > 0 && !this.#connecting) throw await notConnected(this.name, this.#error);
      await untilAborted(this.connect(), signal);
    }
    signal.throwIfAborted();
    if (!this.connection) throw await notConnected(this.name, this.#error);
    return this.connection;
  }

  async #connectSoon(tries: number): Promise<void> {
    const { slots, sleep } = this.#options;
    const { signal } = this.#ending;
    let wait = FIRST_WAIT_MS;
    for (let left = this.definition.isRemote ? tries : 1; left > 0 && !signal.aborted; left--) {
      const release = await slots.take();
      const isDone = new AbortController();
      this.#options.slow?.(isDone.signal).then(release, () => undefined);
      const again = await this.#connectOnce().finally(release);
      isDone.abort();
      if (!again || left === 1 || signal.aborted) return;
      await sleep(wait, signal).catch(() => undefined);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  /** Whether another try may help. */
  async #connectOnce(): Promise<boolean> {
    const { definition } = this;
    const { signal } = this.#ending;
    if (signal.aborted) return false;
    const lost: { current?: McpConnection } = {};
    try {
      const isRetry = this.#isRetry;
      this.#isRetry = false;
      const connection = await this.#options.connect(this, {
        isRetry,
        closed: (reason) => this.#lost(lost.current, reason),
        listChanged: (kind) => {
          if (kind === "prompts") this.#prompts.changed();
          if (kind === "tools") this.#readTools();
        },
      });
      // The session may have ended while this was being prepared: then nothing must be started.
      if (signal.aborted) return false;
      lost.current = this.#opening = connection;
      await connection.open(definition.manifest);
      if (signal.aborted) {
        await connection.close();
        return false;
      }
      this.#opening = undefined;
      if (connection.status === "connected") {
        this.#connection = connection;
        this.#connectedAt = this.#options.now();
        this.#instructions = connection.facts?.instructions;
        this.#prompts.fetch();
        this.#failures = 0;
        this.#set("connected");
        this.#readTools();
        return false;
      }
      const { failure } = connection;
      const needsSignIn = await wantsSignIn(failure);
      this.#failed(connection.error ?? "The connection failed", needsSignIn);
      // After that: a program that hangs takes a while to end.
      await connection.close();
      return !needsSignIn && (failure as { code?: unknown } | undefined)?.code !== NOT_FOUND;
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error), false);
      return false;
    }
  }

  #failed(error: string, needsSignIn: boolean): void {
    this.#error = error;
    this.#failures++;
    this.#tryAgainAt = this.#options.now() + Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS);
    this.#set(needsSignIn ? "needs-auth" : "failed");
  }

  /** The connection ended by itself. A program is started again by the next call; a remote server is tried again. */
  #lost(connection: McpConnection | undefined, reason: Error): void {
    if (connection === undefined || connection !== this.#connection || this.#ending.signal.aborted) return;
    this.#connection = undefined;
    void connection.close();
    this.#error = connection.error ?? reason.message;
    this.#set("failed");
    if (!this.definition.isRemote) return;
    this.#set("pending");
    // One that accepts every connection and ends it at once is tried less and less often.
    this.#losses = this.#options.now() - this.#connectedAt < SETTLED_MS ? this.#losses + 1 : 1;
    void (this.#connecting ??= this.#options
      .sleep(Math.min(FIRST_WAIT_MS * 2 ** (this.#losses - 1), LONGEST_WAIT_MS), this.#ending.signal)
      .then(() => this.#connectSoon(RETRIES))
      .catch(() => undefined)
      .finally(() => (this.#connecting = undefined)));
  }

  async #drop(): Promise<void> {
    const open = [this.#connection, this.#opening];
    this.#connection = this.#opening = undefined;
    await Promise.all(open.map((connection) => connection?.close()));
  }

  #set(status: Exclude<ServerStatus, "disabled">): void {
    if (status === "connected") this.#error = undefined;
    this.#status = status;
    this.#options.log?.(() => `${this.name}: ${status}${this.#error === undefined ? "" : `: ${this.#error}`}`);
    this.#options.changed();
  }

  #readTools(): void {
    if (!this.#connection || this.#tools === this.#connection.tools) return;
    this.#tools = this.#connection.tools;
    this.#options.changed();
  }
}

const EXPIRED = -32001;
/** An address that does not exist; see `@keelson/mcp/remote`. */
const NOT_FOUND = -32404;

async function wantsSignIn(error: unknown): Promise<boolean> {
  return error instanceof (await import("@keelson/mcp")).NeedsSignInError;
}

/** The code of an expired session. A request that timed out has the same code, but its message says so. */
const isExpired = (error: unknown) =>
  error instanceof Error && (error as { code?: unknown }).code === EXPIRED && /session/i.test(error.message);

async function unknownTool(tool: string): Promise<never> {
  const { McpError } = await import("@keelson/mcp");
  throw new McpError(-32602, `the server no longer has the tool "${tool}"`);
}

async function notConnected(name: string, error: string | undefined): Promise<Error> {
  const { McpError } = await import("@keelson/mcp");
  return new McpError(-32000, `the server "${name}" is not connected${error ? `: ${error}` : ""}`);
}

/** Waits no longer than the signal allows. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([work, stopped]).finally(() => signal.removeEventListener("abort", stop));
}
