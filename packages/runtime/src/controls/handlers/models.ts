// Requests about models: list them, switch, and set the thinking budget.

import { lookUpModel, OFFLINE_ID, type ResolvedModel } from "@keelson/model";
import { done, failed, type ControlHandler } from "../reply.ts";
import { withFlags } from "./with-flags.ts";

type Env = Readonly<Record<string, string | undefined>>;

const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
const CHOICES: readonly [value: string, name: string, description: string][] = [
  ["opus", "Opus", "For the hardest work"],
  ["sonnet", "Sonnet", "For everyday work"],
  ["haiku", "Haiku", "For quick answers"],
];

/** The models that a client may offer; without a language model, only the offline one. */
export function describeModels(model: ResolvedModel, env: Env): readonly object[] {
  const current = describe("default", "Default", "The model this session started with", model.profile.id, env);
  if (model.profile.id === OFFLINE_ID) return [current];
  return [current, ...CHOICES.map(([value, name, means]) => describe(value, name, means, value, env))];
}

function describe(value: string, displayName: string, description: string, model: string, env: Env): object {
  const { profile } = lookUpModel(model, env);
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

export const listModels: ControlHandler = (_request, targets) =>
  done({ models: describeModels(targets.model(), targets.snapshot().env) });

export const setModel: ControlHandler = async ({ model: wanted }, targets) => {
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
  });
  return done({ model });
};

export const setMaxThinkingTokens: ControlHandler = (request, targets) => {
  const { max_thinking_tokens: tokens = null } = request;
  if (tokens !== null && !(Number.isSafeInteger(tokens) && (tokens as number) >= 0)) {
    return failed('set_max_thinking_tokens: "max_thinking_tokens" must be a whole number of at least 0, or null');
  }
  const maxThinkingTokens = tokens === null ? undefined : (tokens as number);
  const { snapshot, model } = targets;
  targets.adopt(withFlags(snapshot(), { maxThinkingTokens }));
  targets.tuneModel(thinking(model(), maxThinkingTokens, snapshot().env));
  return done();
};

/** Without a budget, the default of the model applies. Some models always think. */
function thinking(model: ResolvedModel, tokens: number | undefined, env: Env): ResolvedModel {
  const { thinkingTokens: _, ...rest } = model;
  const ignored = tokens === undefined || (tokens === 0 && lookUpModel(model.profile.id, env).alwaysThinks);
  return ignored ? rest : { ...rest, thinkingTokens: tokens };
}

/** Unchanged if the model has no effort levels. */
export function withEffort(model: ResolvedModel, effort: string | undefined, env: Env): ResolvedModel {
  const known = lookUpModel(model.profile.id, env);
  if (known.effort === undefined) return model;
  return { ...model, effort: effort ?? known.effort };
}
