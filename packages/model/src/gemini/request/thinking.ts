// How much a Gemini model may think: a level for models from 3 on, a number of tokens for 2.5, nothing for others.

import type { JsonObject } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import type { ModelTraits } from "../../dialect.ts";
import { generationOf } from "../model.ts";

/** Shorter replies are for titles and the like; thinking would use up their room. */
const SHORT_REPLY = 4096;

export function thinkingConfig(request: ModelRequest, traits: ModelTraits): JsonObject | undefined {
  const generation = generationOf(request.model);
  if (generation < 2.5 || traits.thinking === "none") return undefined;
  const { thinking, output_config: output } = request;
  if (thinking === undefined && request.max_tokens >= SHORT_REPLY) return undefined;
  const off = thinking === undefined || thinking["type"] === "disabled";
  const effort = typeof output?.["effort"] === "string" ? output["effort"] : undefined;
  const amount = generation >= 3 ? levelOf(request, traits, off, effort) : budgetOf(request, off, effort);
  return { ...(off ? {} : { includeThoughts: true }), ...amount };
}

function levelOf(
  { model, thinking }: ModelRequest,
  { efforts }: ModelTraits,
  off: boolean,
  effort: string | undefined,
): JsonObject {
  // No model from 3 on can be told not to think; the small ones know a lower level.
  if (off) return { thinkingLevel: efforts.includes("minimal") || /flash/.test(model) ? "MINIMAL" : "LOW" };
  const budget = thinking?.["budget_tokens"];
  const wanted = effort ?? (typeof budget === "number" && budget < SMALL_BUDGET ? "low" : undefined);
  if (wanted === undefined) return {};
  if (wanted === "minimal" && efforts.includes("minimal")) return { thinkingLevel: "MINIMAL" };
  if (wanted === "minimal" || wanted === "low") return { thinkingLevel: "LOW" };
  // Some models know only low and high.
  const hasMedium = efforts.length === 0 || efforts.includes("medium");
  return { thinkingLevel: wanted === "medium" && hasMedium ? "MEDIUM" : "HIGH" };
}

const SMALL_BUDGET = 4096;
const DYNAMIC = -1;
const EFFORT_BUDGETS: Readonly<Record<string, number>> = { minimal: 512, low: 2048, medium: 8192 };

function budgetOf(
  { model, thinking, max_tokens: room }: ModelRequest,
  off: boolean,
  effort: string | undefined,
): JsonObject {
  const pro = /pro/.test(model);
  // Pro cannot stop thinking.
  if (off) return { thinkingBudget: pro ? 128 : 0 };
  const budget = thinking?.["budget_tokens"];
  // All the room there is means that no one asked for a number.
  if (typeof budget !== "number" || budget >= room - 1)
    return { thinkingBudget: (effort && EFFORT_BUDGETS[effort]) || DYNAMIC };
  const least = pro ? 128 : /lite/.test(model) ? 512 : 1;
  return { thinkingBudget: Math.min(Math.max(budget, least), pro ? 32_768 : 24_576) };
}
