// What a model without ToolSearch is told before it is asked: the servers that still connect. Without this, it would take
// their tools for missing.

import type { Rule, Tool } from "@keelson/engine";
import { isDenied } from "../offer/resources.ts";

const MAX_LISTED = 1_500;

export class ConnectingNotice {
  readonly #named = new Set<string>();

  /** Names each server once. `tools` are those of the request. */
  take(connecting: readonly string[], tools: readonly Tool[], rules: readonly Rule[]): string | undefined {
    if (tools.some(({ name }) => name === "ToolSearch")) return undefined;
    const fresh = connecting.filter((name) => !this.#named.has(name) && !isDenied(name, rules));
    if (fresh.length === 0) return undefined;
    for (const name of fresh) this.#named.add(name);
    const names = fresh.join(", ");
    const shown = names.length <= MAX_LISTED ? names : `${fresh.length} servers`;
    return `MCP servers that are still connecting: ${shown}. Their tools are added after one of your next tool calls, once the server has connected.`;
  }
}
