// Counts what a subagent used.

import type { TaskUsage } from "@keelson/host";
import { blocksOf, isToolUse, NO_USAGE, type NewEntry, type Usage } from "@keelson/protocol";

export class Meter {
  readonly #now: () => number;
  readonly #started: number;
  #toolUses = 0;
  #lastTool: string | undefined;
  #last: Usage = NO_USAGE;

  constructor(now: () => number) {
    this.#now = now;
    this.#started = now();
  }

  /** Returns whether there was anything to count. */
  record(entries: readonly NewEntry[]): boolean {
    const before = this.#toolUses;
    for (const entry of entries) {
      if (entry.type !== "assistant") continue;
      for (const { name } of blocksOf(entry.message.content).filter(isToolUse)) {
        this.#toolUses++;
        this.#lastTool = name;
      }
    }
    return this.#toolUses > before;
  }

  charge(usage: Usage): void {
    this.#last = usage;
  }

  /** Of the last reply: its tokens are those of the whole conversation. */
  get last(): Usage {
    return this.#last;
  }

  usage(): TaskUsage {
    const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = this.#last;
    return {
      totalTokens: input_tokens + output_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
      toolUses: this.#toolUses,
      durationMs: Math.round(this.#now() - this.#started),
      ...(this.#lastTool === undefined ? {} : { lastTool: this.#lastTool }),
    };
  }
}
