// The budget that an agent's file gives it: for its own requests and those of the agents it starts. A request that would
// surely exceed it is not sent. The session's own budget applies in any case.

import type { ModelProvider } from "@keelson/engine";
import type { Usage } from "@keelson/protocol";
import type { Cost } from "../../model/cost.ts";
import { Budget } from "../../model/budget.ts";
import type { Meter } from "./meter.ts";

export interface ChildBudget {
  readonly limitUsd: number;
  /** Whether a request was not sent because of it. */
  readonly hasRefused: boolean;
  guard(provider: ModelProvider): ModelProvider;
  /** Counts a request beside its conversation, or of an agent that it started. */
  charge(usage: Usage, model: string, durationMs: number): void;
}

/** `cost` has the prices. The meter has what the agent itself has cost. */
export function childBudget(limitUsd: number, meter: Meter, cost: Cost): ChildBudget {
  const below = cost.separate();
  const spent = () => {
    const [own, others] = [meter.costUsd, below.totalUsd];
    return own === null || others === null ? null : own + others;
  };
  const budget = new Budget({ limit: () => limitUsd, spent, costOf: (model, usage) => cost.costOf(model, usage) });
  return {
    limitUsd,
    get hasRefused() {
      return budget.hasRefused;
    },
    guard: (provider) => budget.guard(provider),
    charge: (usage, model, durationMs) => below.charge(usage, model, durationMs),
  };
}

export const guardedBy = (budgets: readonly ChildBudget[], provider: ModelProvider): ModelProvider =>
  budgets.reduce((inner, budget) => budget.guard(inner), provider);
