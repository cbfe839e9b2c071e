// What prompt and agent hooks share: a condition in plain text for a model, and its answer (met or not, and why).

import { cutMiddle, type ModelChoice } from "@keelson/engine";
import { lookUpModel } from "@keelson/model";
import { isObject, tryParse, type JsonObject } from "@keelson/protocol";

export const ANSWER_SCHEMA = {
  type: "object",
  properties: {
    ok: { type: "boolean", description: "Whether the condition is met" },
    reason: { type: "string", description: "Why, or why not, in one or two sentences" },
  },
  required: ["ok", "reason"],
  additionalProperties: false,
} as const satisfies JsonObject;

export interface ConditionAnswer {
  readonly ok: boolean;
  readonly reason: string;
  readonly impossible?: true;
}

/** The hook's prompt with the event in place of `$ARGUMENTS`, or appended. */
export function conditionPrompt(prompt: string, event: string, { profile }: ModelChoice): string {
  // Tokens are rarely shorter than two characters, so this fits the context window.
  const shown = cutMiddle(event, profile.contextWindow * 2);
  return prompt.includes("$ARGUMENTS") ? prompt.replaceAll("$ARGUMENTS", () => shown) : `${prompt}\n\n${shown}`;
}

/** Turns thinking off, except for models that always think. */
export function withoutThinking(model: ModelChoice): ModelChoice {
  const { thinkingTokens: _, ...rest } = model;
  return lookUpModel(model.profile.id).alwaysThinks ? rest : { ...rest, thinkingTokens: 0 };
}

/** Finds the answer in a reply: the whole text, a fenced block, or an object inside other text. */
export function readAnswer(text: string): ConditionAnswer | undefined {
  const fenced = /```(?:json)?\s*\n?(.*?)```/is.exec(text)?.[1];
  const braced = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [text, fenced, braced]
    .map((each) => conditionAnswer(tryParse(each ?? "")))
    .find((answer) => answer !== undefined);
}

export function conditionAnswer(value: unknown): ConditionAnswer | undefined {
  if (!isObject(value) || typeof value["ok"] !== "boolean") return undefined;
  const { ok, reason, impossible } = value;
  return { ok, reason: typeof reason === "string" ? reason : "", ...(impossible === true ? { impossible } : {}) };
}
