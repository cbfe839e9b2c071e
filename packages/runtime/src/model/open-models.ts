// The models of a session: the one it starts with, how others are chosen, and what they cost.

import type { ProviderMemory, ResolvedModel } from "@keelson/model";
import type { Observed } from "../observe/observed.ts";
import type { OpenOptions } from "../session/open-options.ts";
import type { SessionPlace } from "../session/place.ts";
import type { SessionState } from "../session/state.ts";
import { Budget } from "./budget.ts";
import { countingRequests } from "./compile-policy.ts";
import { Cost } from "./cost.ts";
import { checkBudget, chooseModel, modelRates, newProviderMemory } from "./model-choice.ts";

export interface SessionModels {
  readonly cost: Cost;
  /**
   * The named model, or the one that flags and settings name. Its requests count against the session's budget. A name
   * that the user did not type stays with the session's provider where it can.
   */
  chooseModel(name?: string, options?: { readonly typed?: boolean }): Promise<ResolvedModel>;
  readonly providerMemory: ProviderMemory;
  /** Absent if nothing watches the session. */
  readonly observed?: Observed;
}

/** `state` is undefined until there is a model to begin with. */
export async function openModels(
  options: OpenOptions,
  place: SessionPlace,
  state: () => SessionState | undefined,
): Promise<SessionModels & { readonly first: ResolvedModel }> {
  const { snapshot, entrypoint, warn } = options;
  const { loaded } = place;
  const rates = modelRates(snapshot);
  const cost = new Cost(rates, loaded?.costState);
  const observed = isWatched(options)
    ? await (await import("../observe/open-observed.ts")).openObserved(options, place, rates)
    : undefined;
  const current = () => state()?.snapshot ?? snapshot;
  const budget = new Budget({
    limit: () => current().flags.maxBudgetUsd,
    spent: () => cost.totalUsd,
    costOf: rates.costOf,
  });
  const memory = newProviderMemory();
  const counted = countingRequests();
  const choose: SessionModels["chooseModel"] = async (name, { typed = false } = {}) => {
    const own = state()?.model;
    const resolved = await chooseModel(current(), {
      model: name,
      beside: typed ? undefined : own,
      needsCredentials: own?.providerName !== undefined,
      sessionId: place.id,
      entrypoint,
      programs: () => state()?.governing?.programs,
      memory,
      gatherMs: options.gatherMs,
      observed,
    });
    return { ...resolved, provider: counted(budget.guard(resolved.provider)) };
  };
  const first = loaded
    ? await (await import("./resumed-model.ts")).resumeModel(snapshot, loaded.entries, choose, warn)
    : await choose();
  checkBudget(snapshot, rates, first.profile.id);
  return { cost, chooseModel: choose, providerMemory: memory, first, ...(observed ? { observed } : {}) };
}

/** Whether there is a debug log, a trace or telemetry. Almost always there is none, and nothing of it is loaded. */
function isWatched({ debug, snapshot: { env } }: OpenOptions): boolean {
  return debug !== undefined || Boolean(env["KEELSON_TRACE"]) || Boolean(env["CLAUDE_CODE_ENABLE_TELEMETRY"]);
}
