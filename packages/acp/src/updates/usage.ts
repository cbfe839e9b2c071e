// How full the context is and what the session cost, after each turn.

import { isObject, type Outbound, type ResultMessage } from "@keelson/protocol";
import type { SessionUpdate } from "../schema/types.ts";

export class UsageReader {
  #used: number | undefined;
  #model: string | undefined;

  take(message: Outbound): readonly SessionUpdate[] {
    if (message.type === "assistant") {
      const { model, usage } = message.message;
      if (message.parent_tool_use_id === null && model !== "<synthetic>" && !message.is_api_error_message) {
        this.#model = model;
        this.#used = tokensOf(usage) || this.#used;
      }
    } else if (message.type === "system" && message.subtype === "compact_boundary") {
      const metadata: unknown = message.compact_metadata;
      const after = isObject(metadata) ? metadata["post_tokens"] : undefined;
      if (typeof after === "number") this.#used = after;
    } else if (message.type === "conversation_reset") this.#used = 0;
    else if (message.type === "result") return this.#report(message);
    return [];
  }

  #report({ modelUsage, total_cost_usd: cost }: ResultMessage): readonly SessionUpdate[] {
    const windows: unknown = isObject(modelUsage) ? modelUsage : {};
    const sizes = Object.entries(isObject(windows) ? windows : {}).flatMap(([model, usage]) =>
      isObject(usage) && isCount(usage["contextWindow"]) ? [{ model, size: usage["contextWindow"] }] : [],
    );
    const size = sizes.find(({ model }) => model === this.#model)?.size ?? sizes[0]?.size;
    if (this.#used === undefined || size === undefined || size === 0) return [];
    const amount = typeof cost === "number" && Number.isFinite(cost) ? { cost: { amount: cost, currency: "USD" } } : {};
    return [{ sessionUpdate: "usage_update", used: Math.round(this.#used), size, ...amount }];
  }
}

const COUNTED = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

function tokensOf(usage: unknown): number {
  if (!isObject(usage)) return 0;
  return COUNTED.map((key) => usage[key])
    .filter(isCount)
    .reduce((sum, count) => sum + count, 0);
}
