// Counts what a subagent used, from its first request on, also before the session was resumed.

import type { TaskUsage } from "@keelson/host";
import { blocksOf, isToolUse, NO_USAGE, textOf, type NewEntry, type Usage } from "@keelson/protocol";
import type { AgentMeta } from "@keelson/store/agents";
import type { AgentToolStats } from "@keelson/tools";
import type { Cost } from "../../model/cost.ts";
import { activityOf, ToolRecord } from "./tool-record.ts";

export class Meter {
  readonly #elapsedMs: () => number;
  readonly #cost: Cost;
  readonly #earlier: AgentMeta | undefined;
  #turns = 0;
  #toolUses = 0;
  #lastTool: string | undefined;
  #activity: string | undefined;
  readonly #record = new ToolRecord();
  #said = "";
  #last: Usage = NO_USAGE;
  /** Of the reply under way, as far as it is known; else of the last one. */
  #known: Usage = NO_USAGE;

  /**
   * `elapsedMs` is how long it has worked. `earlier` is what is known of an agent that continues; `cost` has its usage until
   * then.
   */
  constructor(elapsedMs: () => number, cost: Cost, earlier?: AgentMeta) {
    this.#elapsedMs = elapsedMs;
    this.#cost = cost;
    this.#earlier = earlier;
  }

  /** Returns whether there was anything to count. */
  record(entries: readonly NewEntry[]): boolean {
    const before = this.#toolUses;
    for (const entry of entries) {
      if (entry.type === "user") this.#record.result(entry);
      if (entry.type !== "assistant") continue;
      if (entry.message.usage) this.#known = entry.message.usage;
      if (!entry.isApiErrorMessage) this.#said = textOf(entry.message.content) || this.#said;
      for (const call of blocksOf(entry.message.content).filter(isToolUse)) {
        this.#toolUses++;
        this.#lastTool = call.name;
        this.#activity = activityOf(call);
        this.#record.call(call.name);
      }
    }
    return this.#toolUses > before;
  }

  charge(usage: Usage, model: string, durationMs: number): void {
    this.#last = this.#known = usage;
    this.#turns++;
    this.#cost.charge(usage, model, durationMs);
  }

  /** The last text it wrote, in case it does not come to an answer. */
  get said(): string {
    return this.#said;
  }

  /** Of the last reply: its tokens are those of the whole conversation. */
  get last(): Usage {
    return this.#last;
  }

  /** From its first request on. Null if the price of a model is unknown. */
  get costUsd(): number | null {
    return this.#cost.totalUsd;
  }

  /** Since it was started or continued. */
  usage(): TaskUsage {
    const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = this.#known;
    return {
      totalTokens: input_tokens + output_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
      toolUses: this.#toolUses,
      durationMs: Math.round(this.#elapsedMs()),
      ...(this.#lastTool === undefined ? {} : { lastTool: this.#lastTool, activity: this.#activity }),
    };
  }

  get toolStats(): AgentToolStats {
    return this.#record.stats;
  }

  /** From its first request on. */
  total(): Partial<AgentMeta> {
    const { totalTokens, toolUses, durationMs, lastTool = this.#earlier?.lastTool } = this.usage();
    const since = (key: "turns" | "toolUses" | "durationMs") => this.#earlier?.[key] ?? 0;
    return {
      turns: since("turns") + this.#turns,
      totalTokens: totalTokens || this.#earlier?.totalTokens || 0,
      toolUses: since("toolUses") + toolUses,
      durationMs: since("durationMs") + durationMs,
      costUSD: this.costUsd,
      modelUsage: this.#cost.modelUsage,
      ...(lastTool === undefined ? {} : { lastTool }),
    };
  }
}
