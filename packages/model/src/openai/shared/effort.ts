// Which level of reasoning effort a request asks for, among those that the model knows. Pure.

import type { ModelRequest } from "@keelson/engine";
import type { ModelTraits } from "../../dialect.ts";

const LEVELS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Undefined if the model knows no levels, or none is wanted. */
export function effortFor(
  { thinking, output_config }: Pick<ModelRequest, "thinking" | "output_config">,
  { efforts }: Pick<ModelTraits, "efforts">,
): string | undefined {
  if (efforts.length === 0) return undefined;
  if (thinking?.["type"] === "disabled") return nearest("none", efforts);
  const wanted = output_config?.["effort"] ?? effortOfBudget(thinking?.["budget_tokens"]);
  return typeof wanted === "string" ? nearest(wanted, efforts) : undefined;
}

/** The wanted level, or else the next lower one; for levels below all, the lowest. */
function nearest(wanted: string, efforts: readonly string[]): string | undefined {
  if (efforts.includes(wanted)) return wanted;
  const place = LEVELS.indexOf(wanted);
  if (place < 0) return undefined;
  // Someone who wants a level wants some thinking.
  const known = LEVELS.filter((level) => efforts.includes(level) && (level !== "none" || wanted === "none"));
  return known.findLast((level) => LEVELS.indexOf(level) <= place) ?? known[0];
}

function effortOfBudget(budget: unknown): string | undefined {
  if (typeof budget !== "number") return undefined;
  if (budget <= 4_096) return "low";
  return budget <= 16_384 ? "medium" : "high";
}
