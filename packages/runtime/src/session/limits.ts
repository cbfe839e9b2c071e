// Limits of a run, from flags, settings and environment.

import type { Snapshot } from "@keelson/config";
import type { Limits } from "@keelson/engine";

const CONCURRENCY = 32;
const STRUCTURED_ATTEMPTS = 5;

export function limitsOf({ flags, settings, env }: Snapshot): Limits {
  return {
    maxTurns: flags.maxTurns ?? positive(env["CLAUDE_CODE_MAX_TURNS"]),
    maxBudgetUsd: flags.maxBudgetUsd,
    summarizeOnMaxTurns: settings.summarizeOnMaxTurns,
    ...(flags.jsonSchema
      ? {
          structured: {
            schema: flags.jsonSchema,
            maxRetries: positive(env["MAX_STRUCTURED_OUTPUT_RETRIES"]) ?? STRUCTURED_ATTEMPTS,
          },
        }
      : {}),
  };
}

/** How many calls may run at the same time. */
export function concurrencyOf({ env }: Snapshot): number {
  return positive(env["CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"]) ?? CONCURRENCY;
}

function positive(value: string | undefined): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
