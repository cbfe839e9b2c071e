// Chooses the session's model and its prices from flags, settings and environment.

import type { Snapshot } from "@keelson/config";
import { ModelError } from "@keelson/engine";
import { costOf, lookUpModel, resolveModel, type ResolvedModel } from "@keelson/model";
import { NO_USAGE } from "@keelson/protocol";
import type { ModelRates } from "./cost.ts";
import type { Observed } from "../observe/observed.ts";
import { OpenError } from "../session/place.ts";

interface ModelChoiceOptions {
  /** Overrides flags and settings. */
  readonly model?: string | undefined;
  readonly sessionId: string;
  readonly entrypoint: string;
  /** Watches its requests. */
  readonly observed?: Observed | undefined;
}

export async function chooseModel(
  { flags, settings, env }: Snapshot,
  { model, sessionId, entrypoint, observed }: ModelChoiceOptions,
): Promise<ResolvedModel> {
  const fallback = flags.fallbackModels ?? settings.fallbackModel;
  const thinkingOff = settings.alwaysThinkingEnabled === false && flags.maxThinkingTokens === undefined;
  try {
    const resolved = await resolveModel({
      model: model ?? flags.model ?? (env["ANTHROPIC_MODEL"] ? undefined : settings.model),
      fallbackModels: typeof fallback === "string" ? [fallback] : fallback,
      env,
      sessionId,
      entrypoint,
      effort: flags.effort ?? settings.effortLevel,
      thinkingTokens: thinkingOff ? 0 : flags.maxThinkingTokens,
      betas: flags.betas,
      metadata: { user_id: JSON.stringify({ session_id: sessionId }) },
    });
    return observed ? { ...resolved, provider: observed.provider(resolved.provider) } : resolved;
  } catch (error) {
    if (error instanceof ModelError) throw new OpenError(error.message, "setup");
    throw error;
  }
}

export function modelRates({ settings, env }: Snapshot): ModelRates {
  return {
    costOf: (model, usage) => costOf(model, usage, settings.modelPrices),
    limitsOf: (model) => {
      const { contextWindow, maxTokens } = lookUpModel(model, env).profile;
      return { contextWindow, maxOutputTokens: maxTokens };
    },
  };
}

/** Rejects --max-budget-usd for a model whose price is unknown. */
export function checkBudget({ flags }: Snapshot, rates: ModelRates, model: string): void {
  if (flags.maxBudgetUsd === undefined || rates.costOf(model, NO_USAGE) !== null) return;
  throw new OpenError(
    `--max-budget-usd cannot be enforced: the price of "${model}" is unknown. Add it to "modelPrices" in the settings, or remove the flag`,
    "setup",
  );
}
