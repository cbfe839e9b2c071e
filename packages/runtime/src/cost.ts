// What the session has used and what that costs, model by model. Unknown prices stay unknown.

import type { CostState, ModelUsage, Usage } from "@keelson/protocol";

export interface Tariff {
  /** Null when no price is known. */
  costOf(model: string, usage: Usage): number | null;
  limitsOf(model: string): { readonly contextWindow: number; readonly maxOutputTokens: number };
}

export class Cost {
  readonly #tariff: Tariff;
  readonly #models = new Map<string, ModelUsage>();
  #apiMs = 0;

  constructor(tariff: Tariff, earlier?: CostState) {
    this.#tariff = tariff;
    if (!earlier) return;
    this.#apiMs = earlier.totalAPIDuration;
    for (const [model, usage] of Object.entries(earlier.modelUsage)) this.#models.set(model, usage as ModelUsage);
  }

  charge(usage: Usage, model: string, durationMs: number): void {
    this.#apiMs += durationMs;
    const before = this.#models.get(model);
    const cost = this.#tariff.costOf(model, usage);
    this.#models.set(model, {
      inputTokens: (before?.inputTokens ?? 0) + usage.input_tokens,
      outputTokens: (before?.outputTokens ?? 0) + usage.output_tokens,
      cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
      cacheCreationInputTokens: (before?.cacheCreationInputTokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      webSearchRequests: (before?.webSearchRequests ?? 0) + (usage.server_tool_use?.web_search_requests ?? 0),
      costUSD: cost === null || before?.costUSD === null ? null : (before?.costUSD ?? 0) + cost,
      ...this.#tariff.limitsOf(model),
    });
  }

  get apiDurationMs(): number {
    return this.#apiMs;
  }

  get modelUsage(): Readonly<Record<string, ModelUsage>> {
    return Object.fromEntries(this.#models);
  }

  /** Dollars in all; null as soon as one model has no known price. */
  get totalUsd(): number | null {
    let total = 0;
    for (const { costUSD } of this.#models.values()) {
      if (costUSD === null) return null;
      total += costUSD;
    }
    return total;
  }

  state(sessionId: string, durationMs: number): CostState {
    return {
      type: "cost-state",
      sessionId,
      totalCostUSD: this.totalUsd,
      totalAPIDuration: Math.round(this.#apiMs),
      totalDuration: Math.round(durationMs),
      modelUsage: this.modelUsage,
      hasUnknownModelCost: this.totalUsd === null,
    };
  }
}
