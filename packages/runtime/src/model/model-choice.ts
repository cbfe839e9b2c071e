// Chooses the session's model and its prices from flags, settings and environment.

import { ownEnvironment, type Snapshot } from "@keelson/config";
import { ModelError } from "@keelson/engine";
import { besideName, costOf, lookUpModel, resolveModel } from "@keelson/model";
import type { CredentialSources, ProviderMemory, ResolvedModel } from "@keelson/model";
import { NO_USAGE } from "@keelson/protocol";
import type { ModelRates } from "./cost.ts";
import type { Observed } from "../observe/observed.ts";
import type { CommandCaller } from "./credentials.ts";
import type * as StoredKey from "./stored-key.ts";
import { OpenError } from "../session/place.ts";

interface ModelChoiceOptions extends CommandCaller {
  /** Overrides flags and settings. */
  readonly model?: string | undefined;
  /** The session's own model, if there is one and a name is not what the user typed. */
  readonly beside?: ResolvedModel | undefined;
  /** Without credentials for Anthropic, a name that leads there is an error. */
  readonly needsCredentials?: boolean;
  readonly memory: ProviderMemory;
  /** As in OpenOptions. */
  readonly gatherMs?: number | undefined;
  /** Watches its requests. */
  readonly observed?: Observed | undefined;
}

export const newProviderMemory = (): ProviderMemory => ({ keys: new Map(), told: new Set(), windows: new Map() });

/** Throws OpenError. */
export async function chooseModel(snapshot: Snapshot, options: ModelChoiceOptions): Promise<ResolvedModel> {
  const { flags, settings, env } = snapshot;
  const {
    model: given,
    beside,
    needsCredentials,
    sessionId,
    entrypoint,
    memory,
    gatherMs,
    observed,
    programs,
  } = options;
  const model = given !== undefined && beside ? await besideName(given, beside, { ...settings, env }) : given;
  const fallback = flags.fallbackModels ?? settings.fallbackModel;
  const thinkingOff = settings.alwaysThinkingEnabled === false && flags.maxThinkingTokens === undefined;
  try {
    const resolved = await resolveModel({
      model: model ?? flags.model ?? (env["ANTHROPIC_MODEL"] ? undefined : settings.model),
      fallbackModels: typeof fallback === "string" ? [fallback] : fallback,
      env,
      network: ownEnvironment(snapshot),
      sessionId,
      entrypoint,
      effort: flags.effort ?? settings.effortLevel,
      thinkingTokens: thinkingOff ? 0 : flags.maxThinkingTokens,
      betas: flags.betas,
      metadata: { user_id: JSON.stringify({ session_id: sessionId }) },
      settings,
      sources: credentialSources(snapshot, { sessionId, entrypoint, ...(programs ? { programs } : {}) }),
      memory,
      // Those in the settings are for every session, also for one on another provider.
      announcesUnused: flags.fallbackModels !== undefined,
      gatherMs,
      ...(needsCredentials ? { needsCredentials } : {}),
    });
    return observed ? { ...resolved, provider: observed.provider(resolved.provider) } : resolved;
  } catch (error) {
    if (error instanceof ModelError) throw new OpenError(error.message, "setup");
    throw error;
  }
}

/** Commands of the settings, and stored keys. Loaded when one is needed. */
export function credentialSources(snapshot: Snapshot, caller: CommandCaller): CredentialSources {
  return {
    runCommand: async (...command) =>
      (await import("./credentials.ts")).runCredentialCommand(snapshot, caller, ...command),
    storedKey: async (provider) => (await import("./credentials.ts")).storedKey(snapshot, provider),
    hasStoredKey: (provider) => (require("./stored-key.ts") as typeof StoredKey).hasStoredKey(snapshot, provider),
  };
}

export function modelRates({ settings, env }: Snapshot): ModelRates {
  /** By model: asked for after each reply, and always the same. */
  const limits = new Map<string, ReturnType<ModelRates["limitsOf"]>>();
  const findLimits = (model: string) => {
    const { contextWindow, maxTokens } = lookUpModel(model, env, settings).profile;
    const found = { contextWindow, maxOutputTokens: maxTokens };
    limits.set(model, found);
    return found;
  };
  return {
    costOf: (model, usage) => costOf(model, usage, settings.modelPrices, settings, env),
    limitsOf: (model) => limits.get(model) ?? findLimits(model),
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
