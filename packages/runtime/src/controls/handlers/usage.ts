// The usage and cost of the session, as numbers and as text.

import type { ModelUsage } from "@keelson/protocol";
import { done, type ControlHandler } from "../reply.ts";

/** There are no plan limits without an account. */
export const getUsage: ControlHandler<"get_usage"> = (_request, { cost, now, startedMs }) =>
  done({
    session: {
      total_cost_usd: cost.totalUsd,
      total_api_duration_ms: Math.round(cost.apiDurationMs),
      total_duration_ms: Math.round(now() - startedMs),
      total_lines_added: cost.lines.added,
      total_lines_removed: cost.lines.removed,
      model_usage: cost.modelUsage,
      agent_usage: cost.agentUsage,
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  });

export const getSessionCost: ControlHandler<"get_session_cost"> = (_request, { cost, now, startedMs }) => {
  const lines = [
    `Total cost:            ${dollars(cost.totalUsd)}`,
    `Total duration (API):  ${duration(cost.apiDurationMs)}`,
    `Total duration (wall): ${duration(now() - startedMs)}`,
    `Changed lines:         ${cost.lines.added} added, ${cost.lines.removed} removed`,
    ...Object.entries(cost.modelUsage).map(usageLine),
    ...agentLines(cost.agentUsage),
  ];
  return done({ text: lines.join("\n") });
};

const usageLine = ([model, usage]: [string, ModelUsage]) => `${model}: ${tokens(usage)} (${dollars(usage.costUSD)})`;

function agentLines(agents: Readonly<Record<string, Readonly<Record<string, ModelUsage>>>>): readonly string[] {
  const lines = Object.entries(agents).flatMap(([type, models]) =>
    Object.entries(models).map((entry) => `  ${type}, ${usageLine(entry)}`),
  );
  return lines.length === 0 ? [] : ["Of this, subagents:", ...lines];
}

const dollars = (amount: number | null) =>
  amount === null ? "unknown (no price for a model)" : `$${amount.toFixed(4)}`;
const duration = (ms: number) =>
  ms < 60_000 ? `${Math.round(ms / 1000)}s` : `${Math.floor(ms / 60_000)}m ${Math.round((ms % 60_000) / 1000)}s`;

const tokens = (usage: ModelUsage) =>
  [
    `${usage.inputTokens} input`,
    `${usage.outputTokens} output`,
    `${usage.cacheReadInputTokens} cache read`,
    `${usage.cacheCreationInputTokens} cache write`,
  ].join(", ");
