// Which tools are deferred, and when: the model knows only their names until ToolSearch loads them.

import { knowsReferences } from "@keelson/model";

export interface SearchMode {
  /** The share of the context window that tools of MCP servers may take before they are deferred: 0 always, 1 never. */
  readonly share: number;
  /** More tools than this are deferred, however small they are. */
  readonly most: number;
  /** Which built-in tools are deferred: those that most runs never use, or also others that are long. */
  readonly builtIn: "none" | "rare" | "most";
  /** The model's API understands `tool_reference` and `defer_loading`. */
  readonly references: boolean;
}

export const DEFAULT_SHARE = 0.1;
/** Of a request to OpenAI and Azure. Other models too choose better among fewer. */
const MOST_TOOLS = 128;

/**
 * From ENABLE_TOOL_SEARCH: `true`, `false`, `auto` or `auto:PERCENT`. `provider` is the session's, if that is not
 * Anthropic's own API, and `model` the id of its model.
 */
export function searchMode(
  env: Readonly<Record<string, string | undefined>>,
  provider?: string,
  model = "",
): SearchMode {
  const mayRefer = provider === undefined && knowsReferences(model);
  const isFirstParty = mayRefer && isAnthropic(env["ANTHROPIC_BASE_URL"]);
  const most = provider === undefined ? Infinity : MOST_TOOLS;
  const [word = "", percent] = (env["ENABLE_TOOL_SEARCH"] ?? "").trim().toLowerCase().split(":");
  switch (word) {
    case "true":
    case "1":
      return { share: 0, most, builtIn: "most", references: mayRefer };
    case "false":
    case "0":
      return { share: 1, most, builtIn: "none", references: false };
    case "auto":
      return { share: shareOf(percent), most, builtIn: "rare", references: isFirstParty };
    default:
      return { share: isFirstParty ? 0 : DEFAULT_SHARE, most, builtIn: "rare", references: isFirstParty };
  }
}

function shareOf(percent: string | undefined): number {
  const value = Number(percent ?? NaN);
  return value >= 0 && value <= 100 ? value / 100 : DEFAULT_SHARE;
}

function isAnthropic(url: string | undefined): boolean {
  if (!url) return true;
  try {
    return /(^|\.)anthropic\.com$/.test(new URL(url).hostname);
  } catch {
    return false;
  }
}
