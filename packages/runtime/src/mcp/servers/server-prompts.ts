// The prompts of one server, as far as they are known. They are fetched when it connects and when it announces others.

import type { McpConnection, McpPrompt } from "@keelson/mcp";

interface PromptsOptions {
  /** Undefined unless the server is connected. */
  connection(): McpConnection | undefined;
  /** Aborted when the server is turned off. */
  readonly signal: AbortSignal;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** The prompts are known, or others than before. */
  changed(): void;
  /** The list that was under way has come or failed. */
  fetched?(): void;
}

const PAUSE_MS = 5_000;

export class ServerPrompts {
  readonly #options: PromptsOptions;
  #listing: Promise<readonly McpPrompt[]> | undefined;
  #known: readonly McpPrompt[] = [];
  #fetching = 0;
  #isPausing = false;
  /** They changed during the pause. */
  #isStale = false;

  constructor(options: PromptsOptions) {
    this.#options = options;
  }

  get known(): readonly McpPrompt[] {
    return this.#options.connection() ? this.#known : [];
  }

  /** The list is under way. */
  get isFetching(): boolean {
    return this.#fetching > 0;
  }

  /** Empty unless the server is connected and has prompts. Never rejects. */
  async list(): Promise<readonly McpPrompt[]> {
    const connection = this.#options.connection();
    if (!connection?.facts?.hasPrompts) return [];
    this.#listing ??= connection.listPrompts(this.#options.signal).catch(() => []);
    return (this.#known = await this.#listing);
  }

  fetch(): void {
    const hadPrompts = this.#known.length > 0;
    this.#listing = undefined;
    this.#known = [];
    this.#fetching++;
    // Asked for after the status is set, because `list` needs the connection.
    queueMicrotask(async () => {
      const { length } = await this.list();
      this.#fetching--;
      this.#options.fetched?.();
      if (length > 0 || hadPrompts) this.#options.changed();
    });
  }

  /** A server that keeps announcing changes must not keep us busy: one list at a time, and then a pause. */
  changed(): void {
    if (this.#isPausing) return void (this.#isStale = true);
    this.#isStale = false;
    this.fetch();
    this.#isPausing = true;
    void this.#options
      .sleep(PAUSE_MS, this.#options.signal)
      .catch(() => undefined)
      .finally(() => {
        this.#isPausing = false;
        if (this.#isStale && this.#options.connection()) this.changed();
      });
  }
}
