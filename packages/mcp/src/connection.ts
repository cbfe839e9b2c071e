// One MCP server and its tools. `open` always finishes, and a failure becomes a status, not an exception.
// Knows nothing about transports or permissions.

import type { Tool } from "@keelson/engine";
import { isObject, type JsonObject } from "@keelson/protocol";
import { Client, type Transport } from "./client.ts";
import { readResult, type CallResult } from "./content.ts";
import {
  initializeServer,
  listTools,
  readInitializeResult,
  readTools,
  type ServerFacts,
  type ToolList,
} from "./handshake.ts";
import { MAX_TOOL_NAME_LENGTH } from "./naming.ts";
import { INTERNAL_ERROR, McpError } from "./rpc.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { mcpTool } from "./tools.ts";

export interface ConnectionOptions {
  readonly name: string;
  readonly transport: Transport;
  /** Limit for the handshake, and for each later refresh of the tool list. */
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
  readonly maxShown?: number;
  /** Called with a sentence for each thing that was skipped: once per problem, up to a limit. */
  onProblem?(problem: string): void;
}

/** A tool as the server describes it and as the engine runs it. */
export interface McpServerTool {
  readonly facts: ToolFacts;
  readonly tool: Tool;
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
}

const MAX_ERROR_LENGTH = 500;
const MAX_PROBLEMS = 20;

export class McpConnection {
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #closing = new AbortController();
  #status: "pending" | "connected" | "failed" = "pending";
  #error: string | undefined;
  #facts: ServerFacts | undefined;
  #tools: readonly McpServerTool[] = [];
  readonly #reported = new Set<string>();
  #refreshing: Promise<void> | undefined;
  #stale = false;
  /** Set after a refetch that the server triggered, until the next `refreshTools`. */
  #refetched = false;

  constructor(options: ConnectionOptions) {
    this.name = options.name;
    this.#options = options;
    this.#client = new Client(options.transport, (method) => {
      if (method === "notifications/tools/list_changed") this.#onListChanged();
    });
  }

  get status() {
    return this.#status;
  }

  get error(): string | undefined {
    return this.#error;
  }

  get facts(): ServerFacts | undefined {
    return this.#facts;
  }

  /** In the server's order. */
  get tools(): readonly McpServerTool[] {
    return this.#tools;
  }

  /** True if the server announced a new tool list that we have not fetched yet. */
  get isStale(): boolean {
    return this.#status === "connected" && (this.#stale || this.#refreshing !== undefined);
  }

  /** Never rejects; check `status`. */
  async open(manifest: ServerManifest = {}): Promise<void> {
    const { timeoutMs } = this.#options;
    const until = performance.now() + timeoutMs;
    const limit = () => ({ timeoutMs: Math.max(1, until - performance.now()), signal: this.#closing.signal });
    try {
      const known = readInitializeResult(manifest.initializeResult);
      this.#facts = known ?? (await initializeServer(this.#client, limit()));
      const parked = known && isObject(manifest.toolsListResult) ? manifest.toolsListResult["tools"] : undefined;
      if (Array.isArray(parked)) this.#setTools(readTools(parked));
      else if (this.#facts.hasTools) this.#setTools(await listTools(this.#client, limit()));
      this.#status = "connected";
    } catch (error) {
      this.#status = "failed";
      this.#error = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
    }
  }

  /** Fetches the tool list again if it is stale. Never rejects. */
  async refreshTools(): Promise<void> {
    this.#refetched = false;
    if (this.isStale && !this.#refreshing) this.#refresh();
    await this.#refreshing;
  }

  deliver(message: unknown): void {
    this.#client.deliver(message);
  }

  /** `tool` is the server's own name for it. Returns undefined if not connected or if there is no such tool. */
  call(tool: string, input: JsonObject, options: McpCallOptions): Promise<CallResult> | undefined {
    const known = this.#tools.find(({ facts }) => facts.name === tool);
    return known && this.#status === "connected" ? this.#call(known.facts, input, options) : undefined;
  }

  close(): void {
    this.#closing.abort(new Error("Connection closed"));
    this.#client.close();
    this.#tools = [];
  }

  async #call({ name }: ToolFacts, input: JsonObject, { toolUseId, signal }: McpCallOptions): Promise<CallResult> {
    const params = (id: number) => ({
      name,
      arguments: input,
      ...(toolUseId === undefined ? {} : { _meta: { "claudecode/toolUseId": toolUseId, progressToken: id } }),
    });
    const limit = { timeoutMs: this.#options.callTimeoutMs, signal };
    const result = readResult(await this.#client.request("tools/call", params, limit), this.name);
    if (!result) throw new McpError(INTERNAL_ERROR, `the result of "${name}" is not a valid tool result`);
    return result;
  }

  #setTools({ tools, problems }: ToolList): void {
    if (this.#closing.signal.aborted) return;
    const { name: server, maxShown } = this.#options;
    for (const problem of problems) this.#report(problem);
    const names = new Set<string>();
    this.#tools = tools.flatMap((facts) => {
      const tool = mcpTool({ server, facts, maxShown, call: (input, how) => this.#call(facts, input, how) });
      if (tool.name.length > MAX_TOOL_NAME_LENGTH) {
        this.#report(`Skipped the tool "${facts.name}": server name and tool name together are too long`);
      } else if (names.has(tool.name)) {
        this.#report(`Skipped the tool "${facts.name}": another tool is already named "${tool.name}"`);
      } else {
        names.add(tool.name);
        return [{ facts, tool }];
      }
      return [];
    });
  }

  #report(problem: string): void {
    if (this.#reported.has(problem) || this.#reported.size >= MAX_PROBLEMS) return;
    this.#reported.add(problem);
    this.#options.onProblem?.(problem);
  }

  /** Refetches once, then waits for `refreshTools`: a server that keeps sending changes must not keep us busy. */
  #onListChanged(): void {
    this.#stale = true;
    if (this.#status !== "connected" || this.#refreshing || this.#refetched) return;
    this.#refetched = true;
    this.#refresh();
  }

  #refresh(): void {
    this.#stale = false;
    const limit = { timeoutMs: this.#options.timeoutMs, signal: this.#closing.signal };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#refreshing = promise;
    void listTools(this.#client, limit)
      .then(
        (list) => this.#setTools(list),
        // Keep the tools we have.
        () => undefined,
      )
      .finally(() => {
        this.#refreshing = undefined;
        resolve();
      });
  }
}
