// What a transcript gets: compactions, and if the variables ask for it, replies of the model.

import { isObject, textOf } from "@keelson/protocol";
import type { Fact } from "../../facts.ts";
import type { TelemetryPlan } from "../plan.ts";
import type { Reporter } from "../reporter.ts";
import { agentLabel } from "./agent-label.ts";

export function reportEntries(
  { event, span }: Reporter,
  { logs }: TelemetryPlan,
  { entries, at, agent }: Extract<Fact, { type: "entries" }>,
): void {
  for (const entry of entries) {
    if (entry.type === "system" && entry.subtype === "compact_boundary" && isObject(entry["compactMetadata"])) {
      const { trigger, preTokens, postTokens, durationMs } = entry["compactMetadata"];
      const ms = typeof durationMs === "number" ? durationMs : 0;
      const own = {
        trigger: String(trigger),
        duration_ms: ms,
        pre_tokens: numberOr(preTokens),
        post_tokens: numberOr(postTokens),
      };
      event("compaction", at, { ...own, success: "true" });
      span("compaction", { startMs: at - ms, endMs: at }, { ...own, ...agentLabel(agent?.id) });
    }
    if (entry.type !== "assistant" || !logs.replies) continue;
    const text = textOf(entry.message.content);
    if (text !== "")
      event("assistant_response", at, { model: entry.message.model, response_length: text.length, response: text });
  }
}

const numberOr = (value: unknown) => (typeof value === "number" ? value : undefined);
