// The tools of one server as the engine runs them, with names that are valid and unique. Fetched again when they change.

import type { Tool } from "@keelson/engine";
import type { JsonObject } from "@keelson/protocol";
import type { RequestLimit } from "../connection/client.ts";
import type { Listed } from "../lists/lists.ts";
import { MAX_TOOL_NAME_LENGTH } from "../naming.ts";
import type { CallResult } from "./content.ts";
import type { PartHandling } from "./files.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { mcpTool } from "./tools.ts";

/** A tool as the server describes it and as the engine runs it. */
export interface McpServerTool {
  readonly facts: ToolFacts;
  readonly tool: Tool;
}

export interface ToolListOptions {
  readonly server: string;
  readonly maxShown?: number;
  readonly parts?: PartHandling | undefined;
  call(
    tool: string,
    input: JsonObject,
    how: { readonly toolUseId: string; readonly signal: AbortSignal },
  ): Promise<CallResult>;
  fetch(limit: RequestLimit): Promise<Listed<ToolFacts>>;
  /** Called with a sentence for each tool that is left out. */
  report(problem: string): void;
  /** The server changed its tools, and they were fetched again. */
  onChanged(): void;
}

export class ToolList {
  readonly #options: ToolListOptions;
  #tools: readonly McpServerTool[] = [];
  #closed = false;
  #refreshing: Promise<void> | undefined;
  #stale = false;
  /** Set after a refetch that the server triggered, until the next `refresh`. */
  #refetched = false;

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** In the server's order. */
  get tools(): readonly McpServerTool[] {
    return this.#tools;
  }

  get isStale(): boolean {
    return this.#stale || this.#refreshing !== undefined;
  }

  set({ entries, problems }: Listed<ToolFacts>): void {
    if (this.#closed) return;
    for (const problem of problems) this.#options.report(problem);
    const names = new Set<string>();
    this.#tools = entries.flatMap((facts) => {
      const tool = this.#wrap(facts, names);
      return tool ? [{ facts, tool }] : [];
    });
  }

  /**
   * The server says that its tools changed. Refetches once, then waits for `refresh`: a server that keeps sending changes
   * must not keep us busy. Without a limit nothing is fetched yet.
   */
  changed(limit: RequestLimit | undefined): void {
    this.#stale = true;
    if (!limit || this.#refreshing || this.#refetched) return;
    this.#refetched = true;
    this.#refetch(limit);
  }

  /** Fetches the tools again if they are stale. Never rejects. */
  async refresh(limit: RequestLimit): Promise<void> {
    this.#refetched = false;
    if (this.#stale && !this.#refreshing) this.#refetch(limit);
    await this.#refreshing;
  }

  close(): void {
    this.#closed = true;
    this.#tools = [];
  }

  #refetch(limit: RequestLimit): void {
    this.#stale = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#refreshing = promise;
    void this.#options
      .fetch(limit)
      .then(
        (list) => this.set(list),
        // Keep the tools we have.
        () => undefined,
      )
      .finally(() => {
        this.#refreshing = undefined;
        resolve();
        if (!this.#closed) this.#options.onChanged();
      });
  }

  /** Undefined if the name cannot be used. */
  #wrap(facts: ToolFacts, names: Set<string>): Tool | undefined {
    const { server, maxShown, parts, call, report } = this.#options;
    const tool = mcpTool({
      server,
      facts,
      maxShown,
      parts,
      call: (input, how) => call(facts.name, input, how),
    });
    if (tool.name.length > MAX_TOOL_NAME_LENGTH) {
      report(`Skipped the tool "${facts.name}": server name and tool name together are too long`);
    } else if (names.has(tool.name)) {
      report(`Skipped the tool "${facts.name}": another tool is already named "${tool.name}"`);
    } else {
      names.add(tool.name);
      return tool;
    }
    return undefined;
  }
}
