// What the API says about the limits of a subscription, in the words of the protocol.

import type { JsonObject } from "@keelson/protocol";

const PREFIX = "anthropic-ratelimit-unified-";
/** How headers spell the limit that applies. */
const WINDOWS: Readonly<Record<string, string>> = { five_hour: "5h", seven_day: "7d" };

/** The `rate_limit_info` of a reply; undefined if it says nothing about limits. */
export function rateLimitInfo(headers: Headers): JsonObject | undefined {
  const text = (name: string) => headers.get(PREFIX + name) ?? undefined;
  const amount = (name: string) => {
    const value = Number(text(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const status = text("status");
  if (status === undefined) return undefined;
  const rateLimitType = text("representative-claim");
  const overageStatus = text("overage-status");
  const window = WINDOWS[rateLimitType ?? ""];
  const surpassedThreshold = status === "rejected" ? undefined : amount(`${window}-surpassed-threshold`);
  const info: Record<string, JsonObject[string]> = {
    status,
    resetsAt: amount("reset"),
    rateLimitType,
    utilization: surpassedThreshold === undefined ? undefined : amount(`${window}-utilization`),
    surpassedThreshold,
    overageStatus,
    overageResetsAt: amount("overage-reset"),
    overageDisabledReason: text("overage-disabled-reason"),
    isUsingOverage: status === "rejected" && overageStatus?.startsWith("allowed") === true,
  };
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined));
}
