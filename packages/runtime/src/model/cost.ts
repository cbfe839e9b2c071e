// Token usage and cost of a session, by model and by type of subagent. If a price is unknown, so is the total.

import { isObject, type CostState, type JsonObject, type ModelUsage, type Usage } from "@keelson/protocol";

export interface ModelRates {
  /** Null if the price is unknown. */
  costOf(model: string, usage: Usage): number | null;
  limitsOf(model: string): { readonly contextWindow: number; readonly maxOutputTokens: number };
}

export class Cost {
  readonly #rates: ModelRates;
  readonly #models = new Map<string, ModelUsage>();
  readonly #agents = new Map<string, Cost>();
  /** By session: what other sessions have reported. */
  readonly #reported = new Map<string, Readonly<Record<string, ModelUsage>>>();
  #apiMs = 0;
  #toolMs = 0;
  /** When the conversation began, if before this process. */
  #begunMs: number | undefined;
  #lines = { added: 0, removed: 0 };

  constructor(rates: ModelRates, earlier?: Pick<CostState, "modelUsage"> & Partial<CostState>) {
    this.#rates = rates;
    if (!earlier) return;
    this.#apiMs = earlier.totalAPIDuration ?? 0;
    this.#toolMs = earlier.totalToolDuration ?? 0;
    this.#begunMs = earlier.startTime;
    this.#lines = { added: earlier.totalLinesAdded ?? 0, removed: earlier.totalLinesRemoved ?? 0 };
    for (const [model, usage] of Object.entries(earlier.modelUsage)) this.#models.set(model, usage as ModelUsage);
    for (const [type, modelUsage] of Object.entries(earlier.agentUsage ?? {})) {
      if (isObject(modelUsage)) this.#agents.set(type, this.separate(modelUsage));
    }
  }

  /** Another count with the same prices. */
  separate(modelUsage: CostState["modelUsage"] = {}): Cost {
    return new Cost(this.#rates, { modelUsage });
  }

  /** Null if the price of the model is unknown. */
  costOf(model: string, usage: Usage): number | null {
    return this.#rates.costOf(model, usage);
  }

  /** A new conversation has cost nothing. */
  reset(): void {
    this.#models.clear();
    this.#agents.clear();
    this.#apiMs = this.#toolMs = 0;
    this.#begunMs = undefined;
    this.#lines = { added: 0, removed: 0 };
  }

  /** `agent` is the type of the subagent that asked, if one did. */
  charge(usage: Usage, model: string, durationMs: number, agent?: string): void {
    if (agent !== undefined) {
      const own = this.#agents.get(agent) ?? this.separate();
      this.#agents.set(agent, own);
      own.charge(usage, model, durationMs);
    }
    this.#apiMs += durationMs;
    const before = this.#models.get(model);
    const cost = this.#rates.costOf(model, usage);
    this.#models.set(model, {
      inputTokens: (before?.inputTokens ?? 0) + usage.input_tokens,
      outputTokens: (before?.outputTokens ?? 0) + usage.output_tokens,
      cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
      cacheCreationInputTokens: (before?.cacheCreationInputTokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      webSearchRequests: (before?.webSearchRequests ?? 0) + (usage.server_tool_use?.web_search_requests ?? 0),
      costUSD: cost === null || before?.costUSD === null ? null : (before?.costUSD ?? 0) + cost,
      ...this.#rates.limitsOf(model),
    });
  }

  /** What a teammate's session has used in all. Only what is new since its last report is added. */
  absorb(session: string, total: Readonly<Record<string, ModelUsage>>, agent: string): void {
    const own = this.#agents.get(agent) ?? this.separate();
    this.#agents.set(agent, own);
    const before = this.#reported.get(session) ?? {};
    this.#reported.set(session, total);
    for (const [model, used] of Object.entries(total)) {
      const more = combined(used, before[model], -1);
      for (const cost of [this, own]) cost.#models.set(model, combined(more, cost.#models.get(model), 1));
    }
  }

  /** Counts how long a call took, from what its hooks are told. */
  countCall({ duration_ms: ms }: JsonObject): void {
    if (typeof ms === "number") this.#toolMs += ms;
  }

  /** Counts changed lines from the result of a file tool. */
  countLines(result: unknown): void {
    const { added, removed } = changedLines(result);
    this.#lines = { added: this.#lines.added + added, removed: this.#lines.removed + removed };
  }

  get lines(): { readonly added: number; readonly removed: number } {
    return this.#lines;
  }

  get apiDurationMs(): number {
    return this.#apiMs;
  }

  get modelUsage(): Readonly<Record<string, ModelUsage>> {
    return Object.fromEntries(this.#models);
  }

  /** What subagents used of it: by their type, then by model. */
  get agentUsage(): Readonly<Record<string, Readonly<Record<string, ModelUsage>>>> {
    return Object.fromEntries([...this.#agents].map(([type, { modelUsage }]) => [type, modelUsage]));
  }

  /** Null if the price of any model is unknown. */
  get totalUsd(): number | null {
    let total = 0;
    for (const { costUSD } of this.#models.values()) {
      if (costUSD === null) return null;
      total += costUSD;
    }
    return total;
  }

  state(sessionId: string, startedMs: number, now: number): CostState {
    return {
      type: "cost-state",
      sessionId,
      totalCostUSD: this.totalUsd,
      totalAPIDuration: Math.round(this.#apiMs),
      // Attempts are not timed apart.
      totalAPIDurationWithoutRetries: Math.round(this.#apiMs),
      totalToolDuration: Math.round(this.#toolMs),
      totalDuration: Math.round(now - startedMs),
      startTime: this.#begunMs ?? Math.round(startedMs),
      totalLinesAdded: this.#lines.added,
      totalLinesRemoved: this.#lines.removed,
      modelUsage: this.modelUsage,
      ...(this.#agents.size === 0 ? {} : { agentUsage: this.agentUsage }),
      hasUnknownModelCost: this.totalUsd === null,
    };
  }
}

/** `sign` 1 adds the other, -1 takes it away. */
function combined(one: ModelUsage, other: ModelUsage | undefined, sign: 1 | -1): ModelUsage {
  if (!other) return one;
  const sum = (key: "inputTokens" | "outputTokens" | "cacheReadInputTokens" | "cacheCreationInputTokens") =>
    one[key] + sign * other[key];
  return {
    ...one,
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheReadInputTokens: sum("cacheReadInputTokens"),
    cacheCreationInputTokens: sum("cacheCreationInputTokens"),
    webSearchRequests: one.webSearchRequests + sign * other.webSearchRequests,
    costUSD: one.costUSD === null || other.costUSD === null ? null : one.costUSD + sign * other.costUSD,
  };
}

/** A new file has no patch; all its lines are added. */
export function changedLines(result: unknown): { readonly added: number; readonly removed: number } {
  if (!isObject(result) || !Array.isArray(result["structuredPatch"])) return { added: 0, removed: 0 };
  const { type, content, structuredPatch } = result;
  if (type === "create" && typeof content === "string") {
    return { added: content === "" ? 0 : content.replace(/\n$/, "").split("\n").length, removed: 0 };
  }
  const lines = structuredPatch.flatMap((hunk) =>
    isObject(hunk) && Array.isArray(hunk["lines"]) ? hunk["lines"] : [],
  );
  const countWith = (sign: string) => lines.filter((line) => typeof line === "string" && line.startsWith(sign)).length;
  return { added: countWith("+"), removed: countWith("-") };
}
