// One connection to an MCP server: opened once, and dead when it is closed. `open` always finishes, and a failure becomes
// a status, not an exception. Knows nothing about transports or permissions.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { RequestHandlers } from "./answers.ts";
import { requestWithInput } from "../requests/ask.ts";
import { Client, MAX_TIMER_MS, type Progress, type RequestLimit, type Transport } from "./client.ts";
import { readResult, type CallResult } from "../tools/content.ts";
import {
  readPromptResult,
  readResourceResult,
  type McpPromptResult,
  type ResourceContent,
} from "../lists/documents.ts";
import type { McpPrompt, ResourceFacts, TemplateFacts } from "../lists/entries.ts";
import { openServer, readInitializeResult, type ListKind, type ServerFacts } from "./handshake.ts";
import { fetchList, PROMPTS, readList, RESOURCES, TEMPLATES, TOOLS } from "../lists/lists.ts";
import { createNotices, type LogMessage, type Notices } from "./notices.ts";
import { plainLine } from "../plain-text.ts";
import { INTERNAL_ERROR, McpError, messageOf, TIMED_OUT } from "./rpc.ts";
import type { PartHandling } from "../tools/files.ts";
import { ToolList, type McpServerTool } from "../tools/tool-list.ts";

export interface ConnectionOptions {
  readonly name: string;
  readonly transport: Transport;
  /** Limit for the handshake, and for each later request that is not a tool call. */
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
  /** The longest time a call may go without progress. */
  readonly idleTimeoutMs?: number;
  readonly maxShown?: number;
  /** What to do with images and other binary content. */
  readonly parts?: PartHandling;
  /** What we offer to the server. Nothing unless given. */
  readonly capabilities?: JsonObject;
  /** Answers requests from the server, by method. */
  readonly handlers?: RequestHandlers;
  /** If the server rejects `initialize`, use the protocol of 2026-07-28. */
  readonly mayDiscover?: boolean;
  /** Runs the calls of `tools` instead of this connection, so that a server can be connected again first. */
  callThrough?(tool: string, input: JsonObject, how: McpCallOptions): Promise<CallResult>;
  /** Called with a sentence for each thing that was skipped: once per problem, up to a limit. */
  onProblem?(problem: string): void;
  /** A list of the server changed. Tools have been fetched again by then. */
  onListChanged?(kind: ListKind): void;
  onLog?(message: LogMessage): void;
  /** The user is done at the URL of this elicitation. */
  onElicitationComplete?(elicitationId: string): void;
  /** The connection ended, and not by `close`. Called once, also if it ends while it is being opened. */
  onClosed?(reason: Error): void;
}

/** Answers the client already has, which saves the round trips. */
export interface ServerManifest {
  readonly initializeResult?: unknown;
  readonly toolsListResult?: unknown;
}

export interface McpCallOptions {
  /** The id of the model's tool call; absent when a hook makes the call. */
  readonly toolUseId?: string;
  readonly signal: AbortSignal;
  onProgress?(progress: Progress): void;
}

const MAX_ERROR_LENGTH = 500;
const MAX_PROBLEMS = 20;

export class McpConnection {
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #closing = new AbortController();
  readonly #notices: Notices;
  readonly #reported = new Set<string>();
  #status: "pending" | "connected" | "failed" = "pending";
  #error: string | undefined;
  #failure: unknown;
  #facts: ServerFacts | undefined;
  readonly #tools: ToolList;

  constructor(options: ConnectionOptions) {
    this.name = options.name;
    this.#options = options;
    this.#notices = createNotices({
      onListChanged: (kind) => (kind === "tools" ? this.#onToolsChanged() : options.onListChanged?.(kind)),
      onLog: (message) => options.onLog?.(message),
      onElicitationComplete: (id) => options.onElicitationComplete?.(id),
    });
    this.#client = new Client(options.transport, {
      handlers: options.handlers,
      onNotification: (method, params) => this.#notices.receive(method, params),
      onClosed: (reason) => this.#onClosed(reason),
    });
    this.#tools = new ToolList({
      server: options.name,
      maxShown: options.maxShown,
      parts: options.parts,
      call: (tool, input, how) => options.callThrough?.(tool, input, how) ?? this.#call(tool, input, how),
      fetch: (limit) => fetchList(this.#client, TOOLS, limit),
      report: (problem) => this.#report(problem),
      onChanged: () => options.onListChanged?.("tools"),
    });
  }

  get status() {
    return this.#status;
  }

  get error(): string | undefined {
    return this.#error;
  }

  /** Why `open` failed. */
  get failure(): unknown {
    return this.#failure;
  }

  get facts(): ServerFacts | undefined {
    return this.#facts;
  }

  /** In the server's order. They remain when the server ends the connection. */
  get tools(): readonly McpServerTool[] {
    return this.#tools.tools;
  }

  /** True if the server announced a new tool list that we have not fetched yet. */
  get isStale(): boolean {
    return this.#status === "connected" && this.#tools.isStale;
  }

  /** Never rejects; check `status`. */
  async open(manifest: ServerManifest = {}): Promise<void> {
    const { timeoutMs, capabilities = {}, mayDiscover = false } = this.#options;
    const until = performance.now() + timeoutMs;
    const limit = () => ({ timeoutMs: Math.max(1, until - performance.now()), signal: this.#closing.signal });
    try {
      await this.#start(timeoutMs);
      const known = readInitializeResult(manifest.initializeResult);
      this.#facts = known ?? (await openServer(this.#client, { capabilities, mayDiscover }, limit));
      const parked = known && isObject(manifest.toolsListResult) ? manifest.toolsListResult["tools"] : undefined;
      if (Array.isArray(parked)) this.#tools.set(readList(TOOLS, parked));
      else if (this.#facts.hasTools) this.#tools.set(await fetchList(this.#client, TOOLS, limit()));
      this.#closing.signal.throwIfAborted();
      this.#status = "connected";
      this.#listen(this.#facts);
    } catch (error) {
      this.#status = "failed";
      this.#failure = error;
      this.#error ??= plainLine(this.#whyNotOpen(error), MAX_ERROR_LENGTH);
      void this.#client.close();
    }
  }

  /** Fetches the tool list again if it is stale. Never rejects. */
  async refreshTools(): Promise<void> {
    if (this.#status === "connected") await this.#tools.refresh(this.#limit());
  }

  deliver(message: unknown): void {
    this.#client.deliver(message);
  }

  /** `tool` is the server's own name for it. Returns undefined if not connected or if there is no such tool. */
  call(tool: string, input: JsonObject, options: McpCallOptions): Promise<CallResult> | undefined {
    const known = this.tools.find(({ facts }) => facts.name === tool);
    return known && this.#status === "connected" ? this.#call(tool, input, options) : undefined;
  }

  /** Each of these lists is empty if the server has none, and rejects with McpError if it cannot be fetched. */
  listResources(signal: AbortSignal): Promise<readonly ResourceFacts[]> {
    return this.#list(RESOURCES, "hasResources", signal);
  }

  listResourceTemplates(signal: AbortSignal): Promise<readonly TemplateFacts[]> {
    return this.#list(TEMPLATES, "hasResources", signal);
  }

  listPrompts(signal: AbortSignal): Promise<readonly McpPrompt[]> {
    return this.#list(PROMPTS, "hasPrompts", signal);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]> {
    return readResourceResult(await this.#ask("resources/read", () => ({ uri }), { signal }));
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<McpPromptResult> {
    const params = () => ({ name, ...(Object.keys(args).length > 0 ? { arguments: { ...args } } : {}) });
    const { parts = {} } = this.#options;
    return readPromptResult(await this.#ask("prompts/get", params, { signal }), this.name, parts);
  }

  /** Tells the server that the answer to `roots/list` changed. */
  rootsChanged(): void {
    if (this.#status === "connected") this.#client.notify("notifications/roots/list_changed");
  }

  /** Resolves when nothing of the server is left running. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("Connection closed"));
    this.#tools.close();
    await this.#client.close();
  }

  async #start(timeoutMs: number): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = new AbortController();
    const giveUp = (reason: unknown) => {
      stop.abort(reason);
      reject(reason);
    };
    const onClose = () => giveUp(this.#closing.signal.reason);
    const onTimeout = () => giveUp(new McpError(TIMED_OUT, "Request timed out"));
    const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
    this.#closing.signal.addEventListener("abort", onClose);
    try {
      await Promise.race([this.#client.start(stop.signal), promise]);
    } finally {
      clearTimeout(timer);
      this.#closing.signal.removeEventListener("abort", onClose);
    }
  }

  /** For a server that says nothing: how long we waited, and what came instead of an answer. */
  #whyNotOpen(error: unknown): string {
    const { timeoutMs, transport } = this.#options;
    if (!(error instanceof McpError) || error.code !== TIMED_OUT) return messageOf(error);
    const noise = transport.noise?.();
    return `${error.message}: no answer within ${timeoutMs / 1_000} s${noise === undefined ? "" : `; ${noise}`}`;
  }

  async #call(name: string, input: JsonObject, how: McpCallOptions): Promise<CallResult> {
    const { toolUseId, signal, onProgress } = how;
    const params = (id: number) => ({
      name,
      arguments: input,
      ...(toolUseId === undefined ? {} : { _meta: { "claudecode/toolUseId": toolUseId, progressToken: id } }),
    });
    const { callTimeoutMs: timeoutMs, idleTimeoutMs } = this.#options;
    const limit = { timeoutMs, idleTimeoutMs, signal, onProgress };
    const isTask = this.tools.find(({ facts }) => facts.name === name)?.facts.runsAsTask === true;
    const answer = await (isTask ? this.#callAsTask(params, limit) : this.#ask("tools/call", params, limit));
    const result = readResult(answer, this.name);
    if (!result) throw new McpError(INTERNAL_ERROR, `the result of "${name}" is not a valid tool result`);
    return result;
  }

  async #callAsTask(params: (id: number) => JsonObject, limit: RequestLimit): Promise<unknown> {
    const { callAsTask } = await import("../requests/task.ts");
    return callAsTask(this.#client, params, { ...limit, completed: (id) => this.#notices.completed(id) });
  }

  #ask(
    method: string,
    params: (id: number) => JsonObject,
    limit: McpCallOptions & { readonly timeoutMs?: number; readonly idleTimeoutMs?: number },
  ): Promise<unknown> {
    const { timeoutMs } = this.#options;
    const completed = (id: string) => this.#notices.completed(id);
    return requestWithInput(this.#client, method, params, { timeoutMs, ...limit, completed });
  }

  async #list<T extends object>(
    kind: Parameters<typeof fetchList<T>>[1],
    fact: "hasPrompts" | "hasResources",
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    if (!this.#facts?.[fact]) return [];
    const { entries, problems } = await fetchList(this.#client, kind, { timeoutMs: this.#options.timeoutMs, signal });
    for (const problem of problems) this.#report(problem);
    return entries;
  }

  #report(problem: string): void {
    if (this.#reported.has(problem) || this.#reported.size >= MAX_PROBLEMS) return;
    this.#reported.add(problem);
    this.#options.onProblem?.(problem);
  }

  /** From 2026-07-28 on, a server announces changes only to those who ask. */
  #listen({ openedBy, announces }: ServerFacts): void {
    if (openedBy !== "discover" || announces.length === 0) return;
    const notifications = Object.fromEntries(announces.map((kind) => [`${kind}ListChanged`, true]));
    // The answer to this request is the end of the announcements; a server may refuse to make any.
    this.#client
      .request("subscriptions/listen", { notifications }, { timeoutMs: Infinity, signal: this.#closing.signal })
      .catch(() => undefined);
  }

  #onClosed(reason: Error): void {
    const { onClosed } = this.#options;
    const detail =
      reason instanceof McpError ? reason.message : `MCP error -32000: Connection closed. ${reason.message}`;
    this.#error = plainLine(detail, MAX_ERROR_LENGTH);
    this.#status = "failed";
    onClosed?.(reason);
  }

  #onToolsChanged(): void {
    this.#tools.changed(this.#status === "connected" ? this.#limit() : undefined);
  }

  #limit() {
    return { timeoutMs: this.#options.timeoutMs, signal: this.#closing.signal };
  }
}
