// Requests about models: list them, switch, and set the thinking budget.

import type { Snapshot } from "@keelson/config";
import type { ModelProfile } from "@keelson/engine";
import { lookUpModel, OFFLINE_ID, type ResolvedModel } from "@keelson/model";
import type { ReplyTo } from "@keelson/protocol";
import { done, failed, type ControlHandler } from "../reply.ts";
import type { ControlTargets } from "../targets.ts";
import { withFlags } from "./with-flags.ts";

type ModelFacts = Pick<Snapshot, "env" | "settings">;

const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
const CHOICES: readonly [value: string, name: string, description: string][] = [
  ["opus", "Opus", "For complex work"],
  ["fable", "Fable", "For the hardest and longest work"],
  ["sonnet", "Sonnet", "For everyday work"],
  ["haiku", "Haiku", "For quick answers"],
];

/** The models that a client may offer; without a language model, only the offline one. */
export function describeModels(model: ResolvedModel, { env, settings }: ModelFacts): ReplyTo<"list_models">["models"] {
  const current = describe("default", "Default", "The model this session started with", model.profile);
  // Other providers do not have these, or under other names.
  if (model.profile.id === OFFLINE_ID || model.profile.id.includes("/")) return [current];
  const choices = CHOICES.map(([value, name, means]) =>
    describe(value, name, means, lookUpModel(value, env, settings).profile),
  );
  return [current, ...choices];
}

function describe(value: string, displayName: string, description: string, profile: ModelProfile) {
  return {
    value,
    resolvedModel: profile.id,
    displayName,
    description,
    supportsEffort: profile.effort,
    ...(profile.effort ? { supportedEffortLevels: EFFORTS } : {}),
    supportsAdaptiveThinking: profile.thinking === "adaptive",
  };
}

export const listModels: ControlHandler<"list_models"> = async (request, targets) => {
  const models = describeModels(targets.model(), targets.snapshot());
  if (request.providers !== true) return done({ models });
  return done({ models, providers: await listProviders(targets) });
};

async function listProviders({
  snapshot,
  providerMemory,
}: ControlTargets): Promise<ReplyTo<"list_models">["providers"]> {
  const { providerLogins, reachableModels } = await import("@keelson/model/choice");
  const { modelOptions } = await import("../../model/view.ts");
  const options = modelOptions(snapshot(), providerMemory);
  const lists = new Map((await reachableModels(undefined, options)).map((list) => [list.provider, list]));
  return providerLogins(options).map(({ provider, title, credentials, missing }) => {
    const list = lists.get(provider);
    const lacks = list === undefined && missing !== undefined ? { missing } : {};
    const problem = list?.problem === undefined ? {} : { problem: list.problem };
    return { provider, title, credentials, ...lacks, ...problem, models: list?.models ?? [] };
  });
}

export const setModel: ControlHandler<"set_model"> = async ({ model: wanted }, targets) => {
  const name = typeof wanted === "string" && wanted !== "default" && wanted !== "" ? wanted : undefined;
  const model = await targets.setModel(name);
  // Clients get this as the output of a command, even if they did not ask for replay.
  await targets.send({
    type: "user",
    message: { role: "user", content: `<local-command-stdout>Set model to ${model}</local-command-stdout>` },
    parent_tool_use_id: null,
    isReplay: true,
    session_id: targets.sessionId,
    uuid: targets.newId(),
    timestamp: new Date(targets.now()).toISOString(),
  });
  return done({ model });
};

export const setMaxThinkingTokens: ControlHandler<"set_max_thinking_tokens"> = (request, targets) => {
  const { max_thinking_tokens: tokens = null } = request;
  if (tokens !== null && !(Number.isSafeInteger(tokens) && (tokens as number) >= 0)) {
    return failed('set_max_thinking_tokens: "max_thinking_tokens" must be a whole number of at least 0, or null');
  }
  const maxThinkingTokens = tokens === null ? undefined : (tokens as number);
  const { snapshot, model } = targets;
  targets.adopt(withFlags(snapshot(), { maxThinkingTokens }));
  targets.tuneModel(thinking(model(), maxThinkingTokens, snapshot()));
  return done();
};

/** Without a budget, the default of the model applies. Some models always think. */
function thinking(model: ResolvedModel, tokens: number | undefined, { env, settings }: ModelFacts): ResolvedModel {
  const { thinkingTokens: _, ...rest } = model;
  const ignored = tokens === undefined || (tokens === 0 && lookUpModel(model.profile.id, env, settings).alwaysThinks);
  return ignored ? rest : { ...rest, thinkingTokens: tokens };
}

/** Unchanged if the model has no effort levels. */
export function withEffort(
  model: ResolvedModel,
  effort: string | undefined,
  { env, settings }: ModelFacts,
): ResolvedModel {
  const known = lookUpModel(model.profile.id, env, settings);
  if (known.effort === undefined) return model;
  return { ...model, effort: effort ?? known.effort };
}
